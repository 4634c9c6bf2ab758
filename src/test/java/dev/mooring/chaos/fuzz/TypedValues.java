package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Generates values that have the type of the schema. Strings include the capitalized words of the description of a
 * field, which names its valid values. Thread-safe.
 */
final class TypedValues {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Pattern WORD = Pattern.compile("\\b[A-Z][A-Za-z]{2,}\\b|\\b[a-z.]+/[a-z-]+\\b");
    private static final int MAX_DEPTH = 6;
    private static final int SPARSE = 5;

    private final ConcurrentMap<String, List<String>> words = new ConcurrentHashMap<>();

    JsonNode of(FuzzRandom dice, SchemaField field) {
        return of(dice, field.type(), field.description(), 0);
    }

    JsonNode of(FuzzRandom dice, SchemaType type, String description, int depth) {
        if (type instanceof SchemaType.Scalar scalar) {
            return scalar(dice, scalar, description);
        }
        if (type instanceof SchemaType.ListOf list) {
            ArrayNode array = NODES.arrayNode();
            int count = depth > MAX_DEPTH ? 0 : dice.oneIn(200) ? 300 : dice.below(3);
            for (int i = 0; i < count; i++) {
                array.add(of(dice, list.element(), description, depth + 2));
            }
            return array;
        }
        if (type instanceof SchemaType.MapOf map) {
            ObjectNode object = NODES.objectNode();
            for (int i = dice.below(3); i > 0; i--) {
                object.set(text(dice, description), of(dice, map.value(), description, depth + 2));
            }
            return object;
        }
        return struct(dice, (SchemaType.Struct) type, depth);
    }

    private ObjectNode struct(FuzzRandom dice, SchemaType.Struct struct, int depth) {
        ObjectNode object = NODES.objectNode();
        for (SchemaField field : struct.fields()) {
            if ((field.required() && depth < 2 * MAX_DEPTH) || (depth < MAX_DEPTH && dice.oneIn(SPARSE + depth))) {
                object.set(field.name(), of(dice, field.type(), field.description(), depth + 1));
            }
        }
        return object;
    }

    private JsonNode scalar(FuzzRandom dice, SchemaType.Scalar scalar, String description) {
        return switch (scalar) {
            case STRING -> NODES.textNode(text(dice, description));
            case INT32, INT64 -> NODES.numberNode(number(dice));
            case DOUBLE -> NODES.numberNode(number(dice) / 8.0);
            case BOOLEAN -> NODES.booleanNode(dice.percent(50));
            case QUANTITY ->
                NODES.textNode(dice.percent(60) ? dice.pick("1Gi", "10m", "1", "0") : EdgeValues.quantity(dice));
            case TIME, MICRO_TIME -> NODES.textNode(EdgeValues.time(dice));
            case INT_OR_STRING ->
                dice.percent(50) ? NODES.numberNode(number(dice)) : NODES.textNode(text(dice, description));
            case BYTES -> NODES.textNode(dice.pick("", "AAEC", "AA==", "A", "====", "YQ==\n", "-_8="));
            case ANY -> EdgeValues.value(dice);
        };
    }

    private static int number(FuzzRandom dice) {
        return switch (dice.below(8)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> Integer.MAX_VALUE;
            case 3 -> Integer.MIN_VALUE;
            case 4 -> 65_536;
            default -> dice.below(100);
        };
    }

    private String text(FuzzRandom dice, String description) {
        int kind = dice.below(10);
        if (kind < 4) {
            List<String> candidates = words.computeIfAbsent(description, TypedValues::capitals);
            return candidates.isEmpty() ? dice.pick(ValidObjects.NAMES) : dice.pick(candidates);
        }
        return kind < 7 ? dice.pick(ValidObjects.NAMES) : kind == 7 ? path(dice) : EdgeValues.text(dice);
    }

    private static String path(FuzzRandom dice) {
        return dice.pick(
                "/data/x", "x/y", "testhost", "kubernetes.io/pvc-protection", "example.com/keep", "1", "app=a");
    }

    private static List<String> capitals(String description) {
        return WORD.matcher(description).results().map(MatchResult::group).toList();
    }
}
