package dev.mooring.volume.hostpath;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.FileReference;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.Json;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.BindSettings.Depth;
import dev.mooring.volume.BindSettings.Restriction;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * A child program that creates or binds a path whose server may be down, so that only the child hangs and can be
 * killed. It runs in the same mount namespace, so its bind mounts are visible to all processes. Reads a job from stdin
 * and writes the result to stdout. Started by {@link IsolatedPathOperations}.
 */
public final class HostPathChild {
    private HostPathChild() {}

    public static void main(String[] arguments) throws IOException {
        ObjectNode answer = Json.MAPPER.createObjectNode();
        try {
            perform(Json.MAPPER.readTree(System.in));
        } catch (VolumeException e) {
            answer.put("left", e.failureState().name())
                    .put("reason", e.reason())
                    .put("message", e.getMessage())
                    .put("raw", e.raw());
        }
        try (FileOutputStream output = new FileOutputStream(FileDescriptor.out)) {
            output.write(answer.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void perform(JsonNode job) throws VolumeException {
        SystemCalls calls = SystemCalls.real();
        Path path = Path.of(job.path("path").asText());
        switch (IsolatedPathOperations.PathAction.valueOf(job.path("action").asText())) {
            case MAKE_DIRECTORY -> HostPathCreator.makeDirectory(calls, path);
            case MAKE_FILE -> HostPathCreator.makeFile(calls, path);
            case BIND -> bind(calls, path, job);
            default -> throw new IllegalArgumentException(job.toString());
        }
    }

    private static void bind(SystemCalls calls, Path path, JsonNode job) throws VolumeException {
        Set<Restriction> restrictions = EnumSet.noneOf(Restriction.class);
        job.path("restrictions").forEach(each -> restrictions.add(Restriction.valueOf(each.asText())));
        BindSettings settings = new BindSettings(
                Access.valueOf(job.path("access").asText()),
                Depth.valueOf(job.path("depth").asText()),
                restrictions);
        NodeLayout layout = new NodeLayout(Path.of(job.path("root").asText()));
        try (FileReference found = Confinement.open(calls, path)) {
            new LinuxMounter(layout, calls, new ChildProcess())
                    .bind(found, Path.of(job.path("target").asText()), settings);
        } catch (PathException e) {
            throw Confinement.changed(path, e.getMessage());
        }
    }
}
