package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Creates tests of rules from tables. Each line is a change of an example, {@code =>}, and the expected result:
 * {@code ok} or the violations (with {@code …} at the end, their beginning). Changes are {@code path: yaml} or
 * {@code -path}, separated by {@code ;}.
 */
final class RuleCases {
    private static final YAMLMapper YAML = new YAMLMapper();

    private final Rules rules;
    private final ObjectNode example;

    private RuleCases(Rules rules, ObjectNode example) {
        this.rules = rules;
        this.example = example;
    }

    static RuleCases of(Rules rules, String yaml) {
        return new RuleCases(rules, object(yaml));
    }

    static ObjectNode object(String yaml) {
        try {
            return (ObjectNode) YAML.readTree(yaml);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Returns the example with changes, as a client sends it. */
    ObjectNode sent(String changes) {
        ObjectNode object = example.deepCopy();
        for (String change : changes.split(" ; ", -1)) {
            if (!change.isBlank()) {
                change(object, change.strip());
            }
        }
        return object;
    }

    /** Returns another example: this one after creation, then changed without applying the rules. */
    RuleCases stored(String changes) {
        return new RuleCases(rules, new RuleCases(rules, created("")).sent(changes));
    }

    /** Returns the changed example after creation. */
    ObjectNode created(String changes) {
        ObjectNode object = sent(changes);
        rules.normalize(object);
        rules.prepareForCreate(object);
        rules.applyDefaults(object);
        return object;
    }

    /** Returns the changed example after an update. */
    ObjectNode updated(String changes) {
        ObjectNode object = sent(changes);
        rules.normalize(object);
        rules.prepareForUpdate(object, example);
        rules.applyDefaults(object);
        return object;
    }

    ObjectNode statusUpdated(String changes) {
        ObjectNode object = sent(changes);
        rules.normalize(object);
        rules.prepareForStatusUpdate(object, example);
        rules.applyDefaults(object);
        return object;
    }

    Stream<DynamicTest> creating(String table) {
        return cases(table, changes -> {
            Violations violations = new Violations();
            ObjectNode object = created(changes);
            rules.validate(object, violations);
            rules.validateCreate(object, violations);
            return violations;
        });
    }

    Stream<DynamicTest> updating(String table) {
        return cases(table, changes -> {
            Violations violations = new Violations();
            ObjectNode next = updated(changes);
            rules.validate(next, violations);
            rules.validateUpdate(next, example, violations);
            return violations;
        });
    }

    Stream<DynamicTest> updatingStatus(String table) {
        return cases(table, changes -> {
            Violations violations = new Violations();
            rules.validateStatusUpdate(statusUpdated(changes), example, violations);
            return violations;
        });
    }

    /** Validates a change. */
    interface Check {
        Violations of(String changes);
    }

    static Stream<DynamicTest> cases(String table, Check check) {
        return table.lines()
                .filter(line -> !line.isBlank() && !line.strip().startsWith("#"))
                .map(line -> {
                    String[] parts = line.split("=>", 2);
                    String expected = parts[1].strip();
                    return DynamicTest.dynamicTest(line.strip(), () -> {
                        Violations violations = check.of(parts[0].strip());
                        String found = violations.isEmpty() ? "ok" : violations.text();
                        if (expected.endsWith("…")) {
                            assertThat(found).startsWith(expected.substring(0, expected.length() - 1));
                        } else {
                            assertThat(found).isEqualTo(expected);
                        }
                    });
                });
    }

    private static void change(ObjectNode object, String change) {
        boolean removal = change.startsWith("-");
        int colon = change.indexOf(": ");
        String[] path = (removal ? change.substring(1) : change.substring(0, colon)).split("\\.", -1);
        ObjectNode parent = object;
        for (int i = 0; i < path.length - 1; i++) {
            parent = JsonFields.object(parent, path[i]);
        }
        if (removal) {
            assertThat(parent.remove(path[path.length - 1])).as(change).isNotNull();
        } else {
            parent.set(path[path.length - 1], value(change.substring(colon + 2)));
        }
    }

    private static JsonNode value(String yaml) {
        try {
            return YAML.readTree(yaml);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(yaml, e);
        }
    }
}
