package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.KindDefinition;
import java.util.List;
import java.util.Optional;

/** Path of an object in a response. Stateless. */
final class WrittenObject {
    private WrittenObject() {}

    /** Returns the path; empty if the kind is not stored. */
    static Optional<String> path(List<KindDefinition> kinds, JsonNode object) {
        String name = object.path("metadata").path("name").asText();
        return kinds.stream()
                .filter(kind -> kind.names().kind().equals(object.path("kind").asText()) && !name.isEmpty())
                .map(kind -> PathGrammar.item(
                        kind, object.path("metadata").path("namespace").asText(), name))
                .findFirst();
    }
}
