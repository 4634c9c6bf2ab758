package dev.mooring.api.types;

import java.util.List;

/**
 * Findings of a {@link ShapeCheck} that are not errors.
 *
 * @param unknownFields one message each: {@code unknown field "spec.foo"}
 */
public record ShapeCheckResult(List<String> unknownFields) {
    static final ShapeCheckResult NONE = new ShapeCheckResult(List.of());
}
