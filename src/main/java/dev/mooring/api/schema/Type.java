package dev.mooring.api.schema;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a value of an object may be, and how two writers of it get along. Written once, in the schema files; read by everything that
 * has to know the shape of objects: decoding, patches, server-side apply, OpenAPI. Immutable.
 */
public sealed interface Type {

    /** A value without parts, or one whose parts are nobody's business. */
    enum Scalar implements Type {
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
        /** Bytes in base64. */
        BYTES,
        /** Any JSON; taken and left as a whole. */
        ANY
    }

    /** How server-side apply merges a list. */
    enum ListKind {
        /** As one value. */
        ATOMIC,
        /** As a set of scalars. */
        SET,
        /** As objects found by their {@link ListOf#keys()}. */
        MAP
    }

    /**
     * @param keys of the elements of a {@link ListKind#MAP}; else empty
     */
    record ListOf(Type element, ListKind kind, List<String> keys) implements Type {}

    /**
     * Free keys, values of one type.
     *
     * @param atomic whether server-side apply takes it as one value
     */
    record MapOf(Type value, boolean atomic) implements Type {}

    /** An object with named fields. Two with the same name are the same. */
    final class Struct implements Type {
        private final String name;
        private final String description;
        private final boolean atomic;
        private final Map<String, Field> fields;

        /** @param atomic whether server-side apply takes it as one value */
        public Struct(String name, String description, boolean atomic, List<Field> fields) {
            this.name = name;
            this.description = description;
            this.atomic = atomic;
            this.fields = new LinkedHashMap<>();
            fields.forEach(field -> this.fields.put(field.name(), field));
        }

        /** As Kubernetes names the type: {@code NFSVolumeSource}. */
        public String name() {
            return name;
        }

        public String description() {
            return description;
        }

        public boolean atomic() {
            return atomic;
        }

        /** In the order of the schema file. */
        public Iterable<Field> fields() {
            return fields.values();
        }

        public Optional<Field> field(String named) {
            return Optional.ofNullable(fields.get(named));
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
