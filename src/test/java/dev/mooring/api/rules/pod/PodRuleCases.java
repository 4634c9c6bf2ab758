package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.mooring.api.rules.Violations;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Creates tests from tables of Pods and their violations. A case is a few lines: fields added to a small valid Pod, and
 * after {@code =>} each expected violation on its own line, or {@code ok}.
 *
 * <pre>
 * container {image: ''}
 * => spec.containers[0].image: Required value
 * </pre>
 *
 * The keyword before the YAML is {@code pod}, {@code spec}, {@code container} (the only one) or {@code init} (an
 * additional init container).
 */
final class PodRuleCases {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final String VALID_POD =
            "{apiVersion: v1, kind: Pod, metadata: {name: app, namespace: team}, spec: {containers: [{name: c, image:"
                    + " busybox}]}}";

    private PodRuleCases() {}

    /** Returns a test of {@link PodRules#validate} for each case of the table. */
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

    /**
     * Returns a test of {@link PodRules#validateUpdate} for each case of the table, of the form {@code before},
     * {@code ->}, {@code after}.
     */
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

    /** Returns a test of {@link PodRules#validateStatusUpdate} for each case, of the same form. */
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

    private record PodRuleCase(String given, List<String> expected) {
        private void check(Violations violations) {
            List<String> found = violations.all().stream().map(Object::toString).toList();
            assertThat(found).isEqualTo(expected.equals(List.of("ok")) ? List.of() : expected);
        }
    }

    private static Stream<PodRuleCase> cases(String table) {
        List<PodRuleCase> cases = new ArrayList<>();
        List<String> given = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (String line : (table + "\nend").lines().toList()) {
            if (line.startsWith("=> ")) {
                expected.add(line.substring(3));
            } else if (!line.isBlank()) {
                if (!expected.isEmpty()) {
                    cases.add(new PodRuleCase(String.join("\n", given), List.copyOf(expected)));
                    given.clear();
                    expected.clear();
                }
                given.add(line);
            }
        }
        assertThat(given).as("lines after the last expectation").containsExactly("end");
        return cases.stream();
    }

    /** Returns the small valid Pod with the lines of a case added to it. */
    static ObjectNode pod(String lines) {
        ObjectNode pod = yaml(VALID_POD);
        for (String line : lines.strip().lines().toList()) {
            int space = line.indexOf(' ');
            String keyword = space < 0 ? line : line.substring(0, space);
            ObjectNode fields = yaml(space < 0 ? "{}" : line.substring(space));
            ObjectNode spec = (ObjectNode) pod.get("spec");
            switch (keyword) {
                case "pod" -> merge(pod, fields);
                case "spec" -> merge(spec, fields);
                case "container" -> merge((ObjectNode) spec.get("containers").get(0), fields);
                case "init" -> {
                    ObjectNode init = yaml("{name: i, image: busybox}");
                    merge(init, fields);
                    spec.withArray("initContainers").add(init);
                }
                default ->
                    throw new IllegalArgumentException("line must start with pod, spec, container or init: " + line);
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
