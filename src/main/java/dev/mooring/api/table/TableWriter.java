package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mooring.api.kind.Column;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes stored objects of one kind as a Table of {@code meta.k8s.io}, which is what kubectl prints. Always with all columns, wide ones
 * included: the client picks. Only an {@link OptionalCell} must be known for one of the objects. Immutable; any thread.
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

    /** Whether a Table says what its columns are; in a watch, only the first has to. */
    public enum Headers {
        SHOWN,
        LEFT_OUT
    }

    /** What a client asked for. */
    public record Style(MetaVersion version, IncludeObject include) {}

    /** @param objects JSON as stored */
    public byte[] list(Iterable<byte[]> objects, ListMeta meta, Style style, Instant now) {
        List<Column> shown = shown(objects);
        try (JsonOut out = new JsonOut()) {
            begin(out, meta, style, definitions(shown));
            for (byte[] object : objects) {
                row(out, StoredObject.parse(object), shown, style, now);
            }
            return end(out);
        } catch (IOException e) {
            throw new UncheckedIOException("Expected writing to memory to work, but it did not", e);
        }
    }

    /**
     * One object, on its own or as what a watch event carries. The Table has the object's resourceVersion.
     *
     * @param object JSON as stored
     */
    public byte[] one(byte[] object, Style style, Headers headers, Instant now) {
        try (JsonOut out = new JsonOut()) {
            StoredObject parsed = StoredObject.parse(object);
            String version = Fields.text(parsed.tree(), "metadata", "resourceVersion");
            List<Column> shown = headers == Headers.SHOWN ? shown(List.of(object)) : columns;
            begin(out, ListMeta.at(version), style, headers == Headers.SHOWN ? definitions(shown) : "null");
            row(out, parsed, shown, style, now);
            return end(out);
        } catch (IOException e) {
            throw new UncheckedIOException("Expected writing to memory to work, but it did not", e);
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
            if (cell.isKnown(StoredObject.parse(object).tree())) {
                return true;
            }
        }
        return false;
    }

    private static void begin(JsonOut out, ListMeta meta, Style style, String definitions) throws IOException {
        JsonGenerator json = out.json();
        json.writeStartObject();
        json.writeStringField("kind", "Table");
        json.writeStringField("apiVersion", style.version().apiVersion());
        meta.write(json);
        json.writeFieldName("columnDefinitions");
        json.writeRawValue(definitions);
        json.writeArrayFieldStart("rows");
    }

    private static void row(JsonOut out, StoredObject object, List<Column> columns, Style style, Instant now)
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
            case METADATA -> out.metadataOnly(PartialMetadata.upToMetadata(style.version()), object);
            case OBJECT -> out.whole(object);
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
            throw new IllegalStateException("Expected a cell to be text, a number or a boolean, but found " + value);
        }
    }

    private static byte[] end(JsonOut out) throws IOException {
        out.json().writeEndArray();
        out.json().writeEndObject();
        return out.toBytes();
    }

    private static String definitions(List<Column> columns) {
        try (JsonOut out = new JsonOut()) {
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
            throw new UncheckedIOException("Expected writing to memory to work, but it did not", e);
        }
    }
}
