package dev.mooring.api.patch;

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
 * The value of {@code metadata.managedFields}: the fields that each manager owns, and since when. Created for one write
 * of one object; confined to its thread.
 */
final class ManagedFields {
    /** Bounds the size of objects with many writers; the same limit as in Kubernetes. */
    static final int MAX_UPDATERS = 10;

    private static final String ANCIENT_CHANGES = "ancient-changes";
    private static final int TIME_LENGTH = "2026-01-31T12:00:00Z".length();

    /**
     * @param version API version of the field names
     * @param time RFC 3339, which sorts chronologically; empty if there is none
     */
    record Entry(ManagerIdentifier manager, String version, FieldSet fields, String time) {}

    private static final Comparator<Entry> ORDER = Comparator.comparing(
                    (Entry entry) -> entry.manager().operation())
            .thenComparing(Entry::time)
            .thenComparing(entry -> entry.manager().manager())
            .thenComparing(Entry::version)
            .thenComparing(entry -> entry.manager().subresource());

    private final Map<ManagerIdentifier, Entry> entries = new HashMap<>();

    static ManagedFields none() {
        return new ManagedFields();
    }

    /** @throws UndecodableFieldsException with Kubernetes' message, if an entry is invalid */
    static ManagedFields decode(JsonNode encoded) throws UndecodableFieldsException {
        ManagedFields managed = new ManagedFields();
        for (int i = 0; i < encoded.size(); i++) {
            Entry entry = decodeEntry(encoded.get(i), i);
            managed.entries.put(entry.manager(), entry);
        }
        return managed;
    }

    private static Entry decodeEntry(JsonNode encoded, int index) throws UndecodableFieldsException {
        String version = encoded.path("apiVersion").asText();
        ManagerIdentifier.ManagedFieldsOperation operation =
                operation(encoded.path("operation").asText());
        if (version.isEmpty()) {
            throw new UndecodableFieldsException("apiVersion must not be empty");
        }
        String fieldsType = encoded.path("fieldsType").asText();
        if (fieldsType.isEmpty()) {
            throw new UndecodableFieldsException("missing fieldsType in managed fields entry " + index);
        }
        if (!fieldsType.equals("FieldsV1")) {
            throw new UndecodableFieldsException(
                    "invalid fieldsType \"" + fieldsType + "\" in managed fields entry " + index);
        }
        ManagerIdentifier writer = new ManagerIdentifier(
                encoded.path("manager").asText(),
                operation,
                operation == ManagerIdentifier.ManagedFieldsOperation.APPLY ? "" : version,
                encoded.path("subresource").asText());
        return new Entry(writer, version, FieldsV1.decode(encoded.path("fieldsV1")), time(encoded.path("time")));
    }

    private static ManagerIdentifier.ManagedFieldsOperation operation(String text) throws UndecodableFieldsException {
        for (ManagerIdentifier.ManagedFieldsOperation operation : ManagerIdentifier.ManagedFieldsOperation.values()) {
            if (operation.text().equals(text)) {
                return operation;
            }
        }
        throw new UndecodableFieldsException("operation must be `Apply` or `Update`");
    }

    private static String time(JsonNode encoded) throws UndecodableFieldsException {
        String text = encoded.isTextual() ? encoded.textValue() : "";
        if (text.isEmpty() || (text.length() == TIME_LENGTH && text.charAt(TIME_LENGTH - 1) == 'Z')) {
            return text;
        }
        try {
            return time(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException notATime) {
            throw new UndecodableFieldsException("parsing time \"" + text + "\"", notATime);
        }
    }

    static String time(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Returns the entries in Kubernetes' order: appliers first, each group by age. */
    ArrayNode encode() {
        List<Entry> sorted = new ArrayList<>(entries.values());
        sorted.sort(ORDER);
        ArrayNode out = JsonNodeFactory.instance.arrayNode(sorted.size());
        sorted.forEach(entry ->
                out.add(encodeEntry(entry.manager(), entry.version(), entry.time(), FieldsV1.encode(entry.fields()))));
        return out;
    }

    static ObjectNode encodeEntry(ManagerIdentifier writer, String version, String time, ObjectNode fields) {
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

    Optional<Entry> entryOf(ManagerIdentifier writer) {
        return Optional.ofNullable(entries.get(writer));
    }

    Set<ManagerIdentifier> managers() {
        return entries.keySet();
    }

    FieldSet fieldsOf(ManagerIdentifier writer) {
        return entryOf(writer).map(Entry::fields).orElse(FieldSet.EMPTY);
    }

    /** Returns all owned fields. */
    FieldSet all() {
        FieldSet all = FieldSet.EMPTY;
        for (Entry entry : entries.values()) {
            all = all.union(entry.fields());
        }
        return all;
    }

    /** Sets an entry; removes it if it has no fields. */
    void put(Entry entry) {
        if (entry.fields().isEmpty()) {
            entries.remove(entry.manager());
        } else {
            entries.put(entry.manager(), entry);
        }
    }

    /** Removes entries of versions that are not served, because their fields cannot be compared. */
    void keepOnlyVersion(String version) {
        entries.values().removeIf(entry -> !entry.version().equals(version));
    }

    /** Removes the fields from all managers except one. */
    void removeFields(FieldSet fields, Optional<ManagerIdentifier> spared) {
        for (Entry entry : List.copyOf(entries.values())) {
            if (spared.isEmpty() || !spared.get().equals(entry.manager())) {
                put(new Entry(entry.manager(), entry.version(), entry.fields().difference(fields), entry.time()));
            }
        }
    }

    /** Merges the oldest updaters of a version into one until at most {@link #MAX_UPDATERS} remain. */
    void capUpdaters() {
        List<Entry> updaters = new ArrayList<>();
        for (Entry entry : entries.values()) {
            if (!entry.manager().isApply()) {
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
            ManagerIdentifier bucket = new ManagerIdentifier(
                    ANCIENT_CHANGES, ManagerIdentifier.ManagedFieldsOperation.UPDATE, entry.version(), "");
            FieldSet both = merged.fields().union(entry.fields());
            entries.remove(merged.manager());
            entries.remove(entry.manager());
            Entry into = new Entry(bucket, entry.version(), both.union(fieldsOf(bucket)), entry.time());
            entries.put(bucket, into);
            oldest.put(entry.version(), into);
            left--;
        }
    }
}
