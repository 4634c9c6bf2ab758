package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The metadata of a list or a Table.
 *
 * @param resourceVersion of the store when the list was read
 * @param continueToken for the next page, if there is one
 * @param remainingItemCount number of objects on the following pages, if known
 */
public record ListMeta(String resourceVersion, Optional<String> continueToken, OptionalLong remainingItemCount) {

    /** Returns the metadata of a complete list. */
    public static ListMeta at(String resourceVersion) {
        return new ListMeta(resourceVersion, Optional.empty(), OptionalLong.empty());
    }

    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("metadata");
        if (!resourceVersion.isEmpty()) {
            json.writeStringField("resourceVersion", resourceVersion);
        }
        if (continueToken.isPresent()) {
            json.writeStringField("continue", continueToken.get());
        }
        if (remainingItemCount.isPresent()) {
            json.writeNumberField("remainingItemCount", remainingItemCount.getAsLong());
        }
        json.writeEndObject();
    }
}
