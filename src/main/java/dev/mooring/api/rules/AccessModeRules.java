package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Violations;
import java.util.Set;

/** What claims and volumes say alike: access modes, volume modes, names of classes. Stateless; any thread. */
final class AccessModeRules {
    private static final String EXCLUSIVE = "ReadWriteOncePod";
    private static final Set<String> ACCESS_MODES = Set.of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", EXCLUSIVE);
    private static final Set<String> VOLUME_MODES = Set.of("Block", "Filesystem");

    private AccessModeRules() {}

    /** Known ones; {@code ReadWriteOncePod} alone. That there is one at all is for the caller to say. */
    static void accessModes(JsonNode spec, String path, Violations violations) {
        boolean exclusive = false;
        boolean shared = false;
        for (JsonNode each : Fields.get(spec, "accessModes")) {
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
        if (Fields.has(spec, "volumeMode") && !VOLUME_MODES.contains(Fields.text(spec, "volumeMode"))) {
            violations.notSupported(path + ".volumeMode", Fields.text(spec, "volumeMode"), VOLUME_MODES);
        }
    }

    /** Fixed once the object is there. */
    static void volumeModeUnchanged(JsonNode spec, JsonNode before, Violations violations) {
        if (!Fields.get(spec, "volumeMode").equals(Fields.get(before, "volumeMode"))) {
            violations.invalid("volumeMode", Fields.shown(Fields.get(spec, "volumeMode")), "field is immutable");
        }
    }

    /** The name of a class, in a field that may be empty. */
    static void className(JsonNode spec, String field, String path, Violations violations) {
        String name = Fields.text(spec, field);
        if (!name.isEmpty()) {
            LabelRules.invalid(path + '.' + field, name, NameStyle.STORAGE_CLASS.problems(name), violations);
        }
    }
}
