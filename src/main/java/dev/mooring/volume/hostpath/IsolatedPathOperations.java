package dev.mooring.volume.hostpath;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildJvmCommand;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.MountTable;
import dev.mooring.model.Json;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.BindSettings.Restriction;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Path;

/**
 * Creates and binds paths that may hang in a child process with a deadline ({@link HostPathChild}), without following
 * symbolic links. Verifies bind mounts with the mount table. Thread-safe for different targets.
 */
public final class IsolatedPathOperations {
    /** Action of the child. */
    enum PathAction {
        BIND,
        MAKE_DIRECTORY,
        MAKE_FILE
    }

    private final PluginContext context;
    private final Mounter mounter;

    public IsolatedPathOperations(PluginContext pluginContext) {
        this.context = pluginContext;
        this.mounter = pluginContext.mounter();
    }

    void makeDirectory(Path path) throws VolumeException, InterruptedException {
        run(job(PathAction.MAKE_DIRECTORY, path), path);
    }

    void makeFile(Path path) throws VolumeException, InterruptedException {
        run(job(PathAction.MAKE_FILE, path), path);
    }

    /** Binds the source. Keeps an existing mount of the same directory and replaces any other. */
    public void bind(Path source, Path target, BindSettings settings, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target)) {
            if (isThere(source, target, settings)) {
                return;
            }
            mounter.unmountBind(target, UnmountTimeouts.REMOTE, progress);
        }
        ObjectNode job = job(PathAction.BIND, source);
        job.put("root", context.layout().root().toString());
        job.put("target", target.toString());
        job.put("access", settings.access().name());
        job.put("depth", settings.depth().name());
        for (Restriction each : settings.restrictions()) {
            job.withArray("restrictions").add(each.name());
        }
        run(job, source);
        if (!isThere(source, target, settings)) {
            throw VolumeException.uncertain(
                    "NotMounted",
                    source + " is not mounted at " + target + ": the mount table shows another mount",
                    mounter.table().at(target).map(MountTable.Mount::toString).orElse(""));
        }
    }

    /** Returns whether the mount table shows the same directory of the same file system with all restrictions. */
    private boolean isThere(Path source, Path target, BindSettings settings) throws VolumeException {
        MountTable table = mounter.table();
        MountTable.Mount from = table.of(source);
        Path root = Path.of(from.root())
                .resolve(Path.of(from.point()).relativize(source))
                .normalize();
        return table.at(target)
                .filter(each ->
                        each.device().equals(from.device()) && each.root().equals(root.toString()))
                .filter(each -> each.isReadOnly() == (settings.access() == Access.READ_ONLY || from.isReadOnly()))
                .filter(each -> settings.restrictions().stream()
                        .allMatch(option -> each.options().contains(option.option())))
                .isPresent();
    }

    private static ObjectNode job(PathAction action, Path path) {
        return Json.MAPPER.createObjectNode().put("action", action.name()).put("path", path.toString());
    }

    private void run(ObjectNode job, Path path) throws VolumeException, InterruptedException {
        CommandResult result;
        try {
            result = context.commands()
                    .run(ChildJvmCommand.command(HostPathChild.class, job.toString(), context.deadline()));
        } catch (CommandException e) {
            VolumeException failure = HostPathInspector.failure(e, path, context.deadline());
            // A system call of the killed child may still complete.
            throw e.kind() == CommandException.CommandFailureKind.TIMED_OUT
                    ? VolumeException.uncertain(failure.reason(), failure.getMessage(), failure.raw())
                    : failure;
        }
        JsonNode answer;
        try {
            answer = Json.MAPPER.readTree(result.output());
        } catch (JsonProcessingException e) {
            answer = Json.MAPPER.missingNode();
        }
        if (!answer.isObject()) {
            throw VolumeException.uncertain(
                    "CommandFailed",
                    "Child process for " + path + " exited with code " + result.exitCode() + " without a result",
                    result.errorOrOutput());
        }
        if (answer.has("reason")) {
            throw new VolumeException(
                    FailureState.valueOf(answer.path("left").asText()),
                    answer.path("reason").asText(),
                    answer.path("message").asText(),
                    answer.path("raw").asText());
        }
    }
}
