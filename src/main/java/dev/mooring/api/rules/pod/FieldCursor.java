package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.api.rules.Violations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A value in an object with its path and the collected errors. The path is only formatted for an error, so that valid
 * objects cost almost nothing. A missing value, {@code null} or one of another type reads as Go's zero value. Immutable
 * except for the errors it adds; not thread-safe.
 */
final class FieldCursor {
    private static final int NO_INDEX = -1;

    private final FieldCursor parent;
    private final String step;
    private final int index;
    private final JsonNode value;
    private final Violations violations;

    private FieldCursor(FieldCursor parent, String step, int index, JsonNode value, Violations violations) {
        this.parent = parent;
        this.step = step;
        this.index = index;
        this.value = value == null || value.isNull() ? MissingNode.getInstance() : value;
        this.violations = violations;
    }

    /** Returns a cursor at the whole object. */
    static FieldCursor root(JsonNode object, Violations violations) {
        return new FieldCursor(null, "", NO_INDEX, object, violations);
    }

    FieldCursor at(String field) {
        return new FieldCursor(this, field, NO_INDEX, value.get(field), violations);
    }

    /** Returns the entry of a map, whose path has brackets: {@code limits[cpu]}. */
    FieldCursor key(String key) {
        return new FieldCursor(this, '[' + key + ']', NO_INDEX, value.get(key), violations);
    }

    FieldCursor at(int element) {
        return new FieldCursor(this, "", element, value.get(element), violations);
    }

    /** Returns the same value with another path, for the few fields that Kubernetes reports under a different path. */
    FieldCursor reportedAt(FieldCursor elsewhere) {
        return new FieldCursor(elsewhere.parent, elsewhere.step, elsewhere.index, value, violations);
    }

    /** Returns a field next to this one. */
    FieldCursor sibling(String field) {
        return parent.at(field);
    }

    List<FieldCursor> each(String field) {
        return at(field).each();
    }

    List<FieldCursor> each() {
        if (!value.isArray() || value.isEmpty()) {
            return List.of();
        }
        List<FieldCursor> all = new ArrayList<>(value.size());
        for (int i = 0; i < value.size(); i++) {
            all.add(at(i));
        }
        return all;
    }

    /** Returns the entries of a map. */
    List<FieldCursor> entries() {
        if (!value.isObject() || value.isEmpty()) {
            return List.of();
        }
        List<FieldCursor> all = new ArrayList<>(value.size());
        value.properties().forEach(entry -> all.add(key(entry.getKey())));
        return all;
    }

    /** Returns the key of a cursor created by {@link #key}. */
    String name() {
        return step.isEmpty() || step.charAt(0) != '[' ? step : step.substring(1, step.length() - 1);
    }

    JsonNode value() {
        return value;
    }

    boolean present() {
        return !value.isMissingNode();
    }

    boolean has(String field) {
        return value.hasNonNull(field);
    }

    String text() {
        return value.isTextual() ? value.textValue() : "";
    }

    String text(String field) {
        JsonNode child = value.get(field);
        return child != null && child.isTextual() ? child.textValue() : "";
    }

    /** Returns the integer, or 0. */
    long number() {
        return value.isNumber() ? value.longValue() : 0;
    }

    long number(String field) {
        JsonNode child = value.get(field);
        return child != null && child.isNumber() ? child.longValue() : 0;
    }

    boolean flag(String field) {
        JsonNode child = value.get(field);
        return child != null && child.booleanValue();
    }

    /** Returns the number of elements or entries in the field. */
    int size(String field) {
        JsonNode child = value.get(field);
        return child == null ? 0 : child.size();
    }

    void required() {
        required("");
    }

    void required(String detail) {
        violations.required(path(), detail);
    }

    /** Adds an error for this value. */
    void invalid(String detail) {
        violations.invalid(path(), value, detail);
    }

    void invalid(String shown, String detail) {
        violations.invalid(path(), shown, detail);
    }

    void invalid(JsonNode shown, String detail) {
        violations.invalid(path(), shown, detail);
    }

    void forbidden(String detail) {
        violations.forbidden(path(), detail);
    }

    void notSupported(Collection<String> supported) {
        notSupported(text(), supported);
    }

    void notSupported(String shown, Collection<String> supported) {
        violations.notSupported(path(), shown, supported);
    }

    void duplicate(JsonNode shown) {
        violations.duplicate(path(), shown);
    }

    void duplicate() {
        violations.duplicate(path(), value);
    }

    void notFound() {
        violations.notFound(path(), text());
    }

    void tooLong(int maxBytes) {
        violations.tooLong(path(), maxBytes);
    }

    /** Returns the number of errors so far, in the whole object. */
    int violationCount() {
        return violations.isEmpty() ? 0 : violations.all().size();
    }

    Violations violations() {
        return violations;
    }

    String path() {
        StringBuilder path = new StringBuilder(64);
        write(path);
        return path.toString();
    }

    private void write(StringBuilder path) {
        if (parent == null) {
            return;
        }
        parent.write(path);
        if (index != NO_INDEX) {
            path.append('[').append(index).append(']');
        } else {
            if (!path.isEmpty() && step.charAt(0) != '[') {
                path.append('.');
            }
            path.append(step);
        }
    }

    @Override
    public String toString() {
        return path() + ": " + value;
    }
}
