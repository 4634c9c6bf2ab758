package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The source type {@code hostPath}: a path of the node. */
public final class HostPathSource implements SourceType {
    public static final String PROVISIONER = "mooring.dev/hostpath";

    @Override
    public String field() {
        return "hostPath";
    }

    @Override
    public String plugin() {
        return "kubernetes.io/host-path";
    }

    @Override
    public boolean isRecyclable() {
        return true;
    }

    @Override
    public String directory(JsonNode spec) {
        return spec.path(field()).path("path").asText("");
    }

    /** A path that is not the one of the source is a bind mount of it, on any file system. */
    @Override
    public MountPoint mountPoint(JsonNode spec, String devicePath, Path mounted) {
        return Path.of(directory(spec)).normalize().equals(mounted) ? MountPoint.NONE : MountPoint.REMOTE;
    }

    @Override
    public Optional<String> provisioner() {
        return Optional.of(PROVISIONER);
    }

    @Override
    public Map<String, Function<String, Optional<String>>> parameters() {
        return ClassParameters.ofDirectories();
    }

    @Override
    public Optional<ObjectNode> provisioned(
            VolumeOperation operation, ClassParameters parameters, Optional<String> base) {
        return base.map(directory -> {
            ObjectNode source = JsonNodeFactory.instance.objectNode();
            source.putObject(field())
                    .put("path", operation.pathBelow(directory))
                    .put("type", "Directory");
            return source;
        });
    }

    /** A path that is neither a directory nor a file, such as a socket, is created by the program that owns it. */
    @Override
    public Optional<RepairCommand> repair(String reason, JsonNode spec) {
        String path = directory(spec);
        if (!reason.equals("NotFound")) {
            return Optional.empty();
        }
        return switch (spec.path(field()).path("type").asText("")) {
            case "File" -> Optional.of(new RepairCommand("Create the file on the node.", "touch", path));
            case "Directory" ->
                Optional.of(new RepairCommand("Create the directory on the node.", "mkdir", "-p", path));
            default -> Optional.empty();
        };
    }
}
