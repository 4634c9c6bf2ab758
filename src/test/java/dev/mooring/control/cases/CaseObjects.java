package dev.mooring.control.cases;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Builds and edits the objects of a case. Each volume and claim gets a foreign annotation and an unknown field, so that
 * tests notice their loss.
 */
public final class CaseObjects {
    static final Map<String, String> FINALIZERS = Map.of(
            "pvp", "kubernetes.io/pv-protection",
            "pvcp", "kubernetes.io/pvc-protection",
            "ctl", "kubernetes.io/pv-controller",
            "ext", "external-provisioner.volume.kubernetes.io/finalizer",
            "keep", "example.com/keep");
    private static final Map<String, String> MODES = Map.of(
            "RWO", "ReadWriteOnce",
            "ROX", "ReadOnlyMany",
            "RWX", "ReadWriteMany",
            "RWOP", "ReadWriteOncePod");
    private static final Set<String> POLICIES = Set.of("Retain", "Delete", "Recycle", "Unknown");
    private static final String DEFAULT_MODES = "RWO+ROX";
    private static final String MOCK = "mooring.dev/hostpath";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final UnaryOperator<String> uids;

    /** @param uids returns the uid of a claim by its name, also for claims that do not exist */
    public CaseObjects(UnaryOperator<String> uids) {
        this.uids = uids;
    }

    /** Returns the object as a user creates it, without the fields that the server sets. */
    public ObjectNode of(CaseLine line) {
        String kind = line.kind().orElseThrow();
        ObjectNode object = JSON.createObjectNode().put("kind", kind).put("apiVersion", "v1");
        object.putObject("metadata").put("name", line.name());
        List<String> words = line.words().subList(1, line.words().size());
        switch (kind) {
            case "PersistentVolume" -> volume(object, words);
            case "PersistentVolumeClaim" -> claim(object, words);
            case "StorageClass" -> storageClass(object, words);
            case "Pod" -> pod(object, words);
            case "ActualVolume" -> actual(object, words);
            default -> {
                // a Node has only a name
            }
        }
        return object;
    }

    private void volume(ObjectNode object, List<String> words) {
        String name = object.path("metadata").path("name").asText();
        foreign(object);
        ObjectNode spec = (ObjectNode) object.get("spec");
        spec.putObject("capacity").put("storage", words.get(0));
        spec.set("accessModes", modes(CaseLine.value(words, "modes").orElse(DEFAULT_MODES)));
        spec.put(
                "persistentVolumeReclaimPolicy",
                words.stream().filter(POLICIES::contains).findFirst().orElse("Retain"));
        mode(spec, words);
        attributesClass(spec, words);
        CaseLine.value(words, "class").ifPresent(each -> spec.put("storageClassName", each));
        CaseLine.value(words, "labels")
                .ifPresent(each -> object.withObject("/metadata").set("labels", pairs(each)));
        CaseLine.value(words, "affinity").ifPresent(each -> affinity(spec, each));
        boolean ours = CaseLine.value(words, "src").filter("ours"::equals).isPresent();
        source(spec, CaseLine.value(words, "src").orElse("fc"), name);
        if (ours) {
            affinity(spec, "kubernetes.io/hostname=n1");
            annotate(object, "+prov-by=mock");
        }
        boolean kept =
                ours && spec.path("persistentVolumeReclaimPolicy").asText().equals("Delete");
        finalizers(object, CaseLine.value(words, "fin").orElse(kept ? "pvp,ctl" : "pvp"));
        change(object, words.subList(1, words.size()));
    }

    private static void source(ObjectNode spec, String source, String name) {
        switch (source) {
            case "hostpath" ->
                spec.putObject("hostPath")
                        .put("path", "/tmp/mooring-cases/" + name)
                        .put("type", "");
            case "ours" ->
                spec.putObject("hostPath").put("path", "/srv/mooring/" + name).put("type", "Directory");
            case "csi" -> spec.putObject("csi").put("driver", "csi.example.com").put("volumeHandle", "handle-" + name);
            default -> {
                ObjectNode fc = spec.putObject("fc").put("lun", 0);
                fc.putArray("targetWWNs").add("50060e801049cfd1");
            }
        }
    }

    private static void affinity(ObjectNode spec, String pair) {
        ObjectNode term = spec.putObject("nodeAffinity")
                .putObject("required")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchExpressions")
                .addObject();
        int equals = pair.indexOf('=');
        term.put("key", pair.substring(0, equals)).put("operator", "In");
        term.putArray("values").add(pair.substring(equals + 1));
    }

