package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * Converts Pods from Minik8s notation: a volume has its type in {@code type} and that type's fields next to it, a mount
 * has {@code bind} and {@code mode}. Anything else is unchanged. Stateless.
 */
final class Minik8sPodConversion {
    private Minik8sPodConversion() {}

    static void convert(ObjectNode pod) {
        if (!(pod.get("spec") instanceof ObjectNode)) {
            return;
        }
        ObjectNode spec = (ObjectNode) pod.get("spec");
        TreeDefaults.withEach(spec, "volumes", Minik8sPodConversion::volume);
        TreeDefaults.withEach(spec, "containers", Minik8sPodConversion::container);
        TreeDefaults.withEach(spec, "initContainers", Minik8sPodConversion::container);
    }

    private static void volume(ObjectNode volume) {
        bareText(volume, "persistentVolumeClaim", "claimName");
        bareText(volume, "hostPath", "path");
        JsonNode type = volume.get("type");
        if (type == null || !type.isTextual() || hasSource(volume)) {
            return;
        }
        switch (type.textValue()) {
            case "pvc", "persistentVolumeClaim" ->
                gather(volume, "persistentVolumeClaim", List.of("claimName", "readOnly"));
            case "hostPath" -> gather(volume, "hostPath", List.of("path"));
            case "nfs" -> gather(volume, "nfs", List.of("server", "path", "readOnly"));
            case "emptyDir" -> gather(volume, "emptyDir", List.of("medium", "sizeLimit"));
            default -> {
                // Another meaning: the schema check reports the field as unknown.
            }
        }
    }

    private static boolean hasSource(ObjectNode volume) {
        return PodVolumeSourceRule.ALL.stream().anyMatch(source -> volume.hasNonNull(source.field()));
    }

    /** Converts a bare string, such as {@code hostPath: /data}. */
    private static void bareText(ObjectNode volume, String source, String field) {
        JsonNode value = volume.get(source);
        if (value != null && value.isTextual()) {
            volume.putObject(source).set(field, value);
        }
    }

    private static void gather(ObjectNode volume, String source, List<String> fields) {
        volume.remove("type");
        ObjectNode into = volume.putObject(source);
        for (String field : fields) {
            JsonNode value = volume.remove(field);
            if (value != null) {
                into.set(field, value);
            }
        }
    }

    private static void container(ObjectNode container) {
        TreeDefaults.withEach(container, "volumeMounts", Minik8sPodConversion::mount);
    }

    private static void mount(ObjectNode mount) {
        JsonNode bind = mount.get("bind");
        if (bind == null || !bind.isTextual() || mount.hasNonNull("mountPath")) {
            return;
        }
        mount.remove("bind");
        mount.set("mountPath", bind);
        String mode = mount.path("mode").asText("");
        if (mode.equals("ro") || mode.equals("rw")) {
            mount.remove("mode");
            if (!mount.hasNonNull("readOnly")) {
                mount.put("readOnly", mode.equals("ro"));
            }
        }
    }
}
