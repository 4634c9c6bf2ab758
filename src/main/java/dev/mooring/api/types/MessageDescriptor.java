package dev.mooring.api.types;

import java.util.Arrays;
import java.util.Optional;

/** The descriptor of a message: its fields by number. Filled while the tables are parsed, not modified afterwards. */
final class MessageDescriptor {
    private final String name;
    private FieldDescriptor[] byNumber = {};

    MessageDescriptor(String name) {
        this.name = name;
    }

    /** The cardinality of a field, and where its value goes. */
    enum Cardinality {
        ONE,
        LIST,
        /** Entries with string keys. */
        MAP,
        /** A message whose fields belong to the enclosing one: protobuf has no embedding, JSON does. */
        INLINE
    }

    /** The type of a value on the wire and in JSON. */
    enum WireValueType {
        STRING,
        BYTES,
        BOOL,
        INT32,
        INT64,
        MESSAGE,
        TIME,
        MICRO_TIME,
        QUANTITY,
        INT_OR_STRING,
        /** Bytes that contain JSON. */
        JSON,
        /** A list of strings that protobuf wraps in a message. */
        STRINGS;

        boolean isVarint() {
            return this == BOOL || this == INT32 || this == INT64;
        }
    }

    /**
     * @param message type of a message value
     * @param pointer whether Kubernetes' Go type distinguishes absent from zero. If not, clients send zeros for absent
     *     values, and zeros are ignored.
     */
    record FieldDescriptor(
            String name,
            Cardinality shape,
            WireValueType value,
            Optional<MessageDescriptor> message,
            boolean pointer) {}

    String name() {
        return name;
    }

    Optional<FieldDescriptor> field(int number) {
        return number < byNumber.length ? Optional.ofNullable(byNumber[number]) : Optional.empty();
    }

    void add(int number, FieldDescriptor field) {
        if (number >= byNumber.length) {
            byNumber = Arrays.copyOf(byNumber, number + 1);
        }
        if (byNumber[number] != null) {
            throw new IllegalStateException("Duplicate field number " + number + " of " + name);
        }
        byNumber[number] = field;
    }
}
