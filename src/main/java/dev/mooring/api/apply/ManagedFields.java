package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The value of {@code metadata.managedFields}: which fields each writer owns, and since when. Lives for one write of one object;
 * confined to its thread.
 */
final class ManagedFields {
    /** So that objects written by many do not grow without bound; Kubernetes' number. */
    static final int MAX_UPDATERS = 10;

    private static final String OF_LONG_AGO = "ancient-changes";
    private static final int LENGTH_OF_TIME = "2026-01-31T12:00:00Z".length();

    /**
     * @param version in which the fields are named
     * @param time as text, which sorts as the times do; empty if there is none
     */
    record Entry(Writer writer, String version, FieldSet fields, String time) {}

    private static final Comparator<Entry> ORDER = Comparator.comparing(
                    (Entry entry) -> entry.writer().operation())
            .thenComparing(Entry::time)
            .thenComparing(entry -> entry.writer().manager())
            .thenComparing(Entry::version)
            .thenComparing(entry -> entry.writer().subresource());

    private final Map<Writer, Entry> entries = new HashMap<>();

    static ManagedFields none() {
        return new ManagedFields();
    }

    /** @throws UndecodableFields in Kubernetes' words, if an entry is not right */
    static ManagedFields decode(JsonNode encoded) throws UndecodableFields {
        ManagedFields managed = new ManagedFields();
        for (int i = 0; i < encoded.size(); i++) {
            Entry entry = decodeEntry(encoded.get(i), i);
            managed.entries.put(entry.writer(), entry);
        }
        return managed;
    }

    private static Entry decodeEntry(JsonNode encoded, int index) throws UndecodableFields {
        String version = encoded.path("apiVersion").asText();
        Writer.Operation operation = operation(encoded.path("operation").asText());
        if (version.isEmpty()) {
            throw new UndecodableFields("apiVersion must not be empty");
        }
        String fieldsType = encoded.path("fieldsType").asText();
        if (fieldsType.isEmpty()) {
            throw new UndecodableFields("missing fieldsType in managed fields entry " + index);
        }
        if (!fieldsType.equals("FieldsV1")) {
            throw new UndecodableFields("invalid fieldsType \"" + fieldsType + "\" in managed fields entry " + index);
        }
        Writer writer = new Writer(
                encoded.path("manager").asText(),
                operation,
                operation == Writer.Operation.APPLY ? "" : version,
                encoded.path("subresource").asText());
        return new Entry(writer, version, FieldsV1.decode(encoded.path("fieldsV1")), time(encoded.path("time")));
    }

    private static Writer.Operation operation(String text) throws UndecodableFields {
        for (Writer.Operation operation : Writer.Operation.values()) {
            if (operation.text().equals(text)) {
                return operation;
            }
        }
        throw new UndecodableFields("operation must be `Apply` or `Update`");
    }

    private static String time(JsonNode encoded) throws UndecodableFields {
        String text = encoded.isTextual() ? encoded.textValue() : "";
        if (text.isEmpty() || (text.length() == LENGTH_OF_TIME && text.charAt(LENGTH_OF_TIME - 1) == 'Z')) {
            return text;
        }
        try {
            return time(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException notATime) {
            throw new UndecodableFields("parsing time \"" + text + "\"", notATime);
        }
    }

    static String time(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Array of the entries in Kubernetes' order: appliers first, each group by age. */
    ArrayNode encode() {
        List<Entry> sorted = new ArrayList<>(entries.values());
        sorted.sort(ORDER);
        ArrayNode out = JsonNodeFactory.instance.arrayNode(sorted.size());
        sorted.forEach(entry ->
                out.add(encodeEntry(entry.writer(), entry.version(), entry.time(), FieldsV1.encode(entry.fields()))));
        return out;
    }

    static ObjectNode encodeEntry(Writer writer, String version, String time, ObjectNode fields) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        out.put("manager", writer.manager());
        out.put("operation", writer.operation().text());
        out.put("apiVersion", version);
        if (!time.isEmpty()) {
            out.put("time", time);
        }
        out.put("fieldsType", "FieldsV1");
        out.set("fieldsV1", fields);
        if (!writer.subresource().isEmpty()) {
            out.put("subresource", writer.subresource());
        }
        return out;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    Optional<Entry> of(Writer writer) {
        return Optional.ofNullable(entries.get(writer));
    }

    Set<Writer> writers() {
        return entries.keySet();
    }

    FieldSet fieldsOf(Writer writer) {
        return of(writer).map(Entry::fields).orElse(FieldSet.EMPTY);
    }

    /** Everything that somebody owns. */
    FieldSet all() {
        FieldSet all = FieldSet.EMPTY;
        for (Entry entry : entries.values()) {
            all = all.union(entry.fields());
        }
        return all;
    }

    /** An entry without fields goes. */
    void put(Entry entry) {
        if (entry.fields().isEmpty()) {
            entries.remove(entry.writer());
        } else {
            entries.put(entry.writer(), entry);
        }
    }

    /** Entries in versions that are not served name fields that cannot be compared with anything. */
    void keepOnly(String version) {
        entries.values().removeIf(entry -> !entry.version().equals(version));
    }

    /** Takes the fields from all writers but one. */
    void take(FieldSet fields, Optional<Writer> spared) {
        for (Entry entry : List.copyOf(entries.values())) {
            if (spared.isEmpty() || !spared.get().equals(entry.writer())) {
                put(new Entry(entry.writer(), entry.version(), entry.fields().difference(fields), entry.time()));
            }
        }
    }

    /** Merges the oldest updaters of a version into one, until there are no more than {@link #MAX_UPDATERS}. */
    void cap() {
        List<Entry> updaters = new ArrayList<>();
        for (Entry entry : entries.values()) {
            if (!entry.writer().applies()) {
                updaters.add(entry);
            }
        }
        if (updaters.size() <= MAX_UPDATERS) {
            return;
        }
        updaters.sort(ORDER);
        Map<String, Entry> oldest = new HashMap<>();
        int left = updaters.size();
        for (Entry entry : updaters) {
            if (left <= MAX_UPDATERS) {
                return;
            }
            Entry merged = oldest.get(entry.version());
            if (merged == null) {
                oldest.put(entry.version(), entry);
                continue;
            }
            Writer bucket = new Writer(OF_LONG_AGO, Writer.Operation.UPDATE, entry.version(), "");
            FieldSet both = merged.fields().union(entry.fields());
            entries.remove(merged.writer());
            entries.remove(entry.writer());
            Entry into = new Entry(bucket, entry.version(), both.union(fieldsOf(bucket)), entry.time());
            entries.put(bucket, into);
            oldest.put(entry.version(), into);
            left--;
        }
    }
}
