package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Violations;
import java.util.List;
import java.util.Set;

/** The source of a volume that is being checked: where it stands, and where to say what is wrong with it. One check, one thread. */
record VolumeSource(JsonNode node, String path, String volume, Violations violations) {

    String text(String field) {
        return Fields.text(node, field);
    }

    JsonNode get(String field) {
        return Fields.get(node, field);
    }

    boolean has(String field) {
        return Fields.has(node, field);
    }

    String at(String field) {
        return path + '.' + field;
    }

    /** Texts and lists that must be there and not be empty. */
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
        violations.invalid(at(field), Fields.shown(get(field)), detail);
    }

    void invalid(String field, List<String> problems) {
        LabelRules.invalid(at(field), text(field), problems, violations);
    }

    /** A whole number between two; nothing is 0. */
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

    /** A path without steps upwards. */
    void noBacksteps(String field) {
        for (String part : text(field).split("/", -1)) {
            if (part.equals("..")) {
                invalid(field, "must not contain '..'");
                return;
            }
        }
    }

    /** If a secret is named, then by its name and, where that is asked for, its namespace. */
    void secretNamed(String field, String... parts) {
        if (has(field)) {
            for (String part : parts) {
                if (Fields.text(get(field), part).isEmpty()) {
                    violations.required(at(field) + '.' + part, "");
                }
            }
        }
    }
}
