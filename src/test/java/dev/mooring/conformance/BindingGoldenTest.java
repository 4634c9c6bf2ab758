package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.ParallelTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares scenarios with their recording from Kubernetes 1.35, step by step: response codes, volumes, claims, Pods,
 * reasons of Events. {@code docs/differences.md} names the scenarios that are intended to end differently; one that is
 * named there and ends the same fails, too.
 */
final class BindingGoldenTest {
    private static final Path RECORD = Path.of("src/test/resources/binding");
    private static final Path DIFFERENCES = Path.of("docs/differences.md");
    private static final Pattern SCENARIO = Pattern.compile("\\b(?:cat|rnd)-[\\w-]+");

    /** Reasons of Events that only Mooring records; they are not compared. */
    private static final Set<String> MOORING_ONLY = Set.of("VolumeReleased", "ClaimInUse", "VolumeInUse");

    /**
     * Reasons of Events that explain why a claim waits. Kubernetes also records them while its caches do not have an
     * existing volume or class yet; a server that has it need not record them.
     */
    private static final Set<String> WAITING = Set.of("FailedBinding", "ExternalProvisioning", "ProvisioningFailed");

    @TempDir
    Path data;

    private final ParallelTasks tasks = new ParallelTasks();

    @AfterEach
    void closeTasks() {
        tasks.close();
    }

    @TestFactory
    Stream<DynamicTest> recordedScenario_endsAsInKubernetes() throws IOException {
        JsonNode golden = read("golden.json");
        Set<String> different = documentedDifferences();
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode scenario : read("scenarios.json")) {
            String id = scenario.get("id").asText();
            BindingScenario.Result expected = BindingScenario.Result.of(golden.get(id));
            Callable<BindingScenario.Result> found = tasks.submit(() -> BindingScenario.run(
                    scenario,
                    data.resolve(id),
                    expected,
                    different.contains(id) ? BindingScenario.ExpectedEnd.DIFFERENT : BindingScenario.ExpectedEnd.SAME,
                    result -> missing(expected, result).isEmpty()));
            tests.add(DynamicTest.dynamicTest(
                    id + " " + scenario.get("title").asText(),
                    () -> compare(found.call(), expected, different.contains(id))));
        }
        return tests.stream();
    }

    @Test
    void scenarios_matchRecordsAndIncludeDocumentedDifferences() throws IOException {
        Set<String> scenarios = new TreeSet<>();
        read("scenarios.json").forEach(each -> scenarios.add(each.get("id").asText()));
        Set<String> recorded = new TreeSet<>();
        read("golden.json").fieldNames().forEachRemaining(recorded::add);
        assertThat(recorded).isEqualTo(scenarios);
        assertThat(scenarios).containsAll(documentedDifferences());
    }

    private static void compare(
            BindingScenario.Result found, BindingScenario.Result expected, boolean isExpectedToDiffer) {
        List<String> differences = new ArrayList<>();
        if (!answers(expected).equals(answers(found))) {
            differences.add("codes " + expected.codes() + " ≠ " + found.codes());
        }
        for (int i = 0; i < expected.states().size() && differences.isEmpty(); i++) {
            compare(i, expected.states().get(i), found.states().get(i), differences);
        }
        if (isExpectedToDiffer) {
            assertThat(differences)
                    .as("differences of a scenario that docs/differences.md names")
                    .isNotEmpty();
            return;
        }
        assertThat(differences).as("Kubernetes ≠ Mooring").isEmpty();
        compareEvents(expected, found);
    }

    private static List<String> answers(BindingScenario.Result result) {
        return result.codes().stream()
                .map(code -> code > 0 && code < 300 ? "ok" : Integer.toString(code))
                .toList();
    }

    private static void compare(
            int step, Map<String, JsonNode> expected, Map<String, JsonNode> found, List<String> differences) {
        TreeSet<String> objects = new TreeSet<>(expected.keySet());
        objects.addAll(found.keySet());
        for (String object : objects) {
            JsonNode expectedState = expected.get(object);
            JsonNode actualState = found.get(object);
            String where = "state " + step + " " + object + ": ";
            if (expectedState == null || actualState == null) {
                differences.add(where + (actualState == null ? "missing" : "unexpected"));
            } else if (!expectedState.equals(actualState)) {
                List<String> fields = new ArrayList<>();
                for (Map.Entry<String, JsonNode> each : expectedState.properties()) {
                    if (!Objects.equals(each.getValue(), actualState.get(each.getKey()))) {
                        fields.add(each.getKey() + " " + each.getValue() + " ≠ " + actualState.get(each.getKey()));
                    }
                }
                differences.add(where + String.join(", ", fields));
            }
        }
    }

    private static void compareEvents(BindingScenario.Result expected, BindingScenario.Result found) {
        Set<String> unexpected = new TreeSet<>(found.events());
        unexpected.removeAll(expected.events());
        unexpected.removeIf(event -> MOORING_ONLY.contains(reason(event)));
        assertThat(missing(expected, found))
                .as("Events that only Kubernetes records")
                .isEmpty();
        assertThat(unexpected).as("Events that only Mooring records").isEmpty();
    }

    private static Set<String> missing(BindingScenario.Result expected, BindingScenario.Result found) {
        Set<String> missing = new TreeSet<>(expected.events());
        missing.removeAll(found.events());
        missing.removeIf(event -> WAITING.contains(reason(event)) && isPremature(event, expected, found));
        return missing;
    }

    private static String reason(String event) {
        return event.split(" ", -1)[1];
    }

    /** Whether the claim is never pending, or waits for another reason that both record. */
    private static boolean isPremature(String event, BindingScenario.Result expected, BindingScenario.Result found) {
        String object = event.substring(event.lastIndexOf(' '));
        boolean hasOtherReason = found.events().stream()
                .anyMatch(each -> each.endsWith(object)
                        && WAITING.contains(reason(each))
                        && expected.events().contains(each));
        String claim = "pvc/" + event.substring(event.indexOf('/') + 1);
        return hasOtherReason
                || found.states().stream()
                        .map(state -> state.get(claim))
                        .filter(Objects::nonNull)
                        .noneMatch(state -> state.get("phase").asText().equals("Pending"));
    }

    private static JsonNode read(String name) throws IOException {
        return BindingApiClient.JSON.readTree(RECORD.resolve(name).toFile());
    }

    private static Set<String> documentedDifferences() throws IOException {
        Set<String> named = new HashSet<>();
        Matcher scenarios = SCENARIO.matcher(Files.readString(DIFFERENCES));
        while (scenarios.find()) {
            named.add(scenarios.group());
        }
        return named;
    }
}
