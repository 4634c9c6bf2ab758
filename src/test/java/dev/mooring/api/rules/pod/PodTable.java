package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.mooring.api.kind.Violations;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Tables of Pods and what is wrong with them. A case is a few lines: what is put into a small sound Pod, and after {@code =>} what is
 * said about it, a line for each violation, or {@code ok}.
 *
 * <pre>
 * container {image: ''}
 * => spec.containers[0].image: Required value
 * </pre>
 *
 * The words before the YAML: {@code pod}, {@code spec}, {@code container} (the only one), {@code init} (one more, which runs before).
 */
final class PodTable {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final String SOUND =
            "{apiVersion: v1, kind: Pod, metadata: {name: app, namespace: team}, spec: {containers: [{name: c, image:"
                    + " busybox}]}}";

    private PodTable() {}

    /** Each case of the table as a test of {@link PodRules#validate}. */
    static Stream<DynamicTest> validated(String table) {
        return cases(table)
                .map(each -> DynamicTest.dynamicTest(each.given(), () -> {
                    ObjectNode pod = pod(each.given());
                    PodRules rules = new PodRules();
                    rules.applyDefaults(pod);
                    Violations violations = new Violations();
                    rules.validate(pod, violations);
                    each.check(violations);
                }));
    }

    /** Each case of the table, of the form {@code before}, {@code ->}, {@code after}, as a test of {@link PodRules#validateUpdate}. */
    static Stream<DynamicTest> updated(String table) {
        return cases(table)
                .map(each -> DynamicTest.dynamicTest(each.given(), () -> {
                    String[] both = each.given().split("->", -1);
                    ObjectNode before = pod(both[0]);
                    ObjectNode after = pod(both[1]);
                    PodRules rules = new PodRules();
                    rules.applyDefaults(before);
                    rules.applyDefaults(after);
                    Violations violations = new Violations();
                    rules.validateUpdate(after, before, violations);
                    each.check(violations);
                }));
    }

    /** The same for {@link PodRules#validateStatusUpdate}. */
    static Stream<DynamicTest> statusUpdated(String table) {
        return cases(table)
                .map(each -> DynamicTest.dynamicTest(each.given(), () -> {
                    String[] both = each.given().split("->", -1);
                    ObjectNode before = pod(both[0]);
                    ObjectNode after = pod(both[1]);
                    PodRules rules = new PodRules();
                    rules.applyDefaults(before);
                    rules.prepareForStatusUpdate(after, before);
                    Violations violations = new Violations();
                    rules.validateStatusUpdate(after, before, violations);
                    each.check(violations);
                }));
    }

    private record Case(String given, List<String> expected) {
        private void check(Violations violations) {
            List<String> found = violations.all().stream().map(Object::toString).toList();
            assertThat(found).isEqualTo(expected.equals(List.of("ok")) ? List.of() : expected);
        }
    }

    private static Stream<Case> cases(String table) {
        List<Case> cases = new ArrayList<>();
        List<String> given = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (String line : (table + "\nend").lines().toList()) {
            if (line.startsWith("=> ")) {
                expected.add(line.substring(3));
            } else if (!line.isBlank()) {
                if (!expected.isEmpty()) {
                    cases.add(new Case(String.join("\n", given), List.copyOf(expected)));
                    given.clear();
                    expected.clear();
                }
                given.add(line);
            }
        }
        assertThat(given).as("a case without expectation").containsExactly("end");
        return cases.stream();
    }

    /** The small sound Pod with the lines of a case put into it. */
    static ObjectNode pod(String lines) {
        ObjectNode pod = yaml(SOUND);
        for (String line : lines.strip().lines().toList()) {
            int space = line.indexOf(' ');
            String where = space < 0 ? line : line.substring(0, space);
            ObjectNode what = yaml(space < 0 ? "{}" : line.substring(space));
            ObjectNode spec = (ObjectNode) pod.get("spec");
            switch (where) {
                case "pod" -> merge(pod, what);
                case "spec" -> merge(spec, what);
                case "container" -> merge((ObjectNode) spec.get("containers").get(0), what);
                case "init" -> {
                    ObjectNode init = yaml("{name: i, image: busybox}");
                    merge(init, what);
                    spec.withArray("initContainers").add(init);
                }
                default ->
                    throw new IllegalArgumentException("Expected pod, spec, container or init, but found " + line);
            }
        }
        return pod;
    }

    static ObjectNode yaml(String text) {
        try {
            return (ObjectNode) YAML.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void merge(ObjectNode into, JsonNode patch) {
        patch.properties().forEach(field -> {
            if (field.getValue().isObject() && into.get(field.getKey()) instanceof ObjectNode deeper) {
                merge(deeper, field.getValue());
            } else {
                into.set(field.getKey(), field.getValue());
            }
        });
    }
}
