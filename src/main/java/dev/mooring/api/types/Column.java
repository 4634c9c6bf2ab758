package dev.mooring.api.types;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A column of {@code kubectl get}.
 *
 * @param type OpenAPI type: string, integer, date
 * @param format {@code name} for the first column, else empty
 * @param priority 0: always shown; 1: with {@code -o wide}
 */
public record Column(String name, String type, String format, String description, int priority, Cell cell) {

    /** Computes the cell of an object at a time: a String, a Number or a Boolean. */
    public interface Cell {
        Object of(JsonNode object, Instant now);
    }
}
