package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;

/** The volume source under validation, with its path and the collected errors. Not thread-safe. */
record CheckedVolumeSource(JsonNode node, String path, String volume, Violations violations) {

    String text(String field) {
        return JsonFields.text(node, field);
    }

    JsonNode get(String field) {
        return JsonFields.get(node, field);
    }

    boolean has(String field) {
        return JsonFields.has(node, field);
    }

    String at(String field) {
        return path + '.' + field;
    }

    /** Requires non-empty strings or lists. */
    void require(String... fields) {
        for (String field : fields) {
            JsonNode value = get(field);
            if (value.isMissingNode()
                    || (value.isContainerNode() && value.isEmpty())
                    || (value.isTextual() && value.textValue().isEmpty())) {
                violations.required(at(field), "");
            }
        }
    }

    void invalid(String field, String detail) {
        violations.invalid(at(field), JsonFields.valueOrNull(get(field)), detail);
    }

    void invalid(String field, List<String> problems) {
        LabelRules.invalid(at(field), text(field), problems, violations);
    }

    /** Requires an integer in a range; a missing one is 0. */
    void between(String field, int least, int most, String detail) {
        long value = get(field).asLong(0);
        if (value < least || value > most) {
            invalid(field, detail);
        }
    }

    void oneOf(String field, Set<String> supported) {
        if (has(field) && !supported.contains(text(field))) {
            violations.notSupported(at(field), text(field), supported);
        }
    }

    /** Requires a path without {@code ..}. */
    void noBacksteps(String field) {
        for (String part : text(field).split("/", -1)) {
            if (part.equals("..")) {
                invalid(field, "must not contain '..'");
                return;
            }
        }
    }

    /** Requires the given fields of a secret reference, if there is one. */
    void secretNamed(String field, String... parts) {
        if (has(field)) {
            for (String part : parts) {
                if (JsonFields.text(get(field), part).isEmpty()) {
                    violations.required(at(field) + '.' + part, "");
                }
            }
        }
    }
}
