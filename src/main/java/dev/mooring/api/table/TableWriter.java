package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes stored objects of one kind as a Table of {@code meta.k8s.io}, which kubectl prints. Always includes all
 * columns, also wide ones, because the client selects them; only an {@link OptionalCell} requires a known value.
 * Immutable; thread-safe.
 */
public final class TableWriter {
    private final List<Column> columns;
    private final List<Column> optional;

    public TableWriter(List<Column> columns) {
        this.columns = columns.stream()
                .filter(each -> !(each.cell() instanceof OptionalCell))
                .toList();
        this.optional = columns.stream()
                .filter(each -> each.cell() instanceof OptionalCell)
                .toList();
    }

    /** Whether a Table has column definitions; in a watch, only the first needs them. */
    public enum Headers {
        SHOWN,
        LEFT_OUT
    }

    /** The requested style. */
    public record Style(AcceptHeader.MetaVersion version, IncludeObject include) {}

    /** @param objects JSON as stored */
    public ListChunks list(Iterable<byte[]> objects, ListMeta meta, Style style, Instant now) {
        List<Column> shown = shown(objects);
        try (JsonBuffer out = new JsonBuffer()) {
            begin(out, meta, style, definitions(shown));
            String start = new String(out.toBytes(), StandardCharsets.UTF_8);
            return new ListChunks(start, objects.iterator(), object -> row(object, shown, style, now), ",", "]}");
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode Table", e);
        }
    }

    private static byte[] row(byte[] object, List<Column> shown, Style style, Instant now) {
        try (JsonBuffer out = new JsonBuffer()) {
            row(out, ParsedObject.parse(object), shown, style, now);
            return out.toBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode Table", e);
        }
    }

    /**
     * Returns the Table of one object, alone or for a watch event. The Table has the object's resourceVersion.
     *
     * @param object JSON as stored
     */
    public byte[] one(byte[] object, Style style, Headers headers, Instant now) {
        try (JsonBuffer out = new JsonBuffer()) {
            ParsedObject parsed = ParsedObject.parse(object);
            String version = ColumnFields.text(parsed.tree(), "metadata", "resourceVersion");
            List<Column> shown = headers == Headers.SHOWN ? shown(List.of(object)) : columns;
            begin(out, ListMeta.at(version), style, headers == Headers.SHOWN ? definitions(shown) : "null");
            row(out, parsed, shown, style, now);
            return end(out);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode Table", e);
        }
    }

    private List<Column> shown(Iterable<byte[]> objects) {
        List<Column> all = new ArrayList<>(columns);
        for (Column each : optional) {
            if (isKnown((OptionalCell) each.cell(), objects)) {
                all.add(each);
            }
        }
        return all;
    }

    private static boolean isKnown(OptionalCell cell, Iterable<byte[]> objects) {
        if (cell.isNeverKnown()) {
            return false;
        }
        for (byte[] object : objects) {
            if (cell.isKnown(ParsedObject.parse(object).tree())) {
                return true;
            }
        }
        return false;
    }

    private static void begin(JsonBuffer out, ListMeta meta, Style style, String definitions) throws IOException {
        JsonGenerator json = out.json();
        json.writeStartObject();
        json.writeStringField("kind", "Table");
        json.writeStringField("apiVersion", style.version().apiVersion());
        meta.write(json);
        json.writeFieldName("columnDefinitions");
        json.writeRawValue(definitions);
        json.writeArrayFieldStart("rows");
    }

    private static void row(JsonBuffer out, ParsedObject object, List<Column> columns, Style style, Instant now)
            throws IOException {
        JsonGenerator json = out.json();
        json.writeStartObject();
        json.writeArrayFieldStart("cells");
        for (Column column : columns) {
            cell(json, column.cell().of(object.tree(), now));
        }
        json.writeEndArray();
        json.writeFieldName("object");
        switch (style.include()) {
            case NONE -> json.writeNull();
            case METADATA -> out.writeMetadataOnly(PartialMetadata.upToMetadata(style.version()), object);
            case OBJECT -> out.writeObject(object);
        }
        json.writeEndObject();
    }

    private static void cell(JsonGenerator json, Object value) throws IOException {
        if (value instanceof String text) {
            json.writeString(text);
        } else if (value instanceof Boolean yes) {
            json.writeBoolean(yes);
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Number number) {
            json.writeNumber(number.doubleValue());
        } else {
            throw new IllegalStateException("Cell must be text, a number or a boolean, got " + value);
        }
    }

    private static byte[] end(JsonBuffer out) throws IOException {
        out.json().writeEndArray();
        out.json().writeEndObject();
        return out.toBytes();
    }

    private static String definitions(List<Column> columns) {
        try (JsonBuffer out = new JsonBuffer()) {
            JsonGenerator json = out.json();
            json.writeStartArray();
            for (Column column : columns) {
                json.writeStartObject();
                json.writeStringField("name", column.name());
                json.writeStringField("type", column.type());
                json.writeStringField("format", column.format());
                json.writeStringField("description", column.description());
                json.writeNumberField("priority", column.priority());
                json.writeEndObject();
            }
            json.writeEndArray();
            return new String(out.toBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode Table", e);
        }
    }

    /** How much of its object a row of a Table contains. */
    public enum IncludeObject {
        /** No object. */
        NONE,
        /** The metadata, which kubectl needs for labels and namespaces. */
        METADATA,
        /** The whole object, which kubectl needs for sorting. */
        OBJECT;

        /**
         * Parses the query parameter {@code includeObject}.
         *
         * @param parameter empty if the request has none
         * @return empty for a value that Kubernetes rejects with {@link #refusal}
         */
        public static Optional<IncludeObject> parse(String parameter) {
            return switch (parameter) {
                case "", "Metadata" -> Optional.of(METADATA);
                case "None" -> Optional.of(NONE);
                case "Object" -> Optional.of(OBJECT);
                default -> Optional.empty();
            };
        }

        /** Returns the message of the 400. */
        public static String refusal(String parameter) {
            return "unrecognized includeObject value: \"" + parameter + "\"";
        }
    }

    /**
     * The cell of a column that Kubernetes does not have. The column is only shown if a value is known for at least one
     * object, so that the output otherwise equals Kubernetes'. Must be the last column of the kind, because rows of a
     * watch omit it.
     */
    interface OptionalCell extends Column.Cell {
        /** Returns true if no value is known for any object. */
        boolean isNeverKnown();

        boolean isKnown(JsonNode object);
    }
}
