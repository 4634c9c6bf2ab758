package dev.mooring.api.decode;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A body, before anyone asks what it should have been.
 *
 * @param duplicates one message for each field that was given twice ({@code duplicate field "spec.a"}); the last value is in the tree
 */
public record Parsed(JsonNode root, List<String> duplicates) {}
