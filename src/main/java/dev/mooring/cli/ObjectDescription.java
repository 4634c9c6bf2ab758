package dev.mooring.cli;

import static dev.mooring.cli.DescriptionWriter.label;
import static dev.mooring.cli.DescriptionWriter.reference;
import static dev.mooring.cli.DescriptionWriter.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.table.AgeFormat;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Pod;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/**
 * Describes an object as {@code kubectl describe} does, and its mounts. Kinds with their own fields list them; others
 * are described field by field. Pure.
 */
final class ObjectDescription {
    private static final String NONE = DescriptionWriter.NONE;
    private static final String DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
    private static final int MAX_EVENTS = 20;

    /** Types of volumes with names up to this length are abbreviations. */
    private static final int MAX_ABBREVIATION = 3;

    /** Labels of fields whose names are chosen by users, such as resources and parameters. */
    private static final Set<String> FREE_NAMES = Set.of("Capacity:", "Allocatable:", "Parameters:");

    /** Kinds whose mounts are listed. */
    private static final Set<String> MOUNTABLE =
            Set.of("PersistentVolumeClaim", "PersistentVolume", "Pod", "Node", "DesiredVolume", "ActualVolume");

    /** Labels of fields that are shown even if they are not set. */
    private static final Set<String> ALWAYS_SHOWN =
            Set.of("Status:", "Volume:", "Claim:", "StorageClass:", "Node:", "State:", "Taints:", "Parameters:");

    /** Fields after the head, by kind: a label and the path of the value. */
    private static final Map<String, List<String>> FIELDS = Map.of(
            "PersistentVolumeClaim",
            List.of(
                    "StorageClass=spec.storageClassName",
                    "Status=status.phase",
                    "Volume=spec.volumeName",
                    "Capacity=status.capacity.storage",
                    "Requested=spec.resources.requests.storage",
                    "Access Modes=spec.accessModes",
                    "VolumeMode=spec.volumeMode"),
            "PersistentVolume",
            List.of(
                    "StorageClass=spec.storageClassName",
                    "Status=status.phase",
                    "Claim=spec.claimRef",
                    "Reclaim Policy=spec.persistentVolumeReclaimPolicy",
                    "Access Modes=spec.accessModes",
                    "VolumeMode=spec.volumeMode",
                    "Capacity=spec.capacity.storage",
                    "Mount Options=spec.mountOptions",
                    "Message=status.message"),
            "StorageClass",
            List.of(
                    "IsDefaultClass=metadata.annotations",
                    "Provisioner=provisioner",
                    "Parameters=parameters",
                    "AllowVolumeExpansion=allowVolumeExpansion",
                    "MountOptions=mountOptions",
                    "ReclaimPolicy=reclaimPolicy",
                    "VolumeBindingMode=volumeBindingMode"),
            "Pod",
            List.of(
                    "Node=spec.nodeName",
                    "Start Time=status.startTime",
                    "Status=status.phase",
                    "Reason=status.reason",
                    "Message=status.message",
                    "IP=status.podIP",
                    "Service Account=spec.serviceAccountName"),
            "Node",
            List.of(
                    "CreationTimestamp=metadata.creationTimestamp",
                    "Unschedulable=spec.unschedulable",
                    "Taints=spec.taints",
                    "Capacity=status.capacity",
                    "Allocatable=status.allocatable",
                    "System Info=status.nodeInfo"),
            "DesiredVolume",
            List.of(
                    "Pod=spec.pod",
                    "Node=spec.node",
                    "Volume Name=spec.volumeName",
                    "Claim=spec.claim",
                    "PersistentVolume=spec.persistentVolume",
                    "Plugin=spec.plugin",
                    "Access Modes=spec.accessModes",
                    "Read Only=spec.readOnly",
                    "Desired Since=spec.since",
                    "Error=status.error",
                    "Source=spec.source"),
            "ActualVolume",
            List.of(
                    "Node=spec.node",
                    "PersistentVolume=spec.persistentVolume",
                    "Claim=spec.claim",
                    "Plugin=spec.plugin",
                    "Device=spec.device",
                    "State=status.state",
                    "Since=status.since",
                    "Operation=status.operation",
                    "Attempts=status.attempts",
                    "Next Try=status.nextTry",
                    "Last Error=status.lastError",
                    "Options=status.options",
                    "Source=spec.source"),
            "VolumeOperation",
            List.of(
                    "Operation=spec.operation",
                    "PersistentVolume=spec.persistentVolume",
                    "Claim=spec.claim",
                    "Node=spec.node",
                    "Provisioner=spec.provisioner",
                    "State=status.state",
                    "Attempts=status.attempts",
                    "Next Try=status.nextTry",
                    "Last Error=status.lastError",
                    "Result=status.result"));

