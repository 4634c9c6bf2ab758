package dev.mooring.api.types;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.GoText;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses JSON into a tree, within {@link BodyLimits}. A duplicate field is not an error, as in Kubernetes: the last
 * value wins and the duplicate is reported. Numbers become the same nodes as with Jackson's own mapper, so that these
 * trees equal trees read from the log; only a fraction that a double cannot hold keeps all its digits.
 */
public final class JsonBody {
    private static final String CUT_OFF = "unexpected end of JSON input";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    // one more than the limit, so that this class rejects the body with its own message
                    .maxNestingDepth(BodyLimits.DEPTH + 1)
                    .maxStringLength(BodyLimits.STRING_CHARS)
                    .maxNameLength(BodyLimits.NAME_CHARS)
                    .maxNumberLength(BodyLimits.NUMBER_CHARS)
                    .build())
            // interned names would never be freed, and clients choose them
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private final JsonParser parser;
    private final List<String> duplicates = new ArrayList<>(0);

    private JsonBody(JsonParser parser) {
        this.parser = parser;
    }

    /** @throws BodyException if the body is not one JSON value */
    public static ParsedBody parse(byte[] body) {
        try (JsonParser parser = JSON.createParser(body)) {
            if (parser.nextToken() == null) {
                throw new BodyException(CUT_OFF);
            }
            JsonBody reading = new JsonBody(parser);
            JsonNode root = reading.value(0);
            if (parser.nextToken() != null) {
                throw new BodyException("unexpected content after the first JSON value"
                        + at(parser.currentTokenLocation().getByteOffset()));
            }
            return new ParsedBody(root, List.copyOf(reading.duplicates));
        } catch (StreamConstraintsException e) {
            throw new BodyException(e.getOriginalMessage());
        } catch (JsonEOFException e) {
            throw new BodyException(CUT_OFF);
        } catch (JsonParseException e) {
            throw new BodyException(problem(e));
        } catch (JsonProcessingException e) {
            throw new BodyException(e.getOriginalMessage());
        } catch (CharConversionException e) {
            throw new BodyException(e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a value; the parser is at its first token before, and at its last token afterwards. */
    private JsonNode value(int depth) throws IOException {
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> object(deeper(depth));
            case START_ARRAY -> array(deeper(depth));
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT -> integer();
            case VALUE_NUMBER_FLOAT -> fraction(parser.getText());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            default -> throw new IllegalStateException("Unexpected JSON token " + token);
        };
    }

    private static int deeper(int depth) {
        if (depth == BodyLimits.DEPTH) {
            throw BodyLimits.tooDeep();
        }
        return depth + 1;
    }

    private ObjectNode object(int depth) throws IOException {
        ObjectNode object = NODES.objectNode();
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            if (object.replace(name, value(depth)) != null && duplicates.size() < BodyLimits.FINDINGS) {
                String message = "duplicate field " + GoText.quote(path(parser.getParsingContext()));
                if (!duplicates.contains(message)) {
                    duplicates.add(message);
                }
            }
        }
        return object;
    }

    private ArrayNode array(int depth) throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value(depth));
        }
        return array;
    }

    private JsonNode integer() throws IOException {
        return switch (parser.getNumberType()) {
            case INT -> NODES.numberNode(parser.getIntValue());
            case LONG -> NODES.numberNode(parser.getLongValue());
            default -> NODES.numberNode(parser.getBigIntegerValue());
        };
    }

    /** Returns the node of a literal that is valid JSON or Java. */
    static JsonNode fraction(String literal) {
        double nearest = Double.parseDouble(literal);
        if (Double.isInfinite(nearest) && literal.chars().anyMatch(Character::isDigit)) {
            // As in Go. A stored value would be read back as infinity, which is not valid JSON.
            throw new BodyException("json: cannot unmarshal number " + literal + " into Go value of type float64");
        }
        BigDecimal exact;
        try {
            exact = new BigDecimal(literal);
        } catch (NumberFormatException e) {
            if (Double.isNaN(nearest) || Double.isInfinite(nearest)) {
                throw e;
            }
            return NODES.numberNode(nearest); // so close to zero that the exponent does not fit
        }
        boolean held = Double.isFinite(nearest) && exact.compareTo(BigDecimal.valueOf(nearest)) == 0;
        return held ? NODES.numberNode(nearest) : NODES.numberNode(exact);
    }

    private static String path(JsonStreamContext context) {
        StringBuilder path = new StringBuilder();
        append(context, path);
        return path.toString();
    }

    private static void append(JsonStreamContext context, StringBuilder path) {
        if (context == null || context.inRoot()) {
            return;
        }
        append(context.getParent(), path);
        if (context.inArray()) {
            path.append('[').append(context.getCurrentIndex()).append(']');
        } else if (path.isEmpty()) {
            path.append(context.getCurrentName());
        } else {
            path.append('.').append(context.getCurrentName());
        }
    }

    private static String problem(JsonParseException e) {
        String message = e.getOriginalMessage();
        if (message.startsWith("Unexpected end-of-input")) {
            return CUT_OFF;
        }
        int end = message.indexOf(": ");
        String what = message.startsWith("Unexpected character (") && end > 0
                ? "invalid character " + message.substring("Unexpected character (".length(), end - 1)
                : message;
        return what
                + (e.getLocation() == null
                        ? ""
                        : " at line " + e.getLocation().getLineNr() + ", column "
                                + e.getLocation().getColumnNr());
    }

    private static String at(long offset) {
        return offset < 0 ? "" : " at byte " + offset;
    }
}
