package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Kind;
import java.util.List;
import java.util.Optional;

/** Where an object that was answered can be found. Stateless. */
final class WrittenObject {
    private WrittenObject() {}

    /** Nothing if it is of no kind that is stored. */
    static Optional<String> path(List<Kind> kinds, JsonNode object) {
        String name = object.path("metadata").path("name").asText();
        return kinds.stream()
                .filter(kind -> kind.names().kind().equals(object.path("kind").asText()) && !name.isEmpty())
                .map(kind -> PathGrammar.item(
                        kind, object.path("metadata").path("namespace").asText(), name))
                .findFirst();
    }
}
