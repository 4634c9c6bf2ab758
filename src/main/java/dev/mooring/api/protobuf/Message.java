package dev.mooring.api.protobuf;

import java.util.Arrays;
import java.util.Optional;

/** What is known of a message: its fields by number. Filled while the tables are read, not changed after. */
final class Message {
    private final String name;
    private Field[] byNumber = {};

    Message(String name) {
        this.name = name;
    }

    /** How often a field may come, and where it goes. */
    enum Shape {
        ONE,
        LIST,
        /** Entries with a text as key. */
        MAP,
        /** A message whose fields belong to the one around it: protobuf has no embedding, JSON does. */
        INLINE
    }

    /** What a value is on the wire and in JSON. */
    enum Value {
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
        /** JSON in bytes. */
        JSON,
        /** A list of texts where protobuf allows only a message. */
        STRINGS;

        boolean isVarint() {
            return this == BOOL || this == INT32 || this == INT64;
        }
    }

    /**
     * @param message what the value is made of, if not of one piece
     * @param pointer whether Kubernetes' own type tells "not there" from zero. If not, its clients send zeros for what is not there, and
     *     zeros mean nothing.
     */
    record Field(String name, Shape shape, Value value, Optional<Message> message, boolean pointer) {}

    String name() {
        return name;
    }

    Optional<Field> field(int number) {
        return number < byNumber.length ? Optional.ofNullable(byNumber[number]) : Optional.empty();
    }

    void add(int number, Field field) {
        if (number >= byNumber.length) {
            byNumber = Arrays.copyOf(byNumber, number + 1);
        }
        if (byNumber[number] != null) {
            throw new IllegalStateException("Expected one field " + number + " of " + name + ", but found two");
        }
        byNumber[number] = field;
    }
}
