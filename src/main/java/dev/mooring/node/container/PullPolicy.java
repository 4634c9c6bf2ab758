package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;

/** A container's imagePullPolicy. */
enum PullPolicy {
    ALWAYS,
    IF_NOT_PRESENT,
    NEVER;

    static PullPolicy of(JsonNode container, ImageName image) {
        return switch (container.path("imagePullPolicy").asText("")) {
            case "Always" -> ALWAYS;
            case "Never" -> NEVER;
            case "IfNotPresent" -> IF_NOT_PRESENT;
            default -> image.latest() ? ALWAYS : IF_NOT_PRESENT;
        };
    }
}
