package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A way to fields of an object, as {@code volumes[].hostPath.path}: {@code []} stands for each element of a list, {@code {}} for each entry of
 * a map. Finds whatever is there and not {@code null}; what is of another type than the way expects is not there. Immutable.
 */
final class FieldWay {
    private static final String ELEMENTS = "[]";
    private static final String ENTRIES = "{}";

    /** What was found. */
    interface Visitor {
        /**
         * @param field such as {@code spec.volumes[2].hostPath.path} or {@code limits[cpu]}
         * @param name the last part of it: a field's name or an entry's key
         */
        void found(String field, String name, JsonNode value);
    }

    private final List<String> steps;

    private FieldWay(List<String> steps) {
        this.steps = steps;
    }

    static FieldWay of(String text) {
        return new FieldWay(List.of(text.split("\\.", -1)));
    }

    void visit(String at, JsonNode start, Visitor visitor) {
        visit(at, start, 0, visitor);
    }

    private void visit(String at, JsonNode start, int depth, Visitor visitor) {
        String step = steps.get(depth);
        boolean each = step.endsWith(ELEMENTS) || step.endsWith(ENTRIES);
        String name = each ? step.substring(0, step.length() - 2) : step;
        JsonNode value = start.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return;
        }
        String field = at + '.' + name;
        if (!each) {
            arrive(field, name, value, depth, visitor);
        } else if (step.endsWith(ELEMENTS) && value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                arrive(field + '[' + i + ']', name, value.get(i), depth, visitor);
            }
        } else if (step.endsWith(ENTRIES) && value.isObject()) {
            value.properties()
                    .forEach(entry -> arrive(
                            field + '[' + entry.getKey() + ']', entry.getKey(), entry.getValue(), depth, visitor));
        }
    }

    private void arrive(String field, String name, JsonNode value, int depth, Visitor visitor) {
        if (depth == steps.size() - 1) {
            visitor.found(field, name, value);
        } else {
            visit(field, value, depth + 1, visitor);
        }
    }
}
