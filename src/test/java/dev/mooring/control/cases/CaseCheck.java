package dev.mooring.control.cases;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Compares a case's final state with the expected one; ignores times, versions and the wording of messages. */
public final class CaseCheck {
    /** Finds objects of the final state by kind and name. */
    public interface FinalState {
        Optional<ObjectNode> find(String kind, String name);
    }

    private final CaseRow row;
    private final CaseObjects objects;
    private final FinalState finalState;
    private final List<String> differences = new ArrayList<>();

    private CaseCheck(CaseRow row, CaseObjects objects, FinalState finalState) {
        this.row = row;
        this.objects = objects;
        this.finalState = finalState;
    }

    /**
     * Returns the differences from the expected state.
     *
     * @param before each object of the case as it was created
     * @param events type, reason and name of each Event
     */
    public static List<String> differences(
            CaseRow row,
            CaseObjects objects,
            Map<CaseLine, ObjectNode> before,
            FinalState finalState,
            Set<String> events) {
        CaseCheck check = new CaseCheck(row, objects, finalState);
        before.forEach(check::compare);
        row.created().forEach(check::compareCreated);
        if (!events.equals(row.events())) {
            check.differences.add("events " + new TreeSet<>(events) + " instead of " + new TreeSet<>(row.events()));
        }
        return check.differences;
    }

    private void compare(CaseLine line, ObjectNode before) {
        if (line.after().isEmpty() || line.afterIs("any")) {
            return;
        }
        Optional<ObjectNode> found = finalState.find(line.kind().orElseThrow(), line.name());
        if (line.afterIs("gone")) {
            found.ifPresent(each -> differ(line, "still exists: " + each));
        } else if (found.isEmpty()) {
            differ(line, "does not exist");
        } else if (line.afterIs("same")) {
            if (!version(before).equals(version(found.get()))) {
                differ(
                        line,
                        "written; " + difference(normal(before), normal(found.get())) + " "
                                + found.get().path("status"));
            }
        } else {
            ObjectNode expected = before.deepCopy();
            objects.change(expected, line.after().get());
            if (!normal(expected).equals(normal(found.get()))) {
                differ(line, difference(normal(expected), normal(found.get())));
            }
            checkMessages(line, found.get());
        }
    }

    private void compareCreated(CaseLine line) {
        String name = objects.named(line.name());
        Optional<ObjectNode> found = finalState.find(line.kind().orElseThrow(), name);
        if (found.isEmpty()) {
            differ(line, "not created");
            return;
        }
        ObjectNode expected = objects.of(line);
        ObjectNode created = found.get();
        for (String field : List.of("capacity", "accessModes", "persistentVolumeReclaimPolicy", "storageClassName")) {
            compareCreated(
                    line,
                    field,
                    expected.path("spec").path(field),
                    created.path("spec").path(field));
        }
        compareCreated(
                line,
                "phase",
                expected.path("status").path("phase"),
                created.path("status").path("phase"));
        compareCreated(
                line,
                "claimRef",
                normal(expected).path("spec").path("claimRef"),
                normal(created).path("spec").path("claimRef"));
        compareCreated(
                line,
                "finalizers",
                normal(expected).path("metadata").path("finalizers"),
                normal(created).path("metadata").path("finalizers"));
        for (Map.Entry<String, JsonNode> each :
                expected.path("metadata").path("annotations").properties()) {
            if (!each.getKey().startsWith("example.com")) {
                compareCreated(
                        line,
                        each.getKey(),
                        each.getValue(),
                        created.path("metadata").path("annotations").path(each.getKey()));
            }
        }
        String path = CaseLine.value(line.words(), "path").orElse("");
        String createdPath = created.path("spec").path("hostPath").path("path").asText();
        if (!createdPath.endsWith(path)) {
            differ(line, "path " + createdPath);
        }
    }

    private void compareCreated(CaseLine line, String field, JsonNode expected, JsonNode found) {
        if (!expected.equals(found)) {
            differ(line, field + " " + expected + " ≠ " + found);
        }
    }

    /** Checks that pending, terminating, released and failed objects have a message, and that others have none. */
    private void checkMessages(CaseLine line, ObjectNode found) {
        String phase = found.path("status").path("phase").asText();
        boolean deleting = found.path("metadata").has("deletionTimestamp");
        if (line.verb().equals("pvc")) {
            String waits = Conditions.find(found, "Bound")
                    .filter(each -> !each.path("status").asText().equals("True"))
                    .map(each -> each.path("message").asText())
                    .orElse("");
            if (waits.isEmpty() != phase.equals("Bound") && !deleting) {
                differ(line, phase + ", and its condition Bound says \"" + waits + '"');
            }
            if (deleting && Conditions.find(found, "Terminating").isEmpty()) {
                differ(line, "being deleted, but has no condition Terminating");
            }
        } else if (line.verb().equals("pv")) {
            String message = found.path("status").path("message").asText("");
            boolean needsMessage = deleting || phase.equals("Released") || phase.equals("Failed");
            if (message.isEmpty() == needsMessage) {
                differ(line, phase + ", and its message is \"" + message + '"');
            }
            String part = CaseLine.value(line.after().orElseThrow(), "says").orElse("");
            if (!message.contains(part)) {
                differ(line, "says \"" + message + "\" instead of \"" + part + '"');
            }
        }
    }

    private void differ(CaseLine line, String how) {
        differences.add(row.id() + " " + line.verb() + " " + line.name() + ": " + how);
    }

    private static String version(ObjectNode object) {
        return object.path("metadata").path("resourceVersion").asText();
    }

    /** Returns the object without the fields that are compared separately or not at all. */
    private static ObjectNode normal(ObjectNode object) {
        ObjectNode normal = object.deepCopy();
        ObjectNode metadata = normal.withObject("/metadata");
        metadata.remove(List.of("resourceVersion", "generation", "managedFields"));
        if (metadata.get("finalizers") instanceof ArrayNode finalizers) {
            TreeSet<String> sorted = new TreeSet<>();
            finalizers.forEach(each -> sorted.add(each.asText()));
            finalizers.removeAll();
            sorted.forEach(finalizers::add);
        }
        if (normal.path("spec").get("claimRef") instanceof ObjectNode reference) {
            reference.remove("resourceVersion");
        }
        if (normal.get("status") instanceof ObjectNode status) {
            status.remove(
                    List.of("conditions", "lastPhaseTransitionTime", "reason", "message", "volumeName", "volumeUID"));
        }
        return normal;
    }

    private static String difference(JsonNode expected, JsonNode found) {
        List<String> fields = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>();
        expected.fieldNames().forEachRemaining(names::add);
        found.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            JsonNode wanted = expected.get(name);
            JsonNode actual = found.get(name);
            if (wanted != null && actual != null && wanted.isObject() && actual.isObject() && !wanted.equals(actual)) {
                fields.add(name + "." + difference(wanted, actual));
            } else if (!Objects.equals(wanted, actual)) {
                fields.add(name + " " + wanted + " ≠ " + actual);
            }
        }
        return String.join(", ", fields);
    }
}
