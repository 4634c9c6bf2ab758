package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Writes a description as {@code kubectl describe} formats it: labels, values, nested fields and tables. */
final class DescriptionWriter {
    static final String NONE = "<none>";

    /** Annotation with a copy of the object, which may contain a Secret's data. */
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private final StringBuilder text = new StringBuilder();

    /** Lines whose columns are aligned with each other. */
    private final List<List<String>> lines = new ArrayList<>();

    void nested(JsonNode value, int depth) {
        value.properties().forEach(field -> value(label(field.getKey()), field.getValue(), depth));
    }

    void value(String label, JsonNode value, int depth) {
        String indented = "  ".repeat(depth) + label + ':';
        if (value.isObject() && !value.isEmpty()) {
            line(indented);
            nested(value, depth + 1);
        } else if (value.isArray() && !value.isEmpty() && value.path(0).isContainerNode()) {
            line(indented);
            for (JsonNode element : value) {
                nested(element, depth + 1);
            }
        } else {
            line(indented, text(value));
        }
    }

    /** Returns the label of a field: {@code holderIdentity} becomes {@code Holder Identity}. */
    static String label(String field) {
        if (!field.matches("[a-z][A-Za-z0-9]*")) {
            return TextColumns.clean(field);
        }
        String spaced = field.replaceAll("([a-z0-9])([A-Z])", "$1 $2");
        return spaced.substring(0, 1).toUpperCase(Locale.ROOT) + spaced.substring(1);
    }

    void names(String label, List<String> names) {
        line(label, names.isEmpty() ? NONE : names.get(0));
        names.stream().skip(1).forEach(name -> line("", name));
    }

    void map(String label, JsonNode entries, String separator) {
        List<String> shown = new ArrayList<>();
        entries.properties().forEach(entry -> {
            if (!entry.getKey().equals(LAST_APPLIED)) {
                shown.add(TextColumns.clean(entry.getKey()) + separator + text(entry.getValue()));
            }
        });
        names(label, shown);
    }

    static String reference(JsonNode to) {
        String namespace = text(to.path("namespace"));
        return namespace.isEmpty() ? text(to.path("name")) : namespace + '/' + text(to.path("name"));
    }

    static String text(JsonNode value) {
        if (value.isArray()) {
            StringJoiner list = new StringJoiner(", ", "[", "]");
            value.forEach(element -> list.add(element.isValueNode() ? element.asText() : element.toString()));
            return TextColumns.clean(list.toString());
        }
        return value.isObject() && value.isEmpty()
                ? NONE
                : TextColumns.clean(value.isObject() ? value.toString() : value.asText());
    }

    void line(String... cells) {
        lines.add(List.of(cells));
    }

    /** Writes a table with a title; its columns are independent of the lines around it. */
    void table(String title, List<List<String>> rows) {
        line(title);
        flush();
        rows.forEach(row -> {
            List<String> indented = new ArrayList<>(row);
            indented.set(0, "  " + row.get(0));
            lines.add(indented);
        });
        flush();
    }

    private void flush() {
        text.append(TextColumns.align(lines, TextColumns.DESCRIPTION));
        lines.clear();
    }

    @Override
    public String toString() {
        return text + TextColumns.align(lines, TextColumns.DESCRIPTION);
    }
}
