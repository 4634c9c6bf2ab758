package dev.mooring.api.types;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.GoText;
import java.io.StringReader;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.composer.ComposerException;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Parses YAML into the tree of the equivalent JSON. Only SnakeYAML's node graph is used, no constructor, so tags have
 * no effect. Aliases and merge keys are expanded within a budget proportional to the length of the body, so that a
 * small body cannot expand into a large object.
 */
public final class YamlBody {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Constant part of the budget for aliases: characters, and one per value. */
    private static final int FREE_GROWTH = 256 * 1024;

    private static final int ALIASES = 50;

    private final List<String> duplicates = new ArrayList<>(0);
    private long budget;

    private YamlBody(long budget) {
        this.budget = budget;
    }

    /** @throws BodyException if it is not one YAML document, or cannot be represented in JSON */
    public static ParsedBody parse(byte[] body) {
        String text = text(body);
        Node root;
        try {
            root = new Yaml(limits()).compose(new StringReader(text));
        } catch (ComposerException e) {
            throw new BodyException(
                    "expected a single document in the stream".equals(e.getContext())
                            ? "body must be one YAML document, got several separated by ---"
                            : conversion(e));
        } catch (MarkedYAMLException e) {
            throw new BodyException(conversion(e));
        } catch (YAMLException e) {
            throw new BodyException("error converting YAML to JSON: yaml: " + limit(e.getMessage()));
        }
        if (root == null) {
            return new ParsedBody(NODES.nullNode(), List.of());
        }
        YamlBody reading = new YamlBody(2L * text.length() + FREE_GROWTH);
        JsonNode tree = reading.value(root, "", 0);
        return new ParsedBody(tree, List.copyOf(reading.duplicates));
    }

