package dev.mooring.api.rules;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests the rules of ResourceQuotas, RuntimeClasses and PriorityClasses. */
class PolicyRulesTest {
    private final RuleCases quota = RuleCases.of(new ResourceQuotaRules(), """
        metadata: {name: q, namespace: team}
        spec: {hard: {pods: 1}}
        """);
    private final RuleCases runtime = RuleCases.of(new RuntimeClassRules(), """
        {metadata: {name: r}, handler: runc, overhead: {podFixed: {cpu: 1}}}
        """);
    private final RuleCases priority = RuleCases.of(
            new PriorityClassRules(), "{metadata: {name: p}, value: 10, preemptionPolicy: PreemptLowerPriority}");

    @TestFactory
    Stream<DynamicTest> quota_limits() {
        return quota.creating("""
            spec.hard: {requests.storage: 1Gi, requests.cpu: 500m, count/jobs.batch: 3, gold.storageclass.storage.k8s.io/requests.storage: 1Gi} => ok
            spec: {}                                  => ok
            spec.hard: {pods: -1}                     => spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0
            spec.hard: {pods: 500m}                   => spec.hard[pods]: Invalid value: "500m": must be an integer
            spec.hard: {storage: 1}                   => spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota
            spec.hard: {widgets: 1}                   => [spec.hard[widgets]: Invalid value: "widgets": must be a standard resource type or fully qualified, spec.hard[widgets]: Invalid value: "widgets": must be a standard resource for quota]
            spec.hard: {a/b/c: 1}                     => spec.hard[a/b/c]: Invalid value: "a/b/c": a valid label key …
            spec.scopes: [BestEffort]                 => spec.scopes: Forbidden: Mooring does not support scopes, the limits apply to all objects of the namespace; remove the field
            spec.scopeSelector: {matchExpressions: []} => spec.scopeSelector: Forbidden: Mooring does not support scopes…
            """);
    }

    @TestFactory
    Stream<DynamicTest> runtimeClass_handlerIsImmutable() {
        return Stream.concat(runtime.creating("""
            handler: runc        => ok
            handler: Run_C       => handler: Invalid value: "Run_C": a lowercase RFC 1123 label must consist of…
            """), runtime.updating("""
                metadata.labels: {a: b} => ok
                handler: kata           => handler: Invalid value: "kata": field is immutable
                """));
    }

    @TestFactory
    Stream<DynamicTest> priorityClass_valueIsLimitedAndImmutable() {
        return Stream.concat(priority.creating("""
            value: 1000000000       => ok
            value: 1000000001       => value: Forbidden: maximum allowed value of a user defined priority is 1000000000
            metadata.name: system-x => metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only
            preemptionPolicy: Maybe => preemptionPolicy: Unsupported value: "Maybe": supported values: "Never", "PreemptLowerPriority"
            """), priority.updating("""
                description: other      => ok
                value: 11               => value: Invalid value: 11: field is immutable
                """));
    }
}
