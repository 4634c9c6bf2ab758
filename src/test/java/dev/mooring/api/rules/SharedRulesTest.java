package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests rules that several kinds share. */
class SharedRulesTest {
    @TestFactory
    Stream<DynamicTest> nodeAffinityOfPod_terms_reportsViolations() {
        return RuleCases.cases("""
            {}                                                                                  => ok
            {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}         => ok
            {requiredDuringSchedulingIgnoredDuringExecution: {}}                                => p.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term
            {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]}    => ok
            {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, preference: {}}]}  => p.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100
            {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: X}]}}]} => p.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator
            """, affinity -> {
            Violations violations = new Violations();
            NodeAffinityRules.ofPod(RuleCases.object(affinity), "p", violations);
            return violations;
        });
    }

    @TestFactory
    Stream<DynamicTest> notNegative_quantity_reportsViolations() {
        return RuleCases.cases("""
            {a: 0}      => ok
            {a: 1.5}    => ok
            {a: 1Gi}    => ok
            {}          => ok
            {a: -1Mi}   => a: Invalid value: "-1Mi": must be greater than or equal to 0
            """, quantity -> {
            Violations violations = new Violations();
            QuantityRules.notNegative(JsonFields.get(RuleCases.object(quantity), "a"), "a", violations);
            return violations;
        });
    }

    @Test
    void same_quantities_areComparedByValue() {
        ObjectNode one = RuleCases.object("{storage: 1Gi, cpu: 1}");

        assertThat(QuantityRules.same(one, RuleCases.object("{cpu: 1000m, storage: 1024Mi}")))
                .isTrue();
        assertThat(QuantityRules.same(one, RuleCases.object("{cpu: 1, storage: 1G}")))
                .isFalse();
        assertThat(QuantityRules.same(one, RuleCases.object("{storage: 1Gi}"))).isFalse();
        assertThat(QuantityRules.same(RuleCases.object("{storage: 1Gi}"), one)).isFalse();
    }

    @Test
    void managerName_unprintableCharacter_isNamed() {
        assertThat(manager("kubectl größer 1")).isEqualTo("[]");
        assertThat(manager("a\tb")).isEqualTo("m: Invalid value: \"a\\tb\": invalid character U+0009 (at position 1)");
        assertThat(manager("ä" + (char) 0x2028)).endsWith(": invalid character U+2028 (at position 2)");
    }

    private static String manager(String name) {
        Violations violations = new Violations();
        ManagerRules.name(name, "m", violations);
        return violations.text();
    }
}