    private void claim(ObjectNode object, List<String> words) {
        object.withObject("/metadata").put("namespace", "default");
        foreign(object);
        ObjectNode spec = (ObjectNode) object.get("spec");
        spec.putObject("resources").putObject("requests").put("storage", words.get(0));
        spec.set("accessModes", modes(CaseLine.value(words, "modes").orElse(DEFAULT_MODES)));
        mode(spec, words);
        attributesClass(spec, words);
        CaseLine.value(words, "selector")
                .ifPresent(each -> spec.putObject("selector").set("matchLabels", pairs(each)));
        if (words.contains("snapshot")) {
            spec.putObject("dataSource")
                    .put("apiGroup", "snapshot.storage.k8s.io")
                    .put("kind", "VolumeSnapshot")
                    .put("name", "test-snap");
        }
        finalizers(object, CaseLine.value(words, "fin").orElse("pvcp"));
        change(
                object,
                words.subList(1, words.size()).stream()
                        .filter(each -> !each.startsWith("modes="))
                        .toList());
    }

    private static void foreign(ObjectNode object) {
        object.withObject("/metadata/annotations").put("example.com/foreign", "kept");
        object.putObject("spec").putObject("exampleUnknown").putArray("kept").add(1);
    }

    private static void mode(ObjectNode spec, List<String> words) {
        String mode = CaseLine.value(words, "mode").orElse("Filesystem");
        if (!mode.equals("nil")) {
            spec.put("volumeMode", mode);
        }
    }

    private static void attributesClass(ObjectNode spec, List<String> words) {
        CaseLine.value(words, "vac").ifPresent(each -> spec.put("volumeAttributesClassName", each));
    }

    private static void storageClass(ObjectNode object, List<String> words) {
        object.put("apiVersion", "storage.k8s.io/v1");
        object.put("provisioner", alias(words.get(0)));
        object.put("reclaimPolicy", "Delete");
        object.put("volumeBindingMode", words.contains("wait") ? "WaitForFirstConsumer" : "Immediate");
        if (words.contains("default")) {
            object.withObject("/metadata/annotations").put("storageclass.kubernetes.io/is-default-class", "true");
        }
        CaseLine.value(words, "mountOptions")
                .ifPresent(each -> object.putArray("mountOptions").add(each));
        for (String word : words) {
            if (word.startsWith("p:")) {
                int equals = word.indexOf('=');
                object.withObject("/parameters").put(word.substring(2, equals), word.substring(equals + 1));
            }
        }
    }

    private static void pod(ObjectNode object, List<String> words) {
        object.withObject("/metadata").put("namespace", "default");
        ObjectNode spec = object.putObject("spec");
        ObjectNode container =
                spec.putArray("containers").addObject().put("name", "c").put("image", "busybox");
        ArrayNode mounts = container.putArray("volumeMounts");
        ArrayNode volumes = spec.putArray("volumes");
        for (String claim : CaseLine.value(words, "claims").orElseThrow().split(",", -1)) {
            mounts.addObject().put("name", claim).put("mountPath", "/" + claim);
            volumes.addObject()
                    .put("name", claim)
                    .putObject("persistentVolumeClaim")
                    .put("claimName", claim);
        }
        volumes.addObject().put("name", "scratch").putObject("emptyDir");
        spec.put("schedulerName", "none");
        editPod(object, words);
    }

    private static void editPod(ObjectNode object, List<String> words) {
        CaseLine.value(words, "node")
                .ifPresent(each -> object.withObject("/spec").put("nodeName", each));
        CaseLine.value(words, "phase")
                .ifPresent(each -> object.withObject("/status").put("phase", each));
    }

    private void actual(ObjectNode object, List<String> words) {
        object.put("apiVersion", "mooring.dev/v1");
        String claim = CaseLine.value(words, "claim").orElseThrow();
        ObjectNode spec = object.putObject("spec");
        spec.put("node", CaseLine.value(words, "node").orElseThrow()).put("plugin", "kubernetes.io/fc");
        spec.put("persistentVolume", CaseLine.value(words, "pv").orElseThrow());
        spec.putObject("claim").put("namespace", "default").put("name", claim).put("uid", uids.apply(claim));
        ObjectNode status = object.putObject("status").put("state", "Mounted");
        ObjectNode mount = status.putArray("mounts").addObject().put("path", "/var/lib/mooring/pods/1/v");
        mount.put("state", "Mounted");
        mount.putObject("pod").put("namespace", "default").put("name", "gone").put("uid", "uid-gone");
    }

