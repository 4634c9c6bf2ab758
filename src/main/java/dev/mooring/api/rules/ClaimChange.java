package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import java.util.HashSet;
import java.util.Set;

/**
 * Validates a change of a claim's spec, which is immutable, except that
 *
 * <ul>
 *   <li>a volume may be set where none was;
 *   <li>a class may be set where none was: the default class, assigned later, or that of the old annotation;
 *   <li>a bound claim may change its size and the attributes of its volume.
 * </ul>
 *
 * <p>Does not modify its arguments; not thread-safe.
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
        this.spec = JsonFields.get(next, "spec");
        this.was = JsonFields.get(before, "spec");
        this.annotation = JsonFields.get(JsonFields.get(next, "metadata", "annotations"), CLASS_ANNOTATION);
        this.annotationBefore = JsonFields.get(JsonFields.get(before, "metadata", "annotations"), CLASS_ANNOTATION);
        this.before = before;
        this.bound = JsonFields.text(next, "status", "phase").equals("Bound");
    }

    Quantity size() {
        return size(JsonFields.get(spec, "resources", "requests"));
    }

    Quantity sizeBefore() {
        return size(JsonFields.get(was, "resources", "requests"));
    }

    Quantity capacityBefore() {
        return size(JsonFields.get(before, "status", "capacity"));
    }

    private static Quantity size(JsonNode resources) {
        return QuantityRules.parse(JsonFields.get(resources, "storage"));
    }

    boolean isAllowed() {
        Set<String> fields = new HashSet<>();
        spec.fieldNames().forEachRemaining(fields::add);
        was.fieldNames().forEachRemaining(fields::add);
        return fields.stream().allMatch(this::isAllowed);
    }

    private boolean isAllowed(String field) {
        return switch (field) {
            case "volumeName" -> JsonFields.text(was, field).isEmpty() || unchanged(field);
            case "storageClassName" -> sameClass() || classGivenLater();
            case "resources" -> sameResources();
            case "volumeAttributesClassName" -> (bound && JsonFields.has(spec, field)) || unchanged(field);
            default -> unchanged(field);
        };
    }

    private boolean unchanged(String field) {
        return JsonFields.same(JsonFields.get(spec, field), JsonFields.get(was, field));
    }

    /** Returns whether the class is unchanged. An empty name differs from a missing one: it requests no class. */
    private boolean sameClass() {
        return JsonFields.get(spec, "storageClassName").equals(JsonFields.get(was, "storageClassName"));
    }

    private boolean classGivenLater() {
        return JsonFields.has(spec, "storageClassName")
                && !JsonFields.has(was, "storageClassName")
                && (annotationBefore.isMissingNode() || annotationBefore.equals(spec.get("storageClassName")));
    }

    private boolean sameResources() {
        JsonNode now = JsonFields.get(spec, "resources");
        JsonNode then = JsonFields.get(was, "resources");
        if (!QuantityRules.same(JsonFields.get(now, "limits"), JsonFields.get(then, "limits"))) {
            return false;
        }
        if (bound && JsonFields.has(now, "requests")) {
            return sameBesidesStorage(JsonFields.get(now, "requests"), JsonFields.get(then, "requests"))
                    && sameBesidesStorage(JsonFields.get(then, "requests"), JsonFields.get(now, "requests"));
        }
        return QuantityRules.same(JsonFields.get(now, "requests"), JsonFields.get(then, "requests"));
    }

    private static boolean sameBesidesStorage(JsonNode one, JsonNode other) {
        for (var each : one.properties()) {
            String name = each.getKey();
            if (!name.equals("storage")
                    && !(other.has(name)
                            && QuantityRules.parse(each.getValue()).equals(QuantityRules.parse(other.get(name))))) {
                return false;
            }
        }
        return true;
    }

    /** Requires that the old class annotation stays, unless the field replaces it. */
    void classAnnotationKept(Violations violations) {
        boolean movedToField = !annotationBefore.isMissingNode()
                && classGivenLater()
                && (annotation.isMissingNode() || annotation.equals(annotationBefore));
        if (!movedToField && !annotation.equals(annotationBefore)) {
            violations.invalid("metadata.annotations." + CLASS_ANNOTATION, annotation.asText(""), "field is immutable");
        }
    }
}
