package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/** Rules that claims and volumes share: access modes, volume modes, class names. Stateless; thread-safe. */
final class AccessModeRules {
    private static final String EXCLUSIVE = "ReadWriteOncePod";
    private static final Set<String> ACCESS_MODES = Set.of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", EXCLUSIVE);
    private static final Set<String> VOLUME_MODES = Set.of("Block", "Filesystem");

    private AccessModeRules() {}

    /**
     * Validates access modes: known ones, and {@code ReadWriteOncePod} only alone. The caller checks that there is at
     * least one.
     */
    static void accessModes(JsonNode spec, String path, Violations violations) {
        boolean exclusive = false;
        boolean shared = false;
        for (JsonNode each : JsonFields.get(spec, "accessModes")) {
            String mode = each.asText("");
            if (!ACCESS_MODES.contains(mode)) {
                violations.notSupported(path + ".accessModes", mode, ACCESS_MODES);
            } else if (mode.equals(EXCLUSIVE)) {
                exclusive = true;
            } else {
                shared = true;
            }
        }
        if (exclusive && shared) {
            violations.forbidden(path + ".accessModes", "may not use ReadWriteOncePod with other access modes");
        }
    }

    static void volumeMode(JsonNode spec, String path, Violations violations) {
        if (JsonFields.has(spec, "volumeMode") && !VOLUME_MODES.contains(JsonFields.text(spec, "volumeMode"))) {
            violations.notSupported(path + ".volumeMode", JsonFields.text(spec, "volumeMode"), VOLUME_MODES);
        }
    }

    /** Requires that the volume mode is unchanged. */
    static void volumeModeUnchanged(JsonNode spec, JsonNode before, Violations violations) {
        if (!JsonFields.get(spec, "volumeMode").equals(JsonFields.get(before, "volumeMode"))) {
            violations.invalid(
                    "volumeMode", JsonFields.valueOrNull(JsonFields.get(spec, "volumeMode")), "field is immutable");
        }
    }

    /** Validates a class name, in a field that may be empty. */
    static void className(JsonNode spec, String field, String path, Violations violations) {
        String name = JsonFields.text(spec, field);
        if (!name.isEmpty()) {
            LabelRules.invalid(path + '.' + field, name, NameStyle.STORAGE_CLASS.problems(name), violations);
        }
    }
}
