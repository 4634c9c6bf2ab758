package dev.mooring.api.types;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The type of a value, and how concurrent writers of it are merged. Defined in the schema files; used by decoding,
 * patches, server-side apply and OpenAPI. Immutable.
 */
public sealed interface SchemaType {

    /** A value without parts, or with opaque parts. */
    enum Scalar implements SchemaType {
        STRING,
        INT32,
        INT64,
        DOUBLE,
        BOOLEAN,
        /** A number with a unit: {@code 1Gi}, {@code 500m}, or a bare number. */
        QUANTITY,
        /** {@code 2026-01-31T12:00:00Z}. */
        TIME,
        /** {@code 2026-01-31T12:00:00.000000Z}. */
        MICRO_TIME,
        INT_OR_STRING,
        /** Base64-encoded bytes. */
        BYTES,
        /** Any JSON; opaque and atomic. */
        ANY
    }

    /** How server-side apply merges a list. */
    enum ListKind {
        /** As one value. */
        ATOMIC,
        /** As a set of scalars. */
        SET,
        /** As objects identified by their {@link ListOf#keys()}. */
        MAP
    }

    /**
     * @param keys of the elements of a {@link ListKind#MAP}; else empty
     */
    record ListOf(SchemaType element, ListKind kind, List<String> keys) implements SchemaType {}

    /**
     * A map with free keys and values of one type.
     *
     * @param atomic whether server-side apply treats it as one value
     */
    record MapOf(SchemaType value, boolean atomic) implements SchemaType {}

    /** An object with named fields. Two with the same name are equal. */
    final class Struct implements SchemaType {
        private final String name;
        private final String description;
        private final boolean atomic;
        private final Map<String, SchemaField> fields;

        /** @param atomic whether server-side apply treats it as one value */
        public Struct(String name, String description, boolean atomic, List<SchemaField> fields) {
            this.name = name;
            this.description = description;
            this.atomic = atomic;
            this.fields = new LinkedHashMap<>();
            fields.forEach(field -> this.fields.put(field.name(), field));
        }

        /** Returns Kubernetes' name of the type: {@code NFSVolumeSource}. */
        public String name() {
            return name;
        }

        public String description() {
            return description;
        }

        public boolean atomic() {
            return atomic;
        }

        /** Returns the fields in the order of the schema file. */
        public Iterable<SchemaField> fields() {
            return fields.values();
        }

        public Optional<SchemaField> field(String named) {
            return Optional.ofNullable(fields.get(named));
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
