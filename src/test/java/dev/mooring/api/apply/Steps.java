package dev.mooring.api.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Plays a story of writers of one thing, a line per step, and checks what it says. Each step happens a minute after the last.
 *
 * <pre>
 * apply one: {spec}     force one: {spec}     update one: {spec}
 * spec: {spec}          what the thing has now
 * owns one: {fields}    below f:spec, of an applier; "one/update" of an updater; "nobody" if there is no such entry
 * fails: text           the last apply, in which "|" stands for a line break
 * noop                  the last step changed nothing, not even a time
 * </pre>
 */
final class Steps {
    private static final FieldManagement MANAGEMENT =
            new FieldManagement(Things.THING, Things.VERSION, UndeclaredFields.REFUSED);

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Optional<ObjectNode> live = Optional.empty();
    private Optional<ObjectNode> before = Optional.empty();
    private String failure = "";

    static void play(String story) {
        Steps steps = new Steps();
        story.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(line -> {
            int colon = line.indexOf(':');
            String head = colon < 0 ? line : line.substring(0, colon);
            int space = head.indexOf(' ');
            steps.step(
                    space < 0 ? head : head.substring(0, space),
                    space < 0 ? "" : head.substring(space + 1),
                    colon < 0 ? "" : line.substring(colon + 1).strip());
        });
        assertThat(steps.failure).as("a failure nobody expects").isEmpty();
    }

    private void step(String verb, String who, String text) {
        switch (verb) {
            case "apply" -> apply(who, text, Force.NO);
            case "force" -> apply(who, text, Force.YES);
            case "update" -> update(who, text);
            case "spec" -> assertThat(ordered(live.orElseThrow().path("spec"))).isEqualTo(ordered(Things.json(text)));
            case "owns" -> assertThat(owned(who)).as("fields of %s", who).isEqualTo(fields(text));
            case "fails" -> {
                assertThat(failure).isEqualTo(text.replace('|', '\n'));
                failure = "";
            }
            case "noop" -> assertThat(live.map(Object::toString)).isEqualTo(before.map(Object::toString));
            default -> throw new IllegalArgumentException("Expected a step, but got " + verb);
        }
    }

    private void apply(String who, String text, Force force) {
        assertThat(failure).as("a failure nobody expects").isEmpty();
        now = now.plusSeconds(60);
        before = live;
        Applied applied =
                MANAGEMENT.apply(live, Things.thing(Things.json(text)), Manager.of(who, Things.VERSION), force, now);
        if (applied instanceof Applied.Merged merged) {
            assertThat(merged.changed()).isEqualTo(!live.equals(Optional.of(merged.object())));
            live = Optional.of(merged.object());
        } else if (applied instanceof Applied.Conflicted conflicted) {
            failure = conflicted.message();
        } else if (applied instanceof Applied.Rejected rejected) {
            failure = rejected.message();
        }
    }

    private void update(String who, String text) {
        now = now.plusSeconds(60);
        before = live;
        ObjectNode next = Things.thing(Things.json(text));
        Manager manager = Manager.of(who, Things.VERSION);
        if (live.isPresent()) {
            MANAGEMENT.updated(live.get(), next, manager, now);
        } else {
            MANAGEMENT.created(next, manager, now);
        }
        live = Optional.of(next);
    }

    private String owned(String who) {
        boolean updates = who.endsWith("/update");
        String name = updates ? who.substring(0, who.length() - "/update".length()) : who;
        String operation = updates ? "Update" : "Apply";
        for (JsonNode entry : live.orElseThrow().path("metadata").path("managedFields")) {
            if (entry.path("manager").asText().equals(name)
                    && entry.path("operation").asText().equals(operation)) {
                return entry.path("fieldsV1").path("f:spec").toString();
            }
        }
        return "nobody";
    }

    private static String fields(String text) {
        return text.equals("nobody") ? text : Things.json(text).toString();
    }

    /** Fields of objects in order, so that they can be compared as text; lists as they are. */
    private static String ordered(JsonNode value) {
        if (value.isObject()) {
            TreeMap<String, String> fields = new TreeMap<>();
            value.properties().forEach(field -> fields.put(field.getKey(), ordered(field.getValue())));
            return fields.toString();
        }
        if (value.isArray()) {
            return StreamSupport.stream(value.spliterator(), false)
                    .map(Steps::ordered)
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        return value.toString();
    }
}
