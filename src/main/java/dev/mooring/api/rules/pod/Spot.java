package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.api.kind.Violations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A value in an object, together with the way to it and the place to complain about it. The path is only spelled out for a complaint,
 * so that looking at a sound object costs next to nothing. What is missing, {@code null} or of another type reads as Go's zero value.
 * Immutable but for the violations it adds to; one thread.
 */
final class Spot {
    private static final int NO_INDEX = -1;

    private final Spot parent;
    private final String step;
    private final int index;
    private final JsonNode value;
    private final Violations violations;

    private Spot(Spot parent, String step, int index, JsonNode value, Violations violations) {
        this.parent = parent;
        this.step = step;
        this.index = index;
        this.value = value == null || value.isNull() ? MissingNode.getInstance() : value;
        this.violations = violations;
    }

    /** The whole object. */
    static Spot root(JsonNode object, Violations violations) {
        return new Spot(null, "", NO_INDEX, object, violations);
    }

    Spot at(String field) {
        return new Spot(this, field, NO_INDEX, value.get(field), violations);
    }

    /** The entry of a map, whose path is written with brackets: {@code limits[cpu]}. */
    Spot key(String key) {
        return new Spot(this, '[' + key + ']', NO_INDEX, value.get(key), violations);
    }

    Spot at(int element) {
        return new Spot(this, "", element, value.get(element), violations);
    }

    /** The same value under another path, for the few places where Kubernetes reports one elsewhere than it stands. */
    Spot reportedAt(Spot elsewhere) {
        return new Spot(elsewhere.parent, elsewhere.step, elsewhere.index, value, violations);
    }

    /** A field next to this one. */
    Spot sibling(String field) {
        return parent.at(field);
    }

    List<Spot> each(String field) {
        return at(field).each();
    }

    List<Spot> each() {
        if (!value.isArray() || value.isEmpty()) {
            return List.of();
        }
        List<Spot> all = new ArrayList<>(value.size());
        for (int i = 0; i < value.size(); i++) {
            all.add(at(i));
        }
        return all;
    }

    /** The entries of a map. */
    List<Spot> entries() {
        if (!value.isObject() || value.isEmpty()) {
            return List.of();
        }
        List<Spot> all = new ArrayList<>(value.size());
        value.properties().forEach(entry -> all.add(key(entry.getKey())));
        return all;
    }

    /** The key of a spot made by {@link #key}. */
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

    /** A whole number; else 0. */
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

    /** Elements or entries below the field. */
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

    /** Says that this value is wrong. */
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

    /** How many complaints there are so far, about whatever part of the object. */
    int complaints() {
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