    private static String text(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BodyException("error converting YAML to JSON: yaml: invalid UTF-8");
        }
    }

    private static LoaderOptions limits() {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(ALIASES);
        options.setNestingDepthLimit(BodyLimits.DEPTH);
        options.setCodePointLimit(BodyLimits.STRING_CHARS);
        options.setAllowRecursiveKeys(false);
        return options;
    }

    private static String conversion(MarkedYAMLException e) {
        String line =
                e.getProblemMark() == null ? "" : "line " + (e.getProblemMark().getLine() + 1) + ": ";
        return "error converting YAML to JSON: yaml: " + line + e.getProblem();
    }

    private static String limit(String message) {
        if (message != null && message.startsWith("Number of aliases")) {
            return "document contains excessive aliasing";
        }
        return message != null && message.startsWith("Nesting Depth")
                ? BodyLimits.tooDeep().getMessage()
                : String.valueOf(message);
    }

    private JsonNode value(Node node, String path, int depth) {
        if (node instanceof ScalarNode scalar) {
            spend(1L + scalar.getValue().length());
            return YamlScalar.toJson(scalar);
        }
        spend(1);
        if (depth == BodyLimits.DEPTH) {
            throw BodyLimits.tooDeep();
        }
        if (node instanceof SequenceNode sequence) {
            ArrayNode array = NODES.arrayNode();
            for (Node element : sequence.getValue()) {
                array.add(value(element, path + "[" + array.size() + "]", depth + 1));
            }
            return array;
        }
        ObjectNode object = NODES.objectNode();
        put((MappingNode) node, object, path, depth + 1);
        return object;
    }

    private void put(MappingNode mapping, ObjectNode object, String path, int depth) {
        for (NodeTuple entry : mapping.getValue()) {
            if (Tag.MERGE.equals(entry.getKeyNode().getTag())) {
                continue;
            }
            String key = key(entry.getKeyNode());
            String below = path.isEmpty() ? key : path + "." + key;
            if (object.replace(key, value(entry.getValueNode(), below, depth)) != null
                    && duplicates.size() < BodyLimits.FINDINGS) {
                duplicates.add("duplicate field " + GoText.quote(below));
            }
        }
        for (NodeTuple entry : mapping.getValue()) {
            if (Tag.MERGE.equals(entry.getKeyNode().getTag())) {
                merge(entry.getValueNode(), object, path, depth);
            }
        }
    }

    /** Merges a mapping. Own entries win over merged ones; of several merged ones, the first wins. */
    private void merge(Node source, ObjectNode object, String path, int depth) {
        if (depth == BodyLimits.DEPTH) {
            throw BodyLimits.tooDeep();
        }
        if (source instanceof SequenceNode sources) {
            sources.getValue().forEach(each -> merge(each, object, path, depth + 1));
        } else if (source instanceof MappingNode mapping) {
            ObjectNode merged = NODES.objectNode();
            put(mapping, merged, path, depth + 1);
            merged.properties().forEach(entry -> object.putIfAbsent(entry.getKey(), entry.getValue()));
        } else {
            throw new BodyException("error converting YAML to JSON: yaml: line "
                    + (source.getStartMark().getLine() + 1)
                    + ": map merge requires map or sequence of maps as the value");
        }
    }

    private static String key(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        throw new BodyException("error converting YAML to JSON: yaml: line "
                + (node.getStartMark().getLine() + 1) + ": field name must be a scalar, got a list or an object");
    }

    private void spend(long cost) {
        budget -= cost;
        if (budget < 0) {
            throw new BodyException("error converting YAML to JSON: yaml: document contains excessive aliasing");
        }
    }

    /**
     * Converts a YAML scalar to JSON: YAML 1.1 as Kubernetes reads it, where {@code yes} and {@code on} are booleans
     * and {@code 0777} is octal, but dates and base-60 numbers are strings.
     */
    private static final class YamlScalar {
        private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

        private YamlScalar() {}

        static JsonNode toJson(ScalarNode scalar) {
            String text = scalar.getValue();
            Tag tag = scalar.getTag();
            if (Tag.NULL.equals(tag)) {
                return NODES.nullNode();
            } else if (Tag.BOOL.equals(tag)) {
                return NODES.booleanNode(isTrue(text));
            } else if (Tag.INT.equals(tag) || Tag.FLOAT.equals(tag)) {
                return number(text);
            }
            return NODES.textNode(text);
        }

        private static boolean isTrue(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "true", "yes", "on" -> true;
                default -> false;
            };
        }

        private static JsonNode number(String text) {
            if (text.length() > BodyLimits.NUMBER_CHARS) {
                throw new BodyException("error converting YAML to JSON: yaml: number must have at most "
                        + BodyLimits.NUMBER_CHARS + " characters, got " + text.length());
            }
            String plain = text.replace("_", "");
            try {
                return isInteger(plain) ? integer(plain) : JsonBody.fraction(plain);
            } catch (NumberFormatException e) {
                // base 60, infinity and NaN are not JSON numbers
                return NODES.textNode(text);
            }
        }

        private static boolean isInteger(String plain) {
            boolean based = plain.contains("0x") || plain.contains("0b");
            return based || (plain.indexOf('.') < 0 && plain.indexOf('e') < 0 && plain.indexOf('E') < 0);
        }

        private static JsonNode integer(String plain) {
            boolean negative = plain.startsWith("-");
            String digits = negative || plain.startsWith("+") ? plain.substring(1) : plain;
            BigInteger value;
            if (digits.startsWith("0x")) {
                value = new BigInteger(digits.substring(2), 16);
            } else if (digits.startsWith("0b")) {
                value = new BigInteger(digits.substring(2), 2);
            } else if (digits.startsWith("0") && digits.length() > 1) {
                value = new BigInteger(digits.startsWith("0o") ? digits.substring(2) : digits.substring(1), 8);
            } else {
                value = new BigInteger(digits);
            }
            BigInteger signed = negative ? value.negate() : value;
            if (signed.bitLength() < Integer.SIZE) {
                return NODES.numberNode(signed.intValue());
            }
            return signed.bitLength() < Long.SIZE ? NODES.numberNode(signed.longValue()) : NODES.numberNode(signed);
        }
    }
}
