package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Main code takes the reasons of Events from {@link EventReasons}. */
class EventReasonsTest {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Pattern LITERAL = Pattern.compile("\"[A-Z][A-Za-z]*\"");

    /** Calls with the reason of an Event, and its place among the arguments; negative places count from the end. */
    private static final Map<String, Integer> CALLS = Map.ofEntries(
            Map.entry("KubeEvent\\.(?:normal|warning)", 1),
            Map.entry("new KubeEvent", 2),
            Map.entry("StatusMessage\\.(?:normal|warning)", 0),
            Map.entry("new (?:SetUpResult\\.)?SetUpEvent", 0),
            Map.entry("new ContainerWarning", 0),
            Map.entry("new Orphan", 1),
            Map.entry("(?:progress\\.)?report", 0),
            Map.entry("context\\.(?:normal|warning|failed)", 0),
            Map.entry("(?:recorder\\.)?(?:normal|warning)", 1),
            Map.entry("(?:events\\.)?record", 1),
            Map.entry("events\\.record(?:Normal|Warning)", 0),
            Map.entry("recordOnce", 2),
            Map.entry("recordForNode", 2),
            Map.entry("recordForAll", -2),
            Map.entry("warnings\\.warn", 1));

    @Test
    void mainCode_recordingAnEvent_namesAConstantOfEventReasons() throws IOException {
        List<String> violations = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .forEach(file -> literalReasons(read(file))
                            .forEach(reason -> violations.add(SOURCES.relativize(file) + ": " + reason)));
        }

        assertThat(violations)
                .as("reasons of Events that are not constants of EventReasons")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KubeEvent.warning(InvolvedObject.of(pod.tree()), \"FailedMount\", \"a, b (c\", NAME);",
                "new KubeEvent(involved, type, isLate ? EventReasons.FAILED : \"Late\", message, actor);",
                "recorder.normal(\n    pod,\n    \"Created\", message);",
                "events.recordWarning(\"Failed\", message(\"x\"));",
                "recordForAll(task, type, \"Done\", message);",
                "String GONE = \"Gone\"; void f() { progress.report(GONE, message); }",
            })
    void scan_literalReason_isFound(String source) {
        assertThat(literalReasons(source)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KubeEvent.warning(InvolvedObject.of(pod.tree()), EventReasons.FAILED, \"Failed\", \"kubelet\");",
                "String GONE = EventReasons.LOCAL_VOLUME_GONE; void f() { progress.report(GONE, \"Gone\"); }",
                "static KubeEvent normal(InvolvedObject involved, String reason, String message) { }",
            })
    void scan_constantOfEventReasons_isNotFound(String source) {
        assertThat(literalReasons(source)).isEmpty();
    }

    @Test
    void reasons_areDistinctWords_andUsed() throws IllegalAccessException, IOException {
        List<String> values = new ArrayList<>();
        String sources;
        try (Stream<Path> files = Files.walk(SOURCES)) {
            sources = String.join(
                    "\n",
                    files.filter(file -> file.toString().endsWith(".java"))
                            .map(EventReasonsTest::read)
                            .toList());
        }
        for (Field field : EventReasons.class.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers())) {
                values.add((String) field.get(null));
                assertThat(sources).containsPattern("EventReasons\\." + field.getName() + "\\b");
            }
        }

        assertThat(values).doesNotHaveDuplicates().allMatch(value -> value.matches("[A-Z][A-Za-z]+"));
    }

    /** Returns the reasons in a source that are string literals, or constants of the same file with one. */
    private static List<String> literalReasons(String source) {
        List<String> found = new ArrayList<>();
        CALLS.forEach((call, place) -> {
            Matcher matcher = Pattern.compile("(?<![\\w.])" + call + "\\(").matcher(source);
            while (matcher.find()) {
                List<String> arguments = arguments(source, matcher.end());
                int index = place < 0 ? arguments.size() + place : place;
                if (index >= 0 && index < arguments.size() && isLiteral(arguments.get(index), source)) {
                    found.add(matcher.group() + "… " + arguments.get(index));
                }
            }
        });
        return found;
    }

    private static boolean isLiteral(String reason, String source) {
        return LITERAL.matcher(reason).find()
                || Pattern.compile("[A-Z][A-Z_]+")
                        .matcher(reason)
                        .results()
                        .anyMatch(name -> source.contains("String " + name.group() + " = \""));
    }

    /** Splits the arguments of a call at the commas outside of strings and nested brackets. */
    private static List<String> arguments(String source, int start) {
        List<String> arguments = new ArrayList<>();
        StringBuilder argument = new StringBuilder();
        int depth = 0;
        boolean quoted = false;
        for (int i = start; i < source.length(); i++) {
            char c = source.charAt(i);
            if (c == '"' && source.charAt(i - 1) != '\\' && source.charAt(i - 1) != '\'') {
                quoted = !quoted;
            }
            if (!quoted) {
                depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
            }
            if (depth < 0 || (c == ',' && depth == 0 && !quoted)) {
                arguments.add(argument.toString().strip());
                argument.setLength(0);
            } else {
                argument.append(c);
            }
            if (depth < 0) {
                break;
            }
        }
        return arguments;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
