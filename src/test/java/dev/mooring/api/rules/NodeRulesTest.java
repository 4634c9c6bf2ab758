package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class NodeRulesTest {
    private final RuleCases node = RuleCases.of(new NodeRules(), """
        metadata: {name: n1}
        spec: {providerID: here, podCIDRs: [10.0.0.0/24], podCIDR: 10.0.0.0/24}
        status: {capacity: {cpu: 2, memory: 1Gi}}
        """);

    @TestFactory
    Stream<DynamicTest> create_changedNode_reportsViolations() {
        return node.creating("""
                                                                               => ok
            spec.taints: [{key: a, value: b, effect: NoSchedule}, {key: a, effect: NoExecute}] => ok
            spec.taints: [{key: a}]                                            => metadata.taints[0].effect: Required value
            spec.taints: [{key: a, effect: Never}]                             => metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule"
            spec.taints: [{key: a b, effect: NoSchedule}]                      => metadata.taints[0].key: Invalid value: "a b": name part…
            spec.taints: [{key: a, value: b c, effect: NoSchedule}]            => metadata.taints[0].value: Invalid value: "b c": a valid label…
            spec.taints: [{key: a, value: b, effect: NoSchedule}, {key: a, effect: NoSchedule}] => metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}
            status.capacity: {memory: -1Gi}                                    => status.capacity[memory]: Invalid value: -1073741824: must be a valid resource quantity
            status.allocatable: {cpu: -1}                                      => status.allocatable[cpu]: Invalid value: -1: must be a valid resource quantity
            status.addresses: [{type: Hostname, address: n1}, {type: InternalIP, address: n1}] => ok
            status.addresses: [{type: Hostname, address: n1}, {type: Hostname, address: n1}] => status.addresses[1]: Duplicate value: {"type":"Hostname","address":"n1"}
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_node_allowsOnlyMutableFields() {
        return node.stored("").updating("""
            spec.taints: [{key: a, effect: NoSchedule}] => ok
            spec.unschedulable: true                    => ok
            metadata.labels: {a: b}                     => ok
            spec.providerID: there                      => spec.providerID: Forbidden: node updates may not change providerID except from "" to valid
            spec.podCIDRs: [10.1.0.0/24]                => spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid
            spec.colour: red                            => []: Forbidden: node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateStatus_capacity_reportsViolations() {
        return node.stored("").updatingStatus("""
            status.capacity: {cpu: 4}  => ok
            status.capacity: {cpu: -4} => status.capacity[cpu]: Invalid value: -4: must be a valid resource quantity
            """);
    }

    @Test
    void createAndUpdate_status_isSetOnCreateAndThenThroughSubresource() {
        assertThat(node.created("")).isEqualTo(node.sent(""));
        assertThat(node.updated("status: {} ; spec.unschedulable: true"))
                .isEqualTo(node.sent("spec.unschedulable: true"));
        assertThat(node.statusUpdated("status.capacity: {cpu: 4} ; spec.unschedulable: true"))
                .isEqualTo(node.sent("status.capacity: {cpu: 4}"));
    }
}
