package dev.mooring.api.types;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.Locale;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Converts a YAML scalar to JSON: YAML 1.1 as Kubernetes reads it, where {@code yes} and {@code on} are booleans and
 * {@code 0777} is octal, but dates and base-60 numbers are strings.
 */
final class YamlScalar {
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
