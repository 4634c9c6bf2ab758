package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.QuantityRules;
import java.util.Set;

/**
 * Compares parts of a Pod's {@code spec}. Kubernetes does not store zero values, so an absent field equals
 * {@code false}, 0, an empty string or an empty list, unless the field distinguishes them. Quantities are compared as
 * numbers. Stateless.
 */
final class SpecEquality {
    /** Fields in which {@code false}, 0 and an empty string differ from absent. */
    private static final Set<String> ZERO_COUNTS = Set.of(
            "activeDeadlineSeconds",
            "allowPrivilegeEscalation",
            "automountServiceAccountToken",
            "defaultMode",
            "enableServiceLinks",
            "fsGroup",
            "hostProcess",
            "hostUsers",
            "mode",
            "optional",
            "priority",
            "privileged",
            "readOnlyRootFilesystem",
            "runAsGroup",
            "runAsNonRoot",
            "runAsUser",
            "setHostnameAsFQDN",
            "shareProcessNamespace",
            "storageClassName",
            "terminationGracePeriodSeconds",
            "tolerationSeconds");

    private static final Set<String> QUANTITIES = Set.of("limits", "requests", "overhead");
    private static final Set<String> MAPS =
            Set.of("annotations", "labels", "matchLabels", "nodeSelector", "options", "volumeAttributes");
    private static final Set<String> QUANTITY = Set.of("sizeLimit", "divisor");
    private static final Set<String> NEVER_MISSING = Set.of("resources", "metadata");

    private SpecEquality() {}

    /** @param field that holds the values, which decides whether zero values count */
    static boolean same(String field, JsonNode one, JsonNode other) {
        boolean noOne = isNothing(field, one);
        boolean noOther = isNothing(field, other);
        if (noOne || noOther) {
            return noOne && noOther;
        }
        if (one.isObject() && other.isObject()) {
            if (QUANTITIES.contains(field)) {
                return QuantityRules.same(one, other);
            }
            return MAPS.contains(field) ? one.equals(other) : sameFields(one, other) && sameFields(other, one);
        }
        if (one.isArray() && other.isArray()) {
            return sameElements(one, other);
        }
        if (QUANTITY.contains(field)) {
            return QuantityRules.parse(one).equals(QuantityRules.parse(other));
        }
        boolean numbers = one.isNumber() && other.isNumber();
        return numbers ? one.longValue() == other.longValue() : one.equals(other);
    }

    private static boolean sameFields(JsonNode one, JsonNode other) {
        for (var field : one.properties()) {
            if (!same(field.getKey(), field.getValue(), JsonFields.get(other, field.getKey()))) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameElements(JsonNode one, JsonNode other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (int i = 0; i < one.size(); i++) {
            JsonNode left = one.get(i);
            JsonNode right = other.get(i);
            // An empty element still counts.
            boolean objects = left.isObject() && right.isObject();
            boolean same = objects ? sameFields(left, right) && sameFields(right, left) : left.equals(right);
            if (!same) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNothing(String field, JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return true;
        }
        if (value.isArray()) {
            return value.isEmpty();
        }
        if (value.isObject()) {
            return value.isEmpty()
                    && (MAPS.contains(field) || QUANTITIES.contains(field) || NEVER_MISSING.contains(field));
        }
        if (ZERO_COUNTS.contains(field)) {
            return false;
        }
        if (QUANTITY.contains(field)) {
            return field.equals("divisor") && Quantities.isZero(value);
        }
        return (value.isTextual() && value.textValue().isEmpty())
                || (value.isBoolean() && !value.booleanValue())
                || (value.isNumber() && value.longValue() == 0);
    }
}
