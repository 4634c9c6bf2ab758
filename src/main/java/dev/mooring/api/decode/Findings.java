package dev.mooring.api.decode;

import java.util.List;

/**
 * What a {@link ShapeCheck} noticed and let pass.
 *
 * @param unknownFields one message each: {@code unknown field "spec.foo"}
 */
public record Findings(List<String> unknownFields) {
    static final Findings NONE = new Findings(List.of());
}
