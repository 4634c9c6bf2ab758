package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import dev.mooring.model.Quantity;
import java.util.HashSet;
import java.util.Set;

/**
 * What becomes of a claim's spec. It may not change, except that
 *
 * <ul>
 *   <li>a volume may be named where none was;
 *   <li>a class may be named where none was: the default class, given later, or the one the old annotation names;
 *   <li>a bound claim may ask for another size and for other attributes of its volume.
 * </ul>
 *
 * <p>Only reads what it is given; one update, one thread.
 */
final class ClaimChange {
    private static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

    private final JsonNode spec;
    private final JsonNode was;
    private final JsonNode annotation;
    private final JsonNode annotationBefore;
    private final JsonNode before;
    private final boolean bound;

    ClaimChange(ObjectNode next, ObjectNode before) {
        this.spec = Fields.get(next, "spec");
        this.was = Fields.get(before, "spec");
        this.annotation = Fields.get(Fields.get(next, "metadata", "annotations"), CLASS_ANNOTATION);
        this.annotationBefore = Fields.get(Fields.get(before, "metadata", "annotations"), CLASS_ANNOTATION);
        this.before = before;
        this.bound = Fields.text(next, "status", "phase").equals("Bound");
    }

    Quantity size() {
        return size(Fields.get(spec, "resources", "requests"));
    }

    Quantity sizeBefore() {
        return size(Fields.get(was, "resources", "requests"));
    }

    Quantity capacityBefore() {
        return size(Fields.get(before, "status", "capacity"));
    }

    private static Quantity size(JsonNode resources) {
        return QuantityRules.read(Fields.get(resources, "storage"));
    }

    boolean isAllowed() {
        Set<String> fields = new HashSet<>();
        spec.fieldNames().forEachRemaining(fields::add);
        was.fieldNames().forEachRemaining(fields::add);
        return fields.stream().allMatch(this::isAllowed);
    }

    private boolean isAllowed(String field) {
        return switch (field) {
            case "volumeName" -> Fields.text(was, field).isEmpty() || unchanged(field);
            case "storageClassName" -> sameClass() || classGivenLater();
            case "resources" -> sameResources();
            case "volumeAttributesClassName" -> (bound && Fields.has(spec, field)) || unchanged(field);
            default -> unchanged(field);
        };
    }

    private boolean unchanged(String field) {
        return Fields.same(Fields.get(spec, field), Fields.get(was, field));
    }

    /** An empty name is not the same as none: it asks for no class at all. */
    private boolean sameClass() {
        return Fields.get(spec, "storageClassName").equals(Fields.get(was, "storageClassName"));
    }

    private boolean classGivenLater() {
        return Fields.has(spec, "storageClassName")
                && !Fields.has(was, "storageClassName")
                && (annotationBefore.isMissingNode() || annotationBefore.equals(spec.get("storageClassName")));
    }

    private boolean sameResources() {
        JsonNode now = Fields.get(spec, "resources");
        JsonNode then = Fields.get(was, "resources");
        if (!QuantityRules.same(Fields.get(now, "limits"), Fields.get(then, "limits"))) {
            return false;
        }
        if (bound && Fields.has(now, "requests")) {
            return sameBesidesStorage(Fields.get(now, "requests"), Fields.get(then, "requests"))
                    && sameBesidesStorage(Fields.get(then, "requests"), Fields.get(now, "requests"));
        }
        return QuantityRules.same(Fields.get(now, "requests"), Fields.get(then, "requests"));
    }

    private static boolean sameBesidesStorage(JsonNode one, JsonNode other) {
        for (var each : one.properties()) {
            String name = each.getKey();
            if (!name.equals("storage")
                    && !(other.has(name)
                            && QuantityRules.read(each.getValue()).equals(QuantityRules.read(other.get(name))))) {
                return false;
            }
        }
        return true;
    }

    /** The annotation that named the class before there was a field for it may go only when the field takes its place. */
    void classAnnotationKept(Violations violations) {
        boolean movedToField = !annotationBefore.isMissingNode()
                && classGivenLater()
                && (annotation.isMissingNode() || annotation.equals(annotationBefore));
        if (!movedToField && !annotation.equals(annotationBefore)) {
            violations.invalid("metadata.annotations." + CLASS_ANNOTATION, annotation.asText(""), "field is immutable");
        }
    }
}
