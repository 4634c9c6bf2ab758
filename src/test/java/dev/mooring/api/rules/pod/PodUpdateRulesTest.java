package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PodUpdateRulesTest {
    private static final String REFUSAL = "spec: Forbidden: pod updates may not change fields other than"
        + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`"
        + " (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if"
        + " it was previously negative)";

    @TestFactory
    Stream<DynamicTest> update_containers_allowsImageChangeOnly() {
        return PodRuleCases.updated("""
            pod
            ->
            container {image: other}
            => ok

            init {image: a}
            ->
            init {image: b}
            => ok

            pod
            ->
            spec {restartPolicy: Never}
            => %1$s

            pod
            ->
            container {command: [x]}
            => %1$s

            pod
            ->
            container {image: other, command: [x]}
            => %1$s

            pod
            ->
            spec {containers: [{name: c, image: busybox}, {name: d, image: busybox}]}
            => spec.containers: Forbidden: pod updates may not add or remove containers

            pod
            ->
            init
            => spec.initContainers: Forbidden: pod updates may not add or remove containers

            pod
            ->
            spec {ephemeralContainers: [{name: e, image: busybox}]}
            => %1$s

            spec {volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]}
            ->
            spec {volumes: [{name: v, persistentVolumeClaim: {claimName: b}}]}
            => %1$s
            """.formatted(REFUSAL));
    }

    @TestFactory
    Stream<DynamicTest> update_deadlineAndTolerations_allowsShorteningAndAdditions() {
        return PodRuleCases.updated("""
            pod
            ->
            spec {activeDeadlineSeconds: 10}
            => ok

            spec {activeDeadlineSeconds: 10}
            ->
            spec {activeDeadlineSeconds: 9}
            => ok

            spec {activeDeadlineSeconds: 10}
            ->
            spec {activeDeadlineSeconds: 11}
            => spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value

            spec {activeDeadlineSeconds: 10}
            ->
            pod
            => spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value

            pod
            ->
            spec {activeDeadlineSeconds: -1}
            => spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive

            spec {tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 1}]}
            ->
            spec {tolerations: [{key: b}, {key: a, effect: NoExecute, tolerationSeconds: 2}]}
            => ok

            spec {tolerations: [{key: a}]}
            ->
            spec {tolerations: [{key: b}]}
            => spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds

            spec {terminationGracePeriodSeconds: -1}
            ->
            spec {terminationGracePeriodSeconds: 1}
            => ok

            spec {terminationGracePeriodSeconds: 30}
            ->
            spec {terminationGracePeriodSeconds: 1}
            => %1$s
            """.formatted(REFUSAL));
    }

    @TestFactory
    Stream<DynamicTest> update_equivalentValues_isNoChange() {
        return PodRuleCases.updated("""
            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /v, readOnly: false, subPath: ''}], resources: {limits: {memory: 1Gi}}, args: []}
            ->
            spec {volumes: [{name: v}], tolerations: [], hostNetwork: false}
            container {volumeMounts: [{name: v, mountPath: /v}], resources: {limits: {memory: 1024Mi}}}
            => ok

            pod
            ->
            spec {automountServiceAccountToken: false}
            => %1$s

            spec {nodeSelector: {a: ''}}
            ->
            pod
            => %1$s
            """.formatted(REFUSAL));
    }

    @TestFactory
    Stream<DynamicTest> update_nodeName_isSetOnce() {
        return PodRuleCases.updated("""
            pod
            ->
            spec {nodeName: one}
            => ok

            spec {nodeName: one}
            ->
            spec {nodeName: two}
            => %1$s

            spec {nodeName: one}
            ->
            pod
            => %1$s

            spec {schedulingGates: [{name: g}]}
            ->
            spec {schedulingGates: [{name: g}], nodeName: one}
            => spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared
            """.formatted(REFUSAL));
    }

    @TestFactory
    Stream<DynamicTest> update_gatedPod_mayNarrowNodeAffinity() {
        return PodRuleCases.updated("""
            spec {schedulingGates: [{name: g}, {name: h}]}
            ->
            spec {schedulingGates: [{name: h}]}
            => ok

            spec {schedulingGates: [{name: g}]}
            ->
            spec {schedulingGates: [{name: h}]}
            => spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'h'

            pod
            ->
            spec {nodeSelector: {a: b}}
            => %1$s

            spec {schedulingGates: [{name: g}], nodeSelector: {a: b}}
            ->
            spec {schedulingGates: [{name: g}], nodeSelector: {a: b, c: d}}
            => ok

            spec {schedulingGates: [{name: g}], nodeSelector: {a: b}}
            ->
            spec {nodeSelector: {a: c}}
            => spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)

            spec {schedulingGates: [{name: g}]}
            ->
            spec {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}
            => ok

            spec {schedulingGates: [{name: g}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}
            ->
            spec {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}, {key: b, operator: Exists}]}]}}}}
            => ok

            spec {schedulingGates: [{name: g}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}
            ->
            spec {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: b, operator: Exists}]}]}}}}
            => spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid value: {"matchExpressions":[{"key":"b","operator":"Exists"}]}: only additions are allowed (no mutations or deletions)

            spec {schedulingGates: [{name: g}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}
            ->
            pod
            => spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are allowed

            spec {schedulingGates: [{name: g}]}
            ->
            spec {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z}]}}}
            => %1$s
            """.formatted(REFUSAL));
    }

    @Test
    void prepareForUpdate_statusSent_isIgnored() {
        ObjectNode before = PodRuleCases.pod("pod {status: {phase: Running}}");
        ObjectNode next = PodRuleCases.pod("pod {status: {phase: Failed}}");

        new PodRules().prepareForUpdate(next, before);

        assertThat(next.at("/status/phase").asText()).isEqualTo("Running");
    }

    @Test
    void ephemeralContainers_areAddedAfterCreationAndImmutable() {
        PodRules rules = new PodRules();
        ObjectNode without = PodRuleCases.pod("pod");
        ObjectNode with = PodRuleCases.pod("spec {ephemeralContainers: [{name: e, image: busybox}]}");
        ObjectNode changed = PodRuleCases.pod("spec {ephemeralContainers: [{name: e, image: alpine}]}");

        Violations onCreate = new Violations();
        rules.validateCreate(with, onCreate);
        assertThat(onCreate.text()).isEqualTo("spec.ephemeralContainers: Forbidden: cannot be set on create");
        Violations onAdding = new Violations();
        rules.validateSubresource("ephemeralcontainers", with, without, onAdding);
        assertThat(onAdding.all()).isEmpty();
        Violations onRemoving = new Violations();
        rules.validateSubresource("ephemeralcontainers", without, with, onRemoving);
        assertThat(onRemoving.text())
                .isEqualTo("spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be"
                        + " removed\n");
        Violations onChanging = new Violations();
        rules.validateSubresource("ephemeralcontainers", changed, with, onChanging);
        assertThat(onChanging.text())
                .isEqualTo("spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be"
                        + " changed\n");
    }

    @Test
    void create_gatedPodWithNodeName_isForbidden() {
        Violations violations = new Violations();

        new PodRules().validateCreate(PodRuleCases.pod("spec {nodeName: n, schedulingGates: [{name: g}]}"), violations);

        assertThat(violations.text())
                .isEqualTo("spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared");
    }
}
