package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Builds the manifest of an object of a recorded scenario from its short form. */
final class BindingManifest {
    private static final Map<String, String> ANNOTATIONS = Map.of(
            "bbc", "pv.kubernetes.io/bound-by-controller",
            "bc", "pv.kubernetes.io/bind-completed");
    private static final Map<String, String> MODES = Map.of(
            "RWO", "ReadWriteOnce",
            "ROX", "ReadOnlyMany",
            "RWX", "ReadWriteMany",
            "RWOP", "ReadWriteOncePod");

    private final UnaryOperator<String> uids;

    /** @param uids maps a name such as {@code claim1-1} or {@code other} to a UID */
    BindingManifest(UnaryOperator<String> uids) {
        this.uids = uids;
    }

    ObjectNode of(JsonNode recorded) {
        String kind = recorded.get("kind").asText();
        ObjectNode object =
                BindingApiClient.JSON.createObjectNode().put("kind", kind).put("apiVersion", "v1");
        object.putObject("metadata").put("name", recorded.get("name").asText());
        switch (kind) {
            case "PersistentVolume" -> volume(object, recorded);
            case "PersistentVolumeClaim" -> claim(object, recorded);
            case "StorageClass" -> storageClass(object, recorded);
            case "Pod" -> pod(object, recorded);
            default -> throw new IllegalArgumentException("Unknown kind in a recorded scenario: " + kind);
        }
        for (JsonNode each : recorded.path("ann")) {
            object.withObject("/metadata/annotations").put(ANNOTATIONS.get(each.asText()), "yes");
        }
        return object;
    }

    private void volume(ObjectNode object, JsonNode recorded) {
        ObjectNode spec = object.putObject("spec");
        spec.putObject("capacity").set("storage", recorded.get("cap"));
        modes(spec, recorded);
        spec.set("persistentVolumeReclaimPolicy", recorded.get("policy"));
        spec.putObject("hostPath")
                .put("path", "/tmp/oracle/" + recorded.get("name").asText());
        copyText(recorded, "class", spec, "storageClassName");
        copyText(recorded, "volumeMode", spec, "volumeMode");
        if (!recorded.path("labels").isEmpty()) {
            object.withObject("/metadata").set("labels", recorded.get("labels"));
        }
        JsonNode reference = recorded.path("ref");
        if (reference.isObject()) {
            ObjectNode claimRef = spec.putObject("claimRef")
                    .put("kind", "PersistentVolumeClaim")
                    .put("apiVersion", "v1")
                    .put("namespace", "default");
            claimRef.set("name", reference.get("claim"));
            if (reference.hasNonNull("uid")) {
                claimRef.put("uid", uids.apply(reference.get("uid").asText().substring("uid:".length())));
            }
        }
    }

    private static void claim(ObjectNode object, JsonNode recorded) {
        ObjectNode spec = object.putObject("spec");
        modes(spec, recorded);
        spec.putObject("resources").putObject("requests").set("storage", recorded.get("req"));
        if (!recorded.path("class").isNull()) {
            spec.set("storageClassName", recorded.get("class"));
        }
        copyText(recorded, "vol", spec, "volumeName");
        copyText(recorded, "volumeMode", spec, "volumeMode");
        if (!recorded.path("selector").isEmpty()) {
            spec.putObject("selector").set("matchLabels", recorded.get("selector"));
        }
    }

    private static void storageClass(ObjectNode object, JsonNode recorded) {
        object.put("apiVersion", "storage.k8s.io/v1");
        object.set("provisioner", recorded.get("provisioner"));
        object.set("volumeBindingMode", recorded.get("binding"));
        object.set("allowVolumeExpansion", recorded.get("expand"));
        if (recorded.path("default").asBoolean()) {
            object.withObject("/metadata/annotations").put("storageclass.kubernetes.io/is-default-class", "true");
        }
    }

    private static void pod(ObjectNode object, JsonNode recorded) {
        ObjectNode spec = object.putObject("spec");
        ObjectNode container =
                spec.putArray("containers").addObject().put("name", "c").put("image", "busybox");
        ArrayNode mounts = container.putArray("volumeMounts");
        ArrayNode volumes = spec.putArray("volumes");
        for (JsonNode each : recorded.get("claims")) {
            String name = each.asText();
            mounts.addObject().put("name", name).put("mountPath", "/" + name);
            volumes.addObject()
                    .put("name", name)
                    .putObject("persistentVolumeClaim")
                    .put("claimName", name);
        }
        String node = recorded.path("node").asText("");
        if (node.isEmpty()) {
            spec.put("schedulerName", "nobody");
        } else {
            spec.put("nodeName", node);
        }
    }

    private static void modes(ObjectNode spec, JsonNode recorded) {
        ArrayNode modes = spec.putArray("accessModes");
        recorded.get("modes").forEach(each -> modes.add(MODES.get(each.asText())));
    }

    private static void copyText(JsonNode from, String field, ObjectNode to, String name) {
        if (!from.path(field).asText("").isEmpty() && !from.path(field).isNull()) {
            to.set(name, from.get(field));
        }
    }
}