    /** Sources in the spec of a PersistentVolume are the fields that are none of these. */
    private static final Set<String> VOLUME_FIELDS = Set.of(
            "accessModes",
            "capacity",
            "claimRef",
            "mountOptions",
            "nodeAffinity",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeMode",
            "volumeAttributesClassName");

    /**
     * The objects that a description refers to, at the same revision. Those that the reader may not list are absent.
     *
     * @param pods that may use a claim or run on a node
     * @param claims that may use a class
     */
    record RelatedObjects(
            List<ObjectNode> pods,
            List<ObjectNode> claims,
            List<ObjectNode> desired,
            List<ObjectNode> actual,
            List<ObjectNode> events) {}

    private final JsonNode object;
    private final RelatedObjects related;
    private final Instant now;
    private final DescriptionWriter out = new DescriptionWriter();

    private ObjectDescription(JsonNode object, RelatedObjects related, Instant now) {
        this.object = object;
        this.related = related;
        this.now = now;
    }

    /** @param now the moment of the description, to which ages refer */
    static String of(ObjectNode object, RelatedObjects related, Instant now) {
        ObjectDescription description = new ObjectDescription(object, related, now);
        description.describe();
        return description.out.toString();
    }

    private void describe() {
        String kind = object.path("kind").asText();
        head();
        List<String> fields = FIELDS.get(kind);
        if (fields != null) {
            fields.forEach(this::field);
        } else if (kind.equals("Secret")) {
            out.line("Type:", object.path("type").asText());
            secretData();
        } else {
            others();
        }
        switch (kind) {
            case "PersistentVolumeClaim" -> {
                out.names("Used By:", users());
                conditions();
            }
            case "PersistentVolume" -> source();
            case "StorageClass" -> out.names("Used By:", claimsOfClass());
            case "Pod" -> {
                containers();
                conditions();
                volumes();
            }
            case "Node" -> {
                conditions();
                out.names("Pods:", references(related.pods()));
            }
            default -> {}
        }
        mounts(kind);
        events();
    }

    private void head() {
        JsonNode metadata = object.path("metadata");
        out.line("Name:", text(metadata.path("name")));
        if (metadata.has("namespace")) {
            out.line("Namespace:", text(metadata.path("namespace")));
        }
        out.map("Labels:", metadata.path("labels"), "=");
        out.map("Annotations:", metadata.path("annotations"), ": ");
        if (metadata.has("finalizers")) {
            out.line("Finalizers:", text(metadata.path("finalizers")));
        }
        if (metadata.has("deletionTimestamp")) {
            String since = text(metadata.path("deletionTimestamp"));
            out.line("Terminating:", "since " + since + " (lasts " + AgeFormat.since(since, now) + ")");
        }
    }

