package dev.mooring.cli;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import java.io.PrintStream;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;
import java.util.StringJoiner;

/** Formats log events as text lines. */
final class EventFormatter {
    private static final int MILLIS = 3;

    /** RFC 3339 with milliseconds, in UTC. */
    static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(MILLIS).toFormatter(Locale.ROOT);

    private EventFormatter() {}

    /**
     * Prints events as a table: revision, time, type, actor, cause, and the objects with + for created, ~ for changed,
     * - for deleted.
     */
    static final class EventTable {
        private final ObjectNames names;
        private final StreamedTable table;

        EventTable(ObjectNames names, PrintStream out) {
            this.names = names;
            this.table = new StreamedTable(out, "REVISION", "TIME", "TYPE", "ACTOR", "CAUSE", "OBJECTS");
        }

        void add(Event event) {
            StringJoiner objects = new StringJoiner(" ");
            for (Change change : event.changes()) {
                char sign = change.isRemoval() ? '-' : change.isCreation() ? '+' : '~';
                objects.add(sign + names.shortened(change.key()));
            }
            table.add(
                    Long.toString(event.revision()),
                    TIME.format(event.time()),
                    event.type(),
                    event.actor(),
                    event.cause().toString(),
                    objects.toString());
        }

        /** Prints the rows held back, and later ones at once. */
        void flush() {
            table.flush();
        }
    }
}
