package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The validation errors of an object: collected instead of thrown, so that a user sees all of them at once. Messages
 * are Kubernetes' own, since people search for them. Paths are written as {@code spec.containers[0].name}, map keys as
 * {@code metadata.labels[a/b]}.
 */
public final class Violations {
    /**
     * @param reason as in a Status cause: {@code FieldValueInvalid}
     * @param message without the field: {@code Invalid value: "x": must be …}
     */
    public record Violation(String reason, String field, String message) {
        @Override
        public String toString() {
            return field + ": " + message;
        }
    }

    private final List<Violation> found = new ArrayList<>();

    public boolean isEmpty() {
        return found.isEmpty();
    }

    public List<Violation> all() {
        return List.copyOf(found);
    }

    public void required(String field, String detail) {
        add("FieldValueRequired", field, "Required value", detail);
    }

    public void invalid(String field, String value, String detail) {
        invalid(field, TextNode.valueOf(value), detail);
    }

    public void invalid(String field, JsonNode value, String detail) {
        add("FieldValueInvalid", field, "Invalid value: " + shown(value), detail);
    }

    /** Adds an error for a value of the wrong type. */
    public void typeInvalid(String field, JsonNode value, String detail) {
        add("FieldValueTypeInvalid", field, "Invalid value: " + shown(value), detail);
    }

    /** @param supported a List in display order, or a Set, which is sorted */
    public void notSupported(String field, String value, Collection<String> supported) {
        Stream<String> ordered = supported instanceof List
                ? supported.stream()
                : supported.stream().sorted();
        String list = ordered.map(each -> '"' + each + '"').collect(Collectors.joining(", ", "supported values: ", ""));
        add("FieldValueNotSupported", field, "Unsupported value: " + shown(TextNode.valueOf(value)), list);
    }

    public void forbidden(String field, String detail) {
        add("FieldValueForbidden", field, "Forbidden", detail);
    }

    public void duplicate(String field, JsonNode value) {
        add("FieldValueDuplicate", field, "Duplicate value: " + shown(value), "");
    }

    public void notFound(String field, String value) {
        add("FieldValueNotFound", field, "Not found: " + shown(TextNode.valueOf(value)), "");
    }

    public void tooLong(String field, int maxBytes) {
        add("FieldValueTooLong", field, "Too long", "may not be more than " + maxBytes + " bytes");
    }

    public void tooMany(String field, int actual, int max) {
        add("FieldValueTooMany", field, "Too many: " + actual, "must have at most " + max + " items");
    }

    /** Joins the errors as Kubernetes does: one alone, several in brackets. */
    public String text() {
        String joined = found.stream().map(Violation::toString).collect(Collectors.joining(", "));
        return found.size() == 1 ? joined : '[' + joined + ']';
    }

    private void add(String reason, String field, String what, String detail) {
        found.add(new Violation(reason, field, detail.isEmpty() ? what : what + ": " + detail));
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "null" : value.toString();
    }

    @Override
    public String toString() {
        return text();
    }
}