    /** Changes the fields of an object that the words mention. */
    public void change(ObjectNode object, List<String> words) {
        if (object.path("kind").asText().equals("Pod")) {
            editPod(object, words);
            return;
        }
        ObjectNode spec = object.withObject("/spec");
        for (String word : words) {
            if (word.startsWith("+") || word.startsWith("-")) {
                annotate(object, word);
            } else if (Character.isUpperCase(word.charAt(0)) && !POLICIES.contains(word)) {
                phase(object, word);
            }
        }
        CaseLine.value(words, "vol").ifPresent(each -> spec.put("volumeName", named(each)));
        CaseLine.value(words, "class").ifPresent(each -> spec.put("storageClassName", each));
        CaseLine.value(words, "ref").ifPresent(each -> reference(spec, each));
        CaseLine.value(words, "fin").ifPresent(each -> finalizers(object, each));
        CaseLine.value(words, "cap")
                .ifPresent(each ->
                        object.withObject("/status").putObject("capacity").put("storage", each));
        CaseLine.value(words, "cur-vac")
                .ifPresent(each -> object.withObject("/status").put("currentVolumeAttributesClassName", each));
        if (object.path("kind").asText().equals("PersistentVolumeClaim")) {
            CaseLine.value(words, "modes")
                    .ifPresent(each -> object.withObject("/status").set("accessModes", modes(each)));
        }
    }

    /** Resolves {@code pvc-<c>}, the name of the volume provisioned for the claim c. */
    String named(String name) {
        return name.startsWith("pvc-<") ? "pvc-" + uids.apply(name.substring(5, name.length() - 1)) : name;
    }

    private static void phase(ObjectNode object, String phase) {
        ObjectNode status = object.withObject("/status");
        status.put("phase", phase);
        if (object.path("kind").asText().equals("PersistentVolumeClaim")) {
            if (phase.equals("Bound")) {
                status.set(
                        "accessModes", object.path("spec").path("accessModes").deepCopy());
                status.set(
                        "capacity",
                        object.path("spec").path("resources").path("requests").deepCopy());
            } else {
                status.remove(List.of("accessModes", "capacity"));
            }
        }
    }

    private void reference(ObjectNode spec, String text) {
        spec.remove("claimRef");
        if (text.equals("-")) {
            return;
        }
        int at = text.indexOf('@');
        ObjectNode claimRef = spec.putObject("claimRef");
        if (at != 0) {
            claimRef.put("kind", "PersistentVolumeClaim")
                    .put("apiVersion", "v1")
                    .put("namespace", "default");
            claimRef.put("name", at < 0 ? text : text.substring(0, at));
        }
        if (at >= 0) {
            claimRef.put("uid", uids.apply(text.substring(at + 1)));
        }
    }

    private static void annotate(ObjectNode object, String word) {
        int equals = word.indexOf('=');
        String name = annotation(equals < 0 ? word.substring(1) : word.substring(1, equals));
        ObjectNode annotations = object.withObject("/metadata/annotations");
        if (word.startsWith("-")) {
            annotations.remove(name);
        } else {
            annotations.put(name, equals < 0 ? "yes" : alias(word.substring(equals + 1)));
        }
    }

    private static String annotation(String shortName) {
        return switch (shortName) {
            case "bbc" -> "pv.kubernetes.io/bound-by-controller";
            case "bc" -> "pv.kubernetes.io/bind-completed";
            case "prov-by" -> "pv.kubernetes.io/provisioned-by";
            case "migrated-to" -> "pv.kubernetes.io/migrated-to";
            case "sp" -> "volume.kubernetes.io/storage-provisioner";
            case "beta-sp" -> "volume.beta.kubernetes.io/storage-provisioner";
            case "selected-node" -> "volume.kubernetes.io/selected-node";
            case "beta-class" -> "volume.beta.kubernetes.io/storage-class";
            case "pre-resize" -> "volume.alpha.kubernetes.io/pre-resize-capacity";
            default -> throw new IllegalArgumentException("Unknown short name of an annotation: " + shortName);
        };
    }

    private static String alias(String value) {
        return value.equals("mock") ? MOCK : value;
    }

    private static void finalizers(ObjectNode object, String text) {
        ObjectNode metadata = object.withObject("/metadata");
        metadata.remove("finalizers");
        if (!text.equals("-")) {
            ArrayNode finalizers = metadata.putArray("finalizers");
            for (String each : text.split(",", -1)) {
                finalizers.add(Optional.ofNullable(FINALIZERS.get(each)).orElseThrow());
            }
        }
    }

    private static ArrayNode modes(String text) {
        ArrayNode modes = JSON.createArrayNode();
        for (String each : text.split("\\+", -1)) {
            modes.add(Optional.ofNullable(MODES.get(each)).orElseThrow());
        }
        return modes;
    }

    private static ObjectNode pairs(String text) {
        ObjectNode pairs = JSON.createObjectNode();
        for (String each : text.split(",", -1)) {
            int equals = each.indexOf('=');
            pairs.put(each.substring(0, equals), each.substring(equals + 1));
        }
        return pairs;
    }
}
