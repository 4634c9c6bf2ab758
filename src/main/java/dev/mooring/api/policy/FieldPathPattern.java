package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A pattern of field paths, such as {@code volumes[].hostPath.path}: {@code []} matches each element of a list,
 * {@code {}} each entry of a map. Finds all non-null values; a value of an unexpected type does not match. Immutable.
 */
final class FieldPathPattern {
    private static final String ELEMENTS = "[]";
    private static final String ENTRIES = "{}";

    /** Receives matches. */
    interface Visitor {
        /**
         * @param field such as {@code spec.volumes[2].hostPath.path} or {@code limits[cpu]}
         * @param name its last part: a field's name or an entry's key
         */
        void found(String field, String name, JsonNode value);
    }

    private final List<String> steps;

    private FieldPathPattern(List<String> steps) {
        this.steps = steps;
    }

    static FieldPathPattern of(String text) {
        return new FieldPathPattern(List.of(text.split("\\.", -1)));
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
            visitValue(field, name, value, depth, visitor);
        } else if (step.endsWith(ELEMENTS) && value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                visitValue(field + '[' + i + ']', name, value.get(i), depth, visitor);
            }
        } else if (step.endsWith(ENTRIES) && value.isObject()) {
            value.properties()
                    .forEach(entry -> visitValue(
                            field + '[' + entry.getKey() + ']', entry.getKey(), entry.getValue(), depth, visitor));
        }
    }

    private void visitValue(String field, String name, JsonNode value, int depth, Visitor visitor) {
        if (depth == steps.size() - 1) {
            visitor.found(field, name, value);
        } else {
            visit(field, value, depth + 1, visitor);
        }
    }
}
