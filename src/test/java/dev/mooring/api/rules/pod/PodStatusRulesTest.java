package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PodStatusRulesTest {
    private final PodRules rules = new PodRules();

    @Test
    void prepareForCreate_statusSent_isReplacedByPending() {
        ObjectNode pod = PodRuleCases.pod("pod {status: {phase: Running, podIP: 1.2.3.4}}");

        rules.prepareForCreate(pod);

        assertThat(pod.get("status").toString()).isEqualTo("{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}");
    }

    @Test
    void prepareForCreate_schedulingGates_setsPodScheduledFalse() {
        ObjectNode pod = PodRuleCases.pod("spec {schedulingGates: [{name: g}]}");

        rules.prepareForCreate(pod);

        assertThat(pod.at("/status/conditions").toString())
                .isEqualTo("[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"SchedulingGated\","
                        + "\"message\":\"Scheduling is blocked due to non-empty scheduling gates\"}]");
    }

    /** Each line: a Pod, and its QoS class. */
    @TestFactory
    Stream<DynamicTest> prepareForCreate_resources_determineQosClass() {
        return """
            pod => BestEffort
            container {resources: {limits: {example.com/gpu: 1}}} => BestEffort
            container {resources: {requests: {cpu: 0}}} => BestEffort
            container {resources: {requests: {cpu: 1}}} => Burstable
            container {resources: {limits: {cpu: 1}}} => Burstable
            container {resources: {limits: {cpu: 1, memory: 1Gi}}} => Guaranteed
            container {resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1000m, memory: 1024Mi}}} => Guaranteed
            container {resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 999m}}} => Burstable
            spec {containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}, {name: b}]} => Burstable
            spec {containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}], initContainers: [{name: b}]} => Burstable
            spec {resources: {limits: {cpu: 1, memory: 1Gi}}} => Guaranteed
            """.lines().map(line -> line.split(" => ", -1)).map(parts -> DynamicTest.dynamicTest(parts[0], () -> {
            ObjectNode pod = PodRuleCases.pod(parts[0]);
            rules.prepareForCreate(pod);
            assertThat(pod.at("/status/qosClass").asText()).isEqualTo(parts[1]);
        }));
    }

    @TestFactory
    Stream<DynamicTest> updateStatus_terminatedContainer_restartsOnlyIfPolicyAllows() {
        return PodRuleCases.statusUpdated("""
            spec {restartPolicy: Always}
            pod {status: {containerStatuses: [{name: c, state: {terminated: {exitCode: 0}}}]}}
            ->
            pod {status: {containerStatuses: [{name: c, state: {running: {}}}]}}
            => ok

            spec {restartPolicy: Never}
            pod {status: {containerStatuses: [{name: c, state: {terminated: {exitCode: 1}}}]}}
            ->
            pod {status: {containerStatuses: [{name: c, state: {running: {}}}]}}
            => status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state

            spec {restartPolicy: OnFailure}
            pod {status: {containerStatuses: [{name: c, state: {terminated: {exitCode: 1}}}]}}
            ->
            pod {status: {containerStatuses: [{name: c, state: {waiting: {}}}]}}
            => ok

            spec {restartPolicy: OnFailure}
            pod {status: {containerStatuses: [{name: c, state: {terminated: {exitCode: 0}}}]}}
            ->
            pod {status: {containerStatuses: [{name: c, state: {waiting: {}}}]}}
            => status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state

            spec {restartPolicy: Never}
            init {restartPolicy: Always}
            pod {status: {initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}]}}
            ->
            pod {status: {initContainerStatuses: [{name: i, state: {running: {}}}]}}
            => ok

            spec {restartPolicy: Never}
            init
            pod {status: {initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}]}}
            ->
            pod {status: {initContainerStatuses: [{name: i, state: {running: {}}}]}}
            => status.initContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state

            pod {status: {ephemeralContainerStatuses: [{name: e, state: {terminated: {exitCode: 0}}}]}}
            ->
            pod {status: {ephemeralContainerStatuses: [{name: e, state: {running: {}}}]}}
            => status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state

            spec {restartPolicy: Never}
            pod {status: {containerStatuses: [{name: c, state: {running: {}}}]}}
            ->
            pod {status: {containerStatuses: [{name: c, state: {terminated: {exitCode: 0}}, restartCount: 0}]}}
            => ok
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateStatus_otherFields_areChecked() {
        return PodRuleCases.statusUpdated("""
            pod {status: {qosClass: BestEffort}}
            ->
            pod {status: {phase: Running, podIP: 10.0.0.1, hostIP: 10.1.1.1, hostIPs: [{ip: 10.1.1.1}], conditions: [{type: Ready, status: 'True'}, {type: PodReadyToStartContainers, status: 'True'}]}}
            => ok

            pod {status: {qosClass: BestEffort}}
            ->
            pod {status: {qosClass: Guaranteed}}
            => status.qosClass: Invalid value: "Guaranteed": field is immutable

            pod
            ->
            pod {status: {observedGeneration: -1, conditions: [{type: ' ', observedGeneration: -2}]}}
            => status.conditions[0].observedGeneration: Invalid value: -2: must be a non-negative integer
            => status.conditions[0].Type: Invalid value: " ": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
            => status.observedGeneration: Invalid value: -1: must be a non-negative integer

            spec {nodeName: one}
            ->
            pod {status: {nominatedNodeName: two}}
            => status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node

            pod
            ->
            pod {status: {podIPs: [{ip: 10.0.0.1}, {ip: 'fd00::1'}]}}
            => ok

            pod
            ->
            pod {status: {podIPs: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]}}
            => status.podIPs: Invalid value: [{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]: may specify no more than one IP for each IP family

            pod
            ->
            pod {status: {podIP: here, hostIP: 10.0.0.1, hostIPs: [{ip: 10.0.0.2}]}}
            => status.podIPs[0]: Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)
            => status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`
            """);
    }

    @Test
    void prepareForStatusUpdate_specSent_isIgnored() {
        ObjectNode before = PodRuleCases.pod("pod {status: {phase: Pending, qosClass: BestEffort}}");
        ObjectNode next = PodRuleCases.pod("spec {restartPolicy: Never}\npod {status: {podIP: 10.0.0.1}}");

        rules.prepareForStatusUpdate(next, before);

        assertThat(next.get("spec")).isEqualTo(before.get("spec")).isNotSameAs(before.get("spec"));
        assertThat(next.get("status").toString())
                .isEqualTo("{\"podIP\":\"10.0.0.1\",\"qosClass\":\"BestEffort\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}");
    }
}
