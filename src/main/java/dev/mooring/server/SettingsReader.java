package dev.mooring.server;

import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Collects the layers, lowest precedence first, and reads typed values from the highest one that has a value. Errors
 * are collected, not thrown. Not thread-safe; for one load.
 */
final class SettingsReader {
    private record Layer(String source, Map<String, Object> values) {}

    /** Variables of the launcher and of client commands. */
    private static final List<String> OTHER_VARIABLES = List.of("MOORING_CONFIG", "MOORING_OPTS", "MOORING_KUBECONFIG");

    /** Variables of Mooring's own tests. */
    private static final String TESTS = "MOORING_TEST_";

    /** Flags with names that differ from their settings. */
    private static final Map<SettingsTable.Setting<?>, String> FLAG_NAMES = Map.of(
            SettingsTable.LOG_KIND, "log",
            SettingsTable.KUBECONFIG, "kubeconfig",
            SettingsTable.NODE_IDENTITY, "node-identity");

    private final List<Layer> layers = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final SortedMap<String, String> texts = new TreeMap<>();

    /** Adds the variables of {@code docker}, which have the lowest precedence. */
    void addVariablesOfDocker(Map<String, String> environment) {
        addVariable(environment, "DOCKER_HOST", SettingsTable.DOCKER_HOST);
        if (!environment.getOrDefault("DOCKER_TLS_VERIFY", "").isBlank()) {
            addVariable(environment, "DOCKER_CERT_PATH", SettingsTable.DOCKER_TLS_DIRECTORY);
        }
    }

    private void addVariable(Map<String, String> environment, String name, SettingsTable.Setting<?> setting) {
        String value = environment.getOrDefault(name, "");
        if (!value.isBlank()) {
            layers.add(new Layer("the environment (" + name + ")", Map.of(setting.key(), value)));
        }
    }

    void addFile(Path path, JsonObject content) {
        Map<String, Object> values = flatten(content);
        for (String key : values.keySet()) {
            if (SettingsTable.byKey(key).isEmpty()) {
                problem("Unknown setting \"" + key + "\" in " + path + "; next: " + suggestion(key));
            }
        }
        layers.add(new Layer(path.toString(), values));
    }

    void addEnvironment(JsonObject variables) {
        for (String name : variables.fieldNames()) {
            Optional<SettingsTable.Setting<?>> setting = SettingsTable.byEnvironmentName(name);
            String value = String.valueOf(variables.getValue(name));
            if (setting.isPresent() && value.isBlank()) {
                continue; // scripts unset a variable by setting it to ""
            }
            if (setting.isPresent()) {
                layers.add(new Layer(
                        "the environment (" + name + ")", Map.of(setting.get().key(), value)));
            } else if (!OTHER_VARIABLES.contains(name.toUpperCase(Locale.ROOT)) && !name.startsWith(TESTS)) {
                problem("Unknown setting " + name + " in the environment; next: "
                        + SettingsTable.nearest(SettingsTable.Setting.keyLike(name))
                                .map(near -> "did you mean " + near.environmentName() + "?")
                                .orElse("unset it, or see conf/mooring.yaml for all settings"));
            }
        }
    }

    void addFlags(Map<String, String> flags) {
        flags.forEach((key, value) -> {
            SettingsTable.Setting<?> setting = SettingsTable.byKey(key).orElseThrow();
            layers.add(new Layer("--" + flagName(setting), Map.of(key, value)));
        });
    }

    <T> T value(SettingsTable.Setting<T> setting) {
        return value(setting, setting.defaultText());
    }

    /** Returns the value; null only after an error was recorded. */
    <T> T value(SettingsTable.Setting<T> setting, String computedDefault) {
        for (int i = layers.size() - 1; i >= 0; i--) {
            Object given = layers.get(i).values().get(setting.key());
            if (given != null) {
                // After an error the default is used, so that the remaining settings can be checked too.
                return read(setting, String.valueOf(given), layers.get(i).source())
                        .or(() -> read(setting, computedDefault, "the default"))
                        .orElse(null);
            }
        }
        return read(setting, computedDefault, "the default").orElse(null);
    }

    /** Returns the values that were read so far, as text. */
    SortedMap<String, String> texts() {
        return Collections.unmodifiableSortedMap(texts);
    }

    private <T> Optional<T> read(SettingsTable.Setting<T> setting, String text, String source) {
        try {
            T value = setting.type().read(text);
            texts.put(setting.key(), text);
            return Optional.of(value);
        } catch (IllegalArgumentException e) {
            problem(setting.key() + " must be " + setting.type().allowed() + ", got \"" + text + "\" from " + source
                    + "; next: " + remedy(setting, text));
            return Optional.empty();
        }
    }

    private static String remedy(SettingsTable.Setting<?> setting, String text) {
        if (setting.equals(SettingsTable.LOG_KIND) && text.startsWith("etcd://")) {
            return "use file; a log in etcd is not available in this version";
        }
        return "correct it there";
    }

    void problem(String problem) {
        problems.add(problem);
    }

    List<String> problems() {
        return problems;
    }

    /** {@code {log: {kind: file}}} becomes {@code log.kind → file}; entries without a value are skipped. */
    private static Map<String, Object> flatten(JsonObject content) {
        Map<String, Object> flat = new LinkedHashMap<>();
        flattenInto(flat, "", content);
        return flat;
    }

    private static void flattenInto(Map<String, Object> flat, String prefix, JsonObject content) {
        for (String name : content.fieldNames()) {
            Object value = content.getValue(name);
            if (value instanceof JsonObject nested) {
                flattenInto(flat, prefix + name + ".", nested);
            } else {
                flat.put(prefix + name, value == null || value.toString().isBlank() ? null : value);
            }
        }
    }

    private static String flagName(SettingsTable.Setting<?> setting) {
        return FLAG_NAMES.getOrDefault(setting, setting.key());
    }

    private static String suggestion(String key) {
        return SettingsTable.nearest(key)
                .map(near -> "did you mean " + near.key() + "?")
                .orElse("see conf/mooring.yaml for all settings");
    }
}
