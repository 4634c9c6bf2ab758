package dev.mooring.api.types;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A parsed body without type information.
 *
 * @param duplicates one message per duplicate field ({@code duplicate field "spec.a"}); the tree has the last value
 */
public record ParsedBody(JsonNode root, List<String> duplicates) {}
