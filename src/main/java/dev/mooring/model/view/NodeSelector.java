package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;

/**
 * A node selector: terms, one of which must match, each with requirements on labels and fields that all must match.
 * Immutable.
 */
public final class NodeSelector {
    private static final NodeSelector ANY = new NodeSelector(null);

    private final JsonNode terms;

    private NodeSelector(JsonNode terms) {
        this.terms = terms;
    }

    /** Parses a {@code NodeSelector}; a missing one matches every node. */
    public static NodeSelector required(JsonNode selector) {
        return selector.isObject() ? new NodeSelector(selector.path("nodeSelectorTerms")) : ANY;
    }

    public static NodeSelector any() {
        return ANY;
    }

    public boolean isAny() {
        return terms == null;
    }

    public boolean matches(Node node) {
        return matches(node.labels(), node.name());
    }

    /** @param labels of the node; missing if it has none */
    public boolean matches(JsonNode labels, String name) {
        if (terms == null) {
            return true;
        }
        for (JsonNode term : terms) {
            if (isSomething(term) && matches(term, labels, name)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a term has requirements; one without matches nothing, as in Kubernetes. */
    private static boolean isSomething(JsonNode term) {
        return !term.path("matchExpressions").isEmpty()
                || !term.path("matchFields").isEmpty();
    }

    private static boolean matches(JsonNode term, JsonNode labels, String name) {
        for (JsonNode each : term.path("matchExpressions")) {
            JsonNode found = labels.path(each.path("key").asText(""));
            if (!holds(each, found.isTextual(), found.asText(""))) {
                return false;
            }
        }
        for (JsonNode each : term.path("matchFields")) {
            boolean known = each.path("key").asText("").equals("metadata.name");
            if (!holds(each, known, known ? name : "")) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(JsonNode requirement, boolean present, String value) {
        JsonNode values = requirement.path("values");
        return switch (requirement.path("operator").asText("")) {
            case "In" -> present && contains(values, value);
            case "NotIn" -> !present || !contains(values, value);
            case "Exists" -> present;
            case "DoesNotExist" -> !present;
            case "Gt" -> present && compare(value, values) > 0;
            case "Lt" -> present && compare(value, values) < 0;
            default -> false;
        };
    }

    private static boolean contains(JsonNode values, String value) {
        for (JsonNode each : values) {
            if (each.asText("").equals(value)) {
                return true;
            }
        }
        return false;
    }

    /** Compares integers; 0 if either is none, so that neither Gt nor Lt matches. */
    private static int compare(String value, JsonNode values) {
        try {
            return new BigInteger(value).compareTo(new BigInteger(values.path(0).asText("")));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
