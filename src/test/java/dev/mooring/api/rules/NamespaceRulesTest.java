package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class NamespaceRulesTest {
    private final RuleCases namespace = RuleCases.of(new NamespaceRules(), "metadata: {name: team}");

    @TestFactory
    Stream<DynamicTest> create_finalizers_reportsViolations() {
        return namespace.creating("""
                                                => ok
            spec.finalizers: [example.com/a]    => ok
            spec.finalizers: [mine]             => spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified
            spec.finalizers: [a b/c]            => spec.finalizers: Invalid value: "a b/c": prefix part a lowercase RFC 1123 subdomain…
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateStatus_notBeingDeleted_requiresPhaseActive() {
        return namespace.stored("").updatingStatus("""
            status.phase: Active       => ok
            status.phase: Terminating  => status.Phase: Invalid value: "Terminating": may only be 'Active' if `deletionTimestamp` is empty
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateStatus_beingDeleted_requiresPhaseTerminating() {
        return namespace
                .stored("metadata.deletionTimestamp: 2026-01-31T12:00:00Z")
                .updatingStatus("""
                    status.phase: Terminating  => ok
                    status.phase: Active       => status.Phase: Invalid value: "Active": may only be 'Terminating' if `deletionTimestamp` is not empty
                    """);
    }

    @Test
    void create_setsNameLabelFinalizerAndPhase() {
        assertThat(namespace.created("status: {phase: Terminating}")).isEqualTo(RuleCases.object("""
            metadata: {name: team, labels: {kubernetes.io/metadata.name: team}}
            spec: {finalizers: [kubernetes]}
            status: {phase: Active}
            """));
        assertThat(namespace.created("spec.finalizers: [a/b, kubernetes]").at("/spec/finalizers"))
                .hasToString("[\"a/b\",\"kubernetes\"]");
    }

    @Test
    void update_keepsFinalizersNameLabelAndStatus() {
        RuleCases stored = namespace.stored("");

        assertThat(stored.updated("spec: {} ; metadata.labels: {a: b} ; status.phase: Terminating"))
                .isEqualTo(stored.sent("metadata.labels: {a: b, kubernetes.io/metadata.name: team}"));
    }
}
