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

/** Compares what has become of a case with what it says. Objects are compared whole, but for times, versions and words. */
public final class CaseCheck {
    /** Where to find an object by kind and name, as it is in the end. */
    public interface Ending {
        Optional<ObjectNode> find(String kind, String name);
    }

    private final CaseRow row;
    private final CaseObjects objects;
    private final Ending ending;
    private final List<String> differences = new ArrayList<>();

    private CaseCheck(CaseRow row, CaseObjects objects, Ending ending) {
        this.row = row;
        this.objects = objects;
        this.ending = ending;
    }

    /**
     * What is not as the case says.
     *
     * @param before each object of the case as it was laid down
     * @param told type, reason and name of each Event
     */
    public static List<String> differences(
            CaseRow row, CaseObjects objects, Map<CaseLine, ObjectNode> before, Ending ending, Set<String> told) {
        CaseCheck check = new CaseCheck(row, objects, ending);
        before.forEach(check::compare);
        row.made().forEach(check::compareMade);
        if (!told.equals(row.told())) {
            check.differences.add("told " + new TreeSet<>(told) + " instead of " + new TreeSet<>(row.told()));
        }
        return check.differences;
    }

    private void compare(CaseLine line, ObjectNode before) {
        if (line.after().isEmpty() || line.afterIs("any")) {
            return;
        }
        Optional<ObjectNode> found = ending.find(line.kind().orElseThrow(), line.name());
        if (line.afterIs("gone")) {
            found.ifPresent(each -> differ(line, "still there: " + each));
        } else if (found.isEmpty()) {
            differ(line, "gone");
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
            checkWords(line, found.get());
        }
    }

    private void compareMade(CaseLine line) {
        String name = objects.named(line.name());
        Optional<ObjectNode> found = ending.find(line.kind().orElseThrow(), name);
        if (found.isEmpty()) {
            differ(line, "not made");
            return;
        }
        ObjectNode expected = objects.of(line);
        ObjectNode made = found.get();
        for (String field : List.of("capacity", "accessModes", "persistentVolumeReclaimPolicy", "storageClassName")) {
            compareMade(
                    line,
                    field,
                    expected.path("spec").path(field),
                    made.path("spec").path(field));
        }
        compareMade(
                line,
                "phase",
                expected.path("status").path("phase"),
                made.path("status").path("phase"));
        compareMade(
                line,
                "claimRef",
                normal(expected).path("spec").path("claimRef"),
                normal(made).path("spec").path("claimRef"));
        compareMade(
                line,
                "finalizers",
                normal(expected).path("metadata").path("finalizers"),
                normal(made).path("metadata").path("finalizers"));
        for (Map.Entry<String, JsonNode> each :
                expected.path("metadata").path("annotations").properties()) {
            if (!each.getKey().startsWith("example.com")) {
                compareMade(
                        line,
                        each.getKey(),
                        each.getValue(),
                        made.path("metadata").path("annotations").path(each.getKey()));
            }
        }
        String path = CaseLine.value(line.words(), "path").orElse("");
        String madePath = made.path("spec").path("hostPath").path("path").asText();
        if (!madePath.endsWith(path)) {
            differ(line, "path " + madePath);
        }
    }

    private void compareMade(CaseLine line, String field, JsonNode expected, JsonNode found) {
        if (!expected.equals(found)) {
            differ(line, field + " " + expected + " ≠ " + found);
        }
    }

    /** Who waits, is kept, was let go or has failed says why; who is well does not. */
    private void checkWords(CaseLine line, ObjectNode found) {
        String phase = found.path("status").path("phase").asText();
        boolean deleting = found.path("metadata").has("deletionTimestamp");
        if (line.verb().equals("pvc")) {
            String waits = Conditions.find(found, "Bound")
                    .map(each -> each.path("message").asText())
                    .orElse("");
            if (waits.isEmpty() != phase.equals("Bound") && !deleting) {
                differ(line, phase + ", and its condition Bound says \"" + waits + '"');
            }
            if (deleting && Conditions.find(found, "Terminating").isEmpty()) {
                differ(line, "being deleted, and no condition says why it is still there");
            }
        } else if (line.verb().equals("pv")) {
            String message = found.path("status").path("message").asText("");
            boolean speaks = deleting || phase.equals("Released") || phase.equals("Failed");
            if (message.isEmpty() == speaks) {
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

    /** The object without what is compared otherwise or not at all. */
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
            JsonNode has = expected.get(name);
            JsonNode got = found.get(name);
            if (has != null && got != null && has.isObject() && got.isObject() && !has.equals(got)) {
                fields.add(name + "." + difference(has, got));
            } else if (!Objects.equals(has, got)) {
                fields.add(name + " " + has + " ≠ " + got);
            }
        }
        return String.join(", ", fields);
    }
}
