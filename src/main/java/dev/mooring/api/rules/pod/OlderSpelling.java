package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * Pods as Minik8s wrote them: a volume names its kind in {@code type} and has the fields of that kind beside it, a mount has
 * {@code bind} and {@code mode}. What is not of that form is left as it is, whatever it is. Stateless.
 */
final class OlderSpelling {
    private OlderSpelling() {}

    static void translate(ObjectNode pod) {
        if (!(pod.get("spec") instanceof ObjectNode)) {
            return;
        }
        ObjectNode spec = (ObjectNode) pod.get("spec");
        Trees.withEach(spec, "volumes", OlderSpelling::volume);
        Trees.withEach(spec, "containers", OlderSpelling::container);
        Trees.withEach(spec, "initContainers", OlderSpelling::container);
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
                // Some other meaning: the schema will say that it does not know the field.
            }
        }
    }

    private static boolean hasSource(ObjectNode volume) {
        return VolumeSource.ALL.stream().anyMatch(source -> volume.hasNonNull(source.field()));
    }

    /** {@code hostPath: /data}. */
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
        Trees.withEach(container, "volumeMounts", OlderSpelling::mount);
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
