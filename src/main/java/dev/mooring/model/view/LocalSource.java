package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The source type {@code local}: a directory or a disk of the node. */
public final class LocalSource implements SourceType {
    public static final String PROVISIONER = "mooring.dev/local";

    @Override
    public String field() {
        return "local";
    }

    @Override
    public String plugin() {
        return "kubernetes.io/local-volume";
    }

    @Override
    public boolean isStaged() {
        return true;
    }

    @Override
    public String directory(JsonNode spec) {
        return spec.path(field()).path("path").asText("");
    }

    /** A directory may be on any file system that an administrator has mounted; a device is local. */
    @Override
    public MountPoint mountPoint(JsonNode spec, String devicePath, Path mounted) {
        return devicePath.isEmpty() ? MountPoint.REMOTE : MountPoint.LOCAL;
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
            source.putObject(field()).put("path", operation.pathBelow(directory));
            return source;
        });
    }
}
