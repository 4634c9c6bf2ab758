package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The source type of block volumes: an image file of the node, described as a {@code csi} volume of Mooring's driver. */
public final class BlockSource implements SourceType {
    public static final String PROVISIONER = "mooring.dev/block";

    @Override
    public String field() {
        return "csi";
    }

    @Override
    public String plugin() {
        return "kubernetes.io/csi";
    }

    @Override
    public boolean isIn(JsonNode spec) {
        return spec.path(field()).path("driver").asText("").equals(marker());
    }

    @Override
    public String marker() {
        return StorageNames.BLOCK_DRIVER;
    }

    @Override
    public String metricsLabel() {
        return plugin() + ':' + StorageNames.BLOCK_DRIVER;
    }

    @Override
    public boolean isDevice() {
        return true;
    }

    @Override
    public String image(JsonNode spec) {
        return spec.path(field()).path("volumeAttributes").path("image").asText("");
    }

    @Override
    public Optional<String> provisioner() {
        return Optional.of(PROVISIONER);
    }

    @Override
    public Map<String, Function<String, Optional<String>>> parameters() {
        Map<String, Function<String, Optional<String>>> parameters = new TreeMap<>(ClassParameters.ofAll());
        parameters.put(ClassParameters.FS_TYPE, ClassParameters::fileSystemError);
        parameters.put(ClassParameters.CSI_FS_TYPE, ClassParameters::fileSystemError);
        parameters.put(ClassParameters.OVERCOMMIT, ClassParameters::booleanError);
        return parameters;
    }

    @Override
    public Optional<ObjectNode> provisioned(
            VolumeOperation operation, ClassParameters parameters, Optional<String> base) {
        return base.map(directory -> {
            ObjectNode source = JsonNodeFactory.instance.objectNode();
            ObjectNode csi = source.putObject(field());
            csi.put("driver", StorageNames.BLOCK_DRIVER).put("volumeHandle", operation.volumeUid());
            if (operation.mode() == VolumeMode.FILESYSTEM) {
                csi.put("fsType", parameters.fsType());
            }
            csi.putObject("volumeAttributes").put("image", operation.pathBelow(directory) + ".img");
            return source;
        });
    }

    @Override
    public Optional<RepairCommand> repair(String reason, JsonNode spec) {
        return Optional.ofNullable(
                switch (reason) {
                    case "NotFound", "NotReachable", "NotLocal", "WrongType" ->
                        new RepairCommand("Look for the image on the node.", "ls", "-ld", image(spec));
                    case "NoLoopDevices" -> new RepairCommand("Load the loop driver on the node.", "modprobe", "loop");
                    case "DeviceInUse" ->
                        new RepairCommand("Find the user of the image on the node.", "losetup", "-j", image(spec));
                    default -> null;
                });
    }
}
