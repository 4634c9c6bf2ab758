package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.TwoAtOnce;
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
 * Scenarios recorded with Kubernetes 1.35 end the same way here, step by step: answers, volumes, claims, Pods, reasons of Events. Where they
 * are meant to end otherwise, {@code docs/differences.md} names them; one that is named there and ends the same is a mistake too.
 */
final class BindingGoldenTest {
    private static final Path RECORD = Path.of("src/test/resources/binding");
    private static final Path DIFFERENCES = Path.of("docs/differences.md");
    private static final Pattern SCENARIO = Pattern.compile("\\b(?:cat|rnd)-[\\w-]+");

    /** Events that Kubernetes does not have; nobody is confused by them. */
    private static final Set<String> OURS = Set.of("VolumeReleased", "ClaimInUse", "VolumeInUse");

    /**
     * Events that say why a claim waits. Kubernetes also tells them when it has only not yet heard of a volume or class that is already
     * there; who knows is right not to say so.
     */
    private static final Set<String> WAITING = Set.of("FailedBinding", "ExternalProvisioning", "ProvisioningFailed");

    @TempDir
    Path data;

    private final TwoAtOnce parts = new TwoAtOnce();

    @AfterEach
    void end() {
        parts.close();
    }

    @TestFactory
    Stream<DynamicTest> endsAsInKubernetes() throws IOException {
        JsonNode golden = read("golden.json");
        Set<String> meant = namedAsDifferent();
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode scenario : read("scenarios.json")) {
            String id = scenario.get("id").asText();
            BindingScenario.Result expected = BindingScenario.Result.of(golden.get(id));
            Callable<BindingScenario.Result> found =
                    parts.begin(() -> BindingScenario.run(scenario, data.resolve(id), expected));
            tests.add(DynamicTest.dynamicTest(
                    id + " " + scenario.get("title").asText(),
                    () -> compare(found.call(), expected, meant.contains(id))));
        }
        return tests.stream();
    }

    @Test
    void everyScenarioHasARecordAndEveryDifferenceAScenario() throws IOException {
        Set<String> scenarios = new TreeSet<>();
        read("scenarios.json").forEach(each -> scenarios.add(each.get("id").asText()));
        Set<String> recorded = new TreeSet<>();
        read("golden.json").fieldNames().forEachRemaining(recorded::add);
        assertThat(recorded).isEqualTo(scenarios);
        assertThat(scenarios).containsAll(namedAsDifferent());
    }

    private static void compare(
            BindingScenario.Result found, BindingScenario.Result expected, boolean isMeantToDiffer) {
        List<String> differences = new ArrayList<>();
        if (!answers(expected).equals(answers(found))) {
            differences.add("codes " + expected.codes() + " ≠ " + found.codes());
        }
        for (int i = 0; i < expected.states().size() && differences.isEmpty(); i++) {
            compare(i, expected.states().get(i), found.states().get(i), differences);
        }
        if (isMeantToDiffer) {
            assertThat(differences)
                    .as("what docs/differences.md names as different")
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
            JsonNode has = expected.get(object);
            JsonNode got = found.get(object);
            String where = "state " + step + " " + object + ": ";
            if (has == null || got == null) {
                differences.add(where + (got == null ? "missing" : "unexpected"));
            } else if (!has.equals(got)) {
                List<String> fields = new ArrayList<>();
                for (Map.Entry<String, JsonNode> each : has.properties()) {
                    if (!Objects.equals(each.getValue(), got.get(each.getKey()))) {
                        fields.add(each.getKey() + " " + each.getValue() + " ≠ " + got.get(each.getKey()));
                    }
                }
                differences.add(where + String.join(", ", fields));
            }
        }
    }

    private static void compareEvents(BindingScenario.Result expected, BindingScenario.Result found) {
        Set<String> missing = new TreeSet<>(expected.events());
        missing.removeAll(found.events());
        missing.removeIf(event -> WAITING.contains(reason(event)) && isPremature(event, expected, found));
        Set<String> unexpected = new TreeSet<>(found.events());
        unexpected.removeAll(expected.events());
        unexpected.removeIf(event -> OURS.contains(reason(event)));
        assertThat(missing).as("Events that Kubernetes has").isEmpty();
        assertThat(unexpected).as("Events that Kubernetes has not").isEmpty();
    }

    private static String reason(String event) {
        return event.split(" ", -1)[1];
    }

    /** Whether the claim waits never, or for another reason that both tell. */
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
        return BindingApi.JSON.readTree(RECORD.resolve(name).toFile());
    }

    private static Set<String> namedAsDifferent() throws IOException {
        Set<String> named = new HashSet<>();
        Matcher scenarios = SCENARIO.matcher(Files.readString(DIFFERENCES));
        while (scenarios.find()) {
            named.add(scenarios.group());
        }
        return named;
    }
}
