package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Runs a scenario of several managers that write one object, and checks its results. Each line is a step or check;
 * steps are one minute apart.
 *
 * <pre>
 * apply one: {spec}     force one: {spec}     update one: {spec}
 * spec: {spec}          the current spec of the object
 * owns one: {fields}    below f:spec, of an applier; "one/update" for an updater; "none" if there is no such entry
 * fails: text           message of the last apply; "|" stands for a line break
 * noop                  the last step changed nothing, not even a time
 * </pre>
 */
final class ApplyScenario {
    private static final FieldManager FIELD_MANAGER =
            new FieldManager(SampleKind.THING, SampleKind.VERSION, FieldManager.UndeclaredFields.REFUSED);

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Optional<ObjectNode> live = Optional.empty();
    private Optional<ObjectNode> before = Optional.empty();
    private String failure = "";

    static void run(String scenario) {
        ApplyScenario steps = new ApplyScenario();
        scenario.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(line -> {
            int colon = line.indexOf(':');
            String head = colon < 0 ? line : line.substring(0, colon);
            int space = head.indexOf(' ');
            steps.step(
                    space < 0 ? head : head.substring(0, space),
                    space < 0 ? "" : head.substring(space + 1),
                    colon < 0 ? "" : line.substring(colon + 1).strip());
        });
        assertThat(steps.failure).as("unexpected failure").isEmpty();
    }

    private void step(String verb, String managerName, String text) {
        switch (verb) {
            case "apply" -> apply(managerName, text, FieldManager.Force.NO);
            case "force" -> apply(managerName, text, FieldManager.Force.YES);
            case "update" -> update(managerName, text);
            case "spec" ->
                assertThat(ordered(live.orElseThrow().path("spec"))).isEqualTo(ordered(SampleKind.json(text)));
            case "owns" ->
                assertThat(owned(managerName)).as("fields of %s", managerName).isEqualTo(fields(text));
            case "fails" -> {
                assertThat(failure).isEqualTo(text.replace('|', '\n'));
                failure = "";
            }
            case "noop" -> assertThat(live.map(Object::toString)).isEqualTo(before.map(Object::toString));
            default -> throw new IllegalArgumentException("unknown step: " + verb);
        }
    }

    private void apply(String managerName, String text, FieldManager.Force force) {
        assertThat(failure).as("unexpected failure").isEmpty();
        now = now.plusSeconds(60);
        before = live;
        ApplyResult applied = FIELD_MANAGER.apply(
                live, SampleKind.thing(SampleKind.json(text)), Manager.of(managerName, SampleKind.VERSION), force, now);
        if (applied instanceof ApplyResult.Merged merged) {
            assertThat(merged.changed()).isEqualTo(!live.equals(Optional.of(merged.object())));
            live = Optional.of(merged.object());
        } else if (applied instanceof ApplyResult.Conflicted conflicted) {
            failure = conflicted.message();
        } else if (applied instanceof ApplyResult.Rejected rejected) {
            failure = rejected.message();
        }
    }

    private void update(String managerName, String text) {
        now = now.plusSeconds(60);
        before = live;
        ObjectNode next = SampleKind.thing(SampleKind.json(text));
        Manager manager = Manager.of(managerName, SampleKind.VERSION);
        if (live.isPresent()) {
            FIELD_MANAGER.recordUpdate(live.get(), next, manager, now);
        } else {
            FIELD_MANAGER.recordCreate(next, manager, now);
        }
        live = Optional.of(next);
    }

    private String owned(String managerName) {
        boolean updates = managerName.endsWith("/update");
        String name = updates ? managerName.substring(0, managerName.length() - "/update".length()) : managerName;
        String operation = updates ? "Update" : "Apply";
        for (JsonNode entry : live.orElseThrow().path("metadata").path("managedFields")) {
            if (entry.path("manager").asText().equals(name)
                    && entry.path("operation").asText().equals(operation)) {
                return entry.path("fieldsV1").path("f:spec").toString();
            }
        }
        return "none";
    }

    private static String fields(String text) {
        return text.equals("none") ? text : SampleKind.json(text).toString();
    }

    /** Returns the value as text with sorted object fields, so that it can be compared; lists keep their order. */
    private static String ordered(JsonNode value) {
        if (value.isObject()) {
            TreeMap<String, String> fields = new TreeMap<>();
            value.properties().forEach(field -> fields.put(field.getKey(), ordered(field.getValue())));
            return fields.toString();
        }
        if (value.isArray()) {
            return StreamSupport.stream(value.spliterator(), false)
                    .map(ApplyScenario::ordered)
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        return value.toString();
    }
}