    private void field(String field) {
        int split = field.indexOf('=');
        String label = field.substring(0, split) + ':';
        JsonNode value = at(field.substring(split + 1));
        if (label.equals("IsDefaultClass:")) {
            out.line(label, value.path(DEFAULT_CLASS).asText().equals("true") ? "Yes" : "No");
        } else if (label.equals("Status:") && object.path("metadata").has("deletionTimestamp")) {
            out.line(label, "Terminating (" + text(value) + ")");
        } else if (label.equals("Access Modes:")) {
            out.line(label, AccessModes.of(value).toString());
        } else if (value.isObject() && value.has("name") && value.has("namespace")) {
            out.line(label, reference(value));
        } else if (value.isObject() && !value.isEmpty()) {
            out.line(label);
            boolean isMap = FREE_NAMES.contains(label);
            value.properties()
                    .forEach(each -> out.value(isMap ? each.getKey() : label(each.getKey()), each.getValue(), 1));
        } else if (!value.isMissingNode() || ALWAYS_SHOWN.contains(label)) {
            out.line(label, value.isMissingNode() ? NONE : text(value));
        }
    }

    private JsonNode at(String path) {
        return object.at('/' + path.replace('.', '/'));
    }

    /** Describes the fields of an object without a description of its own. */
    private void others() {
        object.properties().forEach(field -> {
            if (!Set.of("metadata", "kind", "apiVersion").contains(field.getKey())) {
                out.value(label(field.getKey()), field.getValue(), 0);
            }
        });
    }

    private void secretData() {
        out.line("Data:");
        object.path("data")
                .properties()
                .forEach(entry -> out.line(
                        "  " + TextColumns.clean(entry.getKey()) + ':',
                        Base64.getDecoder().decode(entry.getValue().asText()).length + " bytes"));
    }

    private void source() {
        object.path("spec").properties().stream()
                .filter(field -> !VOLUME_FIELDS.contains(field.getKey()))
                .forEach(field -> {
                    out.line("Source:");
                    out.line("  Type:", typeName(field.getKey()));
                    field.getValue()
                            .properties()
                            .forEach(each -> out.value(
                                    each.getKey().equals("type")
                                            ? typeName(field.getKey()) + "Type"
                                            : label(each.getKey()),
                                    each.getValue(),
                                    1));
                });
        if (object.path("spec").has("nodeAffinity")) {
            out.value("Node Affinity", object.path("spec").path("nodeAffinity"), 0);
        }
    }

    /** Returns the name of a type of volumes: abbreviations in capitals, others with a capital letter. */
    private static String typeName(String field) {
        return field.length() <= MAX_ABBREVIATION
                ? field.toUpperCase(Locale.ROOT)
                : label(field).replace(" ", "");
    }

    private void containers() {
        for (String group : List.of("initContainers", "containers")) {
            if (object.path("spec").path(group).isEmpty()) {
                continue;
            }
            out.line(label(group) + ':');
            JsonNode statuses = object.path("status").path(group.replaceFirst("s$", "Statuses"));
            for (JsonNode container : object.path("spec").path(group)) {
                out.line("  " + text(container.path("name")) + ':');
                out.line("    Image:", text(container.path("image")));
                for (JsonNode status : statuses) {
                    if (status.path("name").equals(container.path("name"))) {
                        out.line("    State:", state(status.path("state")));
                        if (!status.path("lastState").isEmpty()) {
                            out.line("    Last State:", state(status.path("lastState")));
                        }
                        out.line("    Ready:", text(status.path("ready")));
                        out.line("    Restart Count:", text(status.path("restartCount")));
                    }
                }
                for (JsonNode mount : container.path("volumeMounts")) {
                    out.line(
                            "    Mount:",
                            text(mount.path("mountPath")) + " from " + text(mount.path("name"))
                                    + (mount.path("readOnly").asBoolean() ? " (ro)" : " (rw)"));
                }
            }
        }
    }

