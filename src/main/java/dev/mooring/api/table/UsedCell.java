package dev.mooring.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Optional;

/** How much a claim uses. Immutable. */
record UsedCell(UsageSource usage) implements OptionalCell {
    private static final String UNKNOWN = "<unknown>";

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
        return used(claim).orElse(UNKNOWN);
    }

    private Optional<String> used(JsonNode claim) {
        String namespace = Fields.text(claim, "metadata", "namespace");
        String name = Fields.name(claim);
        return namespace.isEmpty() || name.isEmpty() ? Optional.empty() : usage.of(namespace, name);
    }
}
