package dev.mooring.api.rules.pod;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class PodSpecRulesTest {
    private static final String SUBDOMAIN =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    @TestFactory
    Stream<DynamicTest> spec_policiesAndNames_areChecked() {
        return PodRuleCases.validated("""
            spec {restartPolicy: OnFailure, dnsPolicy: Default, activeDeadlineSeconds: 1, preemptionPolicy: Never, nodeName: n, hostname: h, subdomain: s, priorityClassName: p, runtimeClassName: r, nodeSelector: {a: b}}
            => ok

            spec {restartPolicy: Sometimes}
            => spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"

            spec {dnsPolicy: Guess}
            => spec.dnsPolicy: Unsupported value: "Guess": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"

            spec {preemptionPolicy: Maybe}
            => spec.preemptionPolicy: Unsupported value: "Maybe": supported values: "PreemptLowerPriority", "Never"

            spec {preemptionPolicy: ''}
            => spec.preemptionPolicy: Required value

            spec {activeDeadlineSeconds: 0}
            => spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive

            spec {serviceAccountName: A, nodeName: B, priorityClassName: C, runtimeClassName: D}
            => spec.serviceAccountName: Invalid value: "A": %1$s
            => spec.nodeName: Invalid value: "B": %1$s
            => spec.priorityClassName: Invalid value: "C": %1$s
            => spec.runtimeClassName: Invalid value: "D": %1$s

            spec {hostname: a.b, subdomain: c.d}
            => spec.hostname: Invalid value: "a.b": must not contain dots
            => spec.subdomain: Invalid value: "c.d": must not contain dots

            spec {hostnameOverride: a.b}
            => ok

            spec {hostnameOverride: a.b, hostNetwork: true, setHostnameAsFQDN: true}
            => spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true
            => spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true

            spec {readinessGates: [{conditionType: example.com/x}], schedulingGates: [{name: example.com/y}]}
            => ok

            spec {readinessGates: [{conditionType: a/b/c}]}
            => spec.readinessGates[0].conditionType: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')

            spec {schedulingGates: [{name: a}, {name: a}]}
            => spec.schedulingGates[1]: Duplicate value: "a"
            """.formatted(SUBDOMAIN));
    }

    @TestFactory
    Stream<DynamicTest> spec_dnsConfigAndHostAliases_areChecked() {
        return PodRuleCases.validated("""
            spec {dnsPolicy: None, dnsConfig: {nameservers: [1.2.3.4, '2001:db8::1'], searches: [a.b, ., _x.y.], options: [{name: ndots, value: '5'}]}}
            => ok

            spec {dnsPolicy: None}
            => spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None

            spec {dnsPolicy: None, dnsConfig: {}}
            => spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None

            spec {dnsConfig: {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.256], searches: [A], options: [{value: x}]}}
            => spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.256"]: must not have more than 3 nameservers
            => spec.dnsConfig.nameservers[3]: Invalid value: "1.1.1.256": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)
            => spec.dnsConfig.searches[0]: Invalid value: "A": %1$s
            => spec.dnsConfig.options[0]: Required value: must not be empty

            spec {hostAliases: [{ip: 10.0.0.1, hostnames: [a, b.c]}]}
            => ok

            spec {hostAliases: [{ip: ten, hostnames: [A]}]}
            => spec.hostAliases[0].ip: Invalid value: "ten": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)
            => spec.hostAliases[0].hostnames[0]: Invalid value: "A": %1$s
            """.formatted(SUBDOMAIN));
    }

    @TestFactory
    Stream<DynamicTest> spec_tolerations_areChecked() {
        return PodRuleCases.validated("""
            spec {tolerations: [{operator: Exists}, {key: a, value: b, effect: NoSchedule}, {key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]}
            => ok

            spec {tolerations: [{value: x}]}
            => spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"

            spec {tolerations: [{key: a, tolerationSeconds: 5}]}
            => spec.tolerations[0].effect: Invalid value: "": effect must be 'NoExecute' when `tolerationSeconds` is set

            spec {tolerations: [{key: a, operator: Exists, value: x}, {key: a, operator: Like}, {key: a, effect: Never}]}
            => spec.tolerations[0].operator: Invalid value: "x": value must be empty when `operator` is 'Exists'
            => spec.tolerations[1].operator: Unsupported value: "Like": supported values: "Equal", "Exists"
            => spec.tolerations[2].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"
            """);
    }

    @TestFactory
    Stream<DynamicTest> spec_affinity_isChecked() {
        return PodRuleCases.validated("""
            spec {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}]}]}}, podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: z, labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [c]}}]}}}
            => ok

            spec {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}}
            => spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term

            spec {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, namespaces: [a.b], matchLabelKeys: [c]}]}}}
            => spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: "a.b": must not contain dots
            => spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set

            spec {affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: z, labelSelector: {matchExpressions: [{key: a, operator: In}]}, matchLabelKeys: [c], mismatchLabelKeys: [c]}}]}}}
            => spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100
            => spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'
            => spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys[0]: Invalid value: "c": exists in both matchLabelKeys and mismatchLabelKeys
            """);
    }

    @TestFactory
    Stream<DynamicTest> spec_topologySpreadConstraints_areChecked() {
        return PodRuleCases.validated("""
            spec {topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, minDomains: 2, nodeTaintsPolicy: Honor}]}
            => ok

            spec {topologySpreadConstraints: [{}]}
            => spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero
            => spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty
            => spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"

            spec {topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}, {maxSkew: 2, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, nodeAffinityPolicy: Obey}]}
            => spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"
            => spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway
            => spec.topologySpreadConstraints[1].nodeAffinityPolicy: Unsupported value: "Obey": supported values: "Honor", "Ignore"
            """);
    }
}
