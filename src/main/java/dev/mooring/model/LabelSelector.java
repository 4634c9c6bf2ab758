package dev.mooring.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.LabelRequirement.Operator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A label selector; all requirements must match. Immutable.
 *
 * <p>It has two forms: text in a query ({@link #parse}), and {@code matchLabels} and {@code matchExpressions} in an
 * object ({@link #ofObject}).
 */
public final class LabelSelector {
    private static final LabelSelector EVERYTHING = new LabelSelector(List.of());

    private final List<LabelRequirement> requirements;

    private LabelSelector(List<LabelRequirement> requirements) {
        List<LabelRequirement> sorted = new ArrayList<>(requirements);
        sorted.sort(Comparator.comparing(LabelRequirement::key));
        this.requirements = List.copyOf(sorted);
    }

    public static LabelSelector everything() {
        return EVERYTHING;
    }

    public static LabelSelector of(List<LabelRequirement> requirements) {
        return requirements.isEmpty() ? EVERYTHING : new LabelSelector(requirements);
    }

    /**
     * Parses {@code a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2}; an empty text selects everything.
     *
     * @throws SelectorException if the text is invalid
     */
    public static LabelSelector parse(String text) {
        return of(new LabelSelectorParser(text).parse());
    }

    /**
     * Parses the selector of an object, such as {@code spec.selector} of a claim. An empty one selects everything. The
     * meaning of a missing one depends on the field, so the caller must handle it.
     *
     * @throws SelectorException if it is invalid
     * @throws IllegalArgumentException if it is missing
     */
    public static LabelSelector ofObject(JsonNode selector) {
        if (!selector.isObject()) {
            throw new IllegalArgumentException("Label selector must be a JSON object, got " + selector.getNodeType());
        }
        List<LabelRequirement> requirements = new ArrayList<>();
        for (Map.Entry<String, JsonNode> label : selector.path("matchLabels").properties()) {
            requirements.add(new LabelRequirement(
                    label.getKey(), Operator.EQUALS, List.of(label.getValue().asText(""))));
        }
        for (JsonNode expression : selector.path("matchExpressions")) {
            String named = expression.path("operator").asText("");
            Operator operator = switch (named) {
                case "In" -> Operator.IN;
                case "NotIn" -> Operator.NOT_IN;
                case "Exists" -> Operator.EXISTS;
                case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
                default -> throw new SelectorException('"' + named + "\" is not a valid label selector operator");
            };
            List<String> values = new ArrayList<>();
            expression.path("values").forEach(value -> values.add(value.asText("")));
            requirements.add(new LabelRequirement(expression.path("key").asText(""), operator, values));
        }
        return of(requirements);
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    /** Returns the requirements, sorted by key. */
    public List<LabelRequirement> requirements() {
        return requirements;
    }

    public boolean matches(Map<String, String> labels) {
        for (LabelRequirement requirement : requirements) {
            if (!requirement.accepts(labels.get(requirement.key()))) {
                return false;
            }
        }
        return true;
    }

    /** @param labels {@code metadata.labels} of an object; may be missing */
    public boolean matches(JsonNode labels) {
        for (LabelRequirement requirement : requirements) {
            JsonNode label = labels.path(requirement.key());
            if (!requirement.accepts(label.isMissingNode() || label.isNull() ? null : label.asText())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabelSelector that && requirements.equals(that.requirements);
    }

    @Override
    public int hashCode() {
        return requirements.hashCode();
    }

    /** Returns the selector as Kubernetes prints it: sorted by key, with sorted values. */
    @Override
    public String toString() {
        List<String> each = new ArrayList<>();
        requirements.forEach(requirement -> each.add(requirement.toString()));
        return String.join(",", each);
    }
}
