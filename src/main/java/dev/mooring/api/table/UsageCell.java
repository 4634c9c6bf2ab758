package dev.mooring.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.table.UsageSource.Used;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The usage of a claim. Immutable. */
record UsageCell(UsageSource usage) implements OptionalCell {
    private static final String UNKNOWN = "<unknown>";

    /** Age from which a value is shown with its age. */
    private static final Duration OLD = Duration.ofMinutes(20);

    @Override
    public boolean isNeverKnown() {
        return usage.isEmpty();
    }

    @Override
    public boolean isKnown(JsonNode claim) {
        return used(claim).isPresent();
    }

    @Override
    public Object of(JsonNode claim, Instant now) {
        return used(claim).map(used -> text(used, now)).orElse(UNKNOWN);
    }

    private static String text(Used used, Instant now) {
        Duration age = Duration.between(used.measured(), now);
        return age.compareTo(OLD) < 0 ? used.text() : used.text() + ", " + AgeFormat.human(age) + " ago";
    }

    private Optional<Used> used(JsonNode claim) {
        String namespace = ColumnFields.text(claim, "metadata", "namespace");
        String name = ColumnFields.name(claim);
        return namespace.isEmpty() || name.isEmpty() ? Optional.empty() : usage.of(namespace, name);
    }
}