    private static String state(JsonNode state) {
        StringJoiner text = new StringJoiner("; ");
        state.properties().forEach(each -> {
            StringJoiner details = new StringJoiner(", ", "", "");
            for (String field : List.of("reason", "exitCode", "message")) {
                if (each.getValue().has(field)) {
                    details.add((field.equals("exitCode") ? "exit code " : "")
                            + text(each.getValue().path(field)));
                }
            }
            text.add(label(each.getKey()) + (details.length() == 0 ? "" : " (" + details + ")"));
        });
        return text.toString();
    }

    private void volumes() {
        out.line("Volumes:");
        for (JsonNode volume : object.path("spec").path("volumes")) {
            volume.properties().stream()
                    .filter(field -> !field.getKey().equals("name"))
                    .forEach(field -> {
                        out.line("  " + text(volume.path("name")) + ':');
                        out.line("    Type:", typeName(field.getKey()));
                        out.nested(field.getValue(), 2);
                    });
        }
        if (object.path("spec").path("volumes").isEmpty()) {
            out.line("  " + NONE);
        }
    }

    private void conditions() {
        JsonNode conditions = object.path("status").path("conditions");
        if (conditions.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("Type", "Status", "Since", "Reason", "Message"));
        for (JsonNode each : conditions) {
            rows.add(List.of(
                    text(each.path("type")),
                    text(each.path("status")),
                    AgeFormat.since(text(each.path("lastTransitionTime")), now),
                    text(each.path("reason")),
                    text(each.path("message"))));
        }
        out.table("Conditions:", rows);
    }

    /** Returns the Pods that use the claim. */
    private List<String> users() {
        String claim = object.at("/metadata/name").asText();
        return related.pods().stream()
                .map(pod -> Pod.of(new StoredObject(
                        Pod.key(
                                pod.at("/metadata/namespace").asText(),
                                pod.at("/metadata/name").asText()),
                        0,
                        pod.toString().getBytes(StandardCharsets.UTF_8))))
                .filter(pod -> pod.claimNames().contains(claim))
                .map(pod -> DockerMount.of(pod).map(DockerMount::user).orElseGet(pod::name))
                .toList();
    }

    private List<String> claimsOfClass() {
        return references(related.claims().stream()
                .filter(claim -> claim.at("/spec/storageClassName").equals(object.at("/metadata/name")))
                .toList());
    }

    private static List<String> references(List<ObjectNode> objects) {
        return objects.stream().map(each -> reference(each.path("metadata"))).toList();
    }

    private void mounts(String kind) {
        if (!MOUNTABLE.contains(kind)) {
            return;
        }
        List<List<String>> rows = new DescribedMounts(object, related, now).rows();
        if (rows.isEmpty()) {
            out.line("Mounts:", NONE);
        } else {
            rows.add(0, DescribedMounts.HEADER);
            out.table("Mounts:", rows);
        }
    }

    private void events() {
        List<ObjectNode> events = new ArrayList<>(related.events());
        if (events.isEmpty()) {
            out.line("Events:", NONE);
            return;
        }
        events.sort(Comparator.comparing(ObjectDescription::lastTime));
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("Type", "Reason", "Age", "From", "Message"));
        for (JsonNode each : events.subList(Math.max(0, events.size() - MAX_EVENTS), events.size())) {
            int count = each.path("count").asInt(1);
            rows.add(List.of(
                    text(each.path("type")),
                    text(each.path("reason")),
                    AgeFormat.since(lastTime(each), now) + (count > 1 ? " (x" + count + ")" : ""),
                    text(
                            each.has("reportingComponent")
                                    ? each.path("reportingComponent")
                                    : each.at("/source/component")),
                    text(each.path("message"))));
        }
        out.table("Events:", rows);
    }

    private static String lastTime(JsonNode event) {
        for (String field : List.of("lastTimestamp", "eventTime", "firstTimestamp")) {
            if (!event.path(field).asText("").isEmpty() && !event.path(field).isNull()) {
                return event.path(field).asText();
            }
        }
        return event.at("/metadata/creationTimestamp").asText();
    }
}
