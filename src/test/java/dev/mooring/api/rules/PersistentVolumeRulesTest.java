package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PersistentVolumeRulesTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-31T12:00:00.5Z"), ZoneOffset.UTC);

    private final RuleCases volume = RuleCases.of(new PersistentVolumeRules(CLOCK), """
        metadata: {name: pv1}
        spec:
          capacity: {storage: 1Gi}
          accessModes: [ReadWriteOnce]
          storageClassName: slow
          nfs: {server: nas, path: /exports/a}
        """);

    @TestFactory
    Stream<DynamicTest> create_changedVolume_reportsViolations() {
        return volume.creating("""
                                                  => ok
            spec.accessModes: []                  => spec.accessModes: Required value
            -spec.accessModes                     => spec.accessModes: Required value
            spec.accessModes: [ReadWriteOnce, ReadOnlyMany, ReadWriteMany] => ok
            spec.accessModes: [Often]             => spec.accessModes: Unsupported value: "Often": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"
            spec.accessModes: [ReadWriteOncePod]  => ok
            spec.accessModes: [ReadWriteOncePod, ReadWriteOnce] => spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes
            -spec.capacity                        => spec.capacity: Required value
            spec.capacity: {}                     => spec.capacity: Required value
            spec.capacity: {storage: 0}           => spec.capacity[storage]: Invalid value: "0": must be greater than zero
            spec.capacity: {storage: -1Gi}        => spec.capacity[storage]: Invalid value: "-1Gi": must be greater than zero
            spec.capacity: {storage: 1Gi, cpu: 1} => spec.capacity: Unsupported value: "cpu": supported values: "storage"
            spec.persistentVolumeReclaimPolicy: Recycle   => ok
            spec.persistentVolumeReclaimPolicy: Sometimes => spec.persistentVolumeReclaimPolicy: Unsupported value: "Sometimes": supported values: "Delete", "Recycle", "Retain"
            spec.volumeMode: Block                => ok
            spec.volumeMode: Tape                 => spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"
            spec.storageClassName: ""             => ok
            spec.storageClassName: hostPath       => ok
            spec.storageClassName: hostPaths      => spec.storageClassName: Invalid value: "hostPaths": a lowercase RFC 1123 subdomain must consist of…
            spec.volumeAttributesClassName: gold  => spec.csi: Required value: has to be specified when using volumeAttributesClassName
            -spec.nfs ; spec.csi: {driver: d, volumeHandle: v} ; spec.volumeAttributesClassName: gold => ok
            -spec.nfs ; spec.csi: {driver: d, volumeHandle: v} ; spec.volumeAttributesClassName: "" => spec.volumeAttributesClassName: Required value: an empty string is disallowed
            -spec.nfs                             => spec: Required value: must specify a volume type
            spec.hostPath: {path: /a}             => spec.nfs: Forbidden: may not specify more than 1 volume type
            spec.nfs: null ; spec.hostPath: {path: /a} => ok
            -spec.nfs ; spec.hostPath: {path: /} ; spec.persistentVolumeReclaimPolicy: Recycle => spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'
            -spec.nfs ; spec.hostPath: {path: //./} ; spec.persistentVolumeReclaimPolicy: Recycle => spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'
            -spec.nfs ; spec.hostPath: {path: /a} ; spec.persistentVolumeReclaimPolicy: Recycle => ok
            """);
    }

    @TestFactory
    Stream<DynamicTest> create_nodeAffinity_reportsViolations() {
        return volume.creating("""
            spec.nodeAffinity: {}                                     => spec.nodeAffinity.required: Required value: must specify required node constraints
            spec.nodeAffinity: {required: {}}                         => spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}]}]}} => ok
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}, {key: a, operator: Gt, values: ["1"]}]}]}} => ok
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Lt, values: ["1", "2"]}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Near, values: [b]}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a/b/c, operator: Exists}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "a/b/c": a valid label key must consist of…
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b c]}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "b c": a valid label must be…
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}} => ok
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1, n2]}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: Exists}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: [{key: spec.x, operator: In, values: [n1]}]}]}} => spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_volume_allowsOnlyMutableFields() {
        return volume.stored("spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                        + " beta.kubernetes.io/os, operator: In, values: [linux]}]}]}}")
                .updating("""
                                                                => ok
                    spec.capacity: {storage: 2Gi}               => ok
                    spec.accessModes: [ReadWriteMany]           => ok
                    spec.storageClassName: fast                 => ok
                    spec.persistentVolumeReclaimPolicy: Delete  => ok
                    spec.mountOptions: [ro]                     => ok
                    spec.claimRef: {namespace: a, name: b}      => ok
                    spec.nfs.readOnly: false                    => ok
                    spec.nfs.readOnly: true                     => spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation
                    spec.nfs.path: /exports/b                   => spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation
                    -spec.nfs ; spec.hostPath: {path: /a}       => spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation
                    spec.volumeMode: Block                      => volumeMode: Invalid value: "Block": field is immutable
                    -spec.nodeAffinity                          => nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA
                    spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}]}} => ok
                    spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [linux]}]}]}} => nodeAffinity: Invalid value: {"required"…
                    """);
    }

    @TestFactory
    Stream<DynamicTest> update_csiVolume_allowsSettingExpandSecret() {
        return volume.stored(
                        "-spec.nfs ; spec.csi: {driver: d, volumeHandle: v} ; spec.volumeAttributesClassName: gold")
                .updating("""
                    spec.csi.controllerExpandSecretRef: {namespace: a, name: b} => ok
                    spec.csi.nodePublishSecretRef: {namespace: a, name: b}      => spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation
                    spec.volumeAttributesClassName: silver                      => ok
                    -spec.volumeAttributesClassName                             => spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden
                    """);
    }

    @TestFactory
    Stream<DynamicTest> update_volumeWithoutNodeAffinity_allowsSettingIt() {
        return volume.stored("").updating("""
            spec.nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}} => ok
            """);
    }

    @Test
    void create_setsDefaultsAndPhasePending() {
        ObjectNode created = volume.created(
                "-spec.nfs ; spec.hostPath: {path: /a} ; -spec.storageClassName ; status: {phase: Bound, message: x}");

        assertThat(created).isEqualTo(RuleCases.object("""
            metadata: {name: pv1}
            spec:
              capacity: {storage: 1Gi}
              accessModes: [ReadWriteOnce]
              hostPath: {path: /a, type: ""}
              persistentVolumeReclaimPolicy: Retain
              volumeMode: Filesystem
            status: {phase: Pending, lastPhaseTransitionTime: "2026-01-31T12:00:00Z"}
            """));
    }

    @Test
    void update_statusAndSpec_areUpdatedSeparately() {
        RuleCases stored = volume.stored("status.phase: Available");

        assertThat(stored.updated("status.phase: Bound ; spec.mountOptions: [ro]"))
                .isEqualTo(stored.sent("spec.mountOptions: [ro]"));
        assertThat(stored.statusUpdated("status.message: x ; spec.mountOptions: [ro]"))
                .isEqualTo(stored.sent("status.message: x"));
    }

    @Test
    void updateStatus_phase_setsTransitionTimeOnChangeOnly() {
        String before = "\"2025-01-01T00:00:00Z\"";
        RuleCases stored = volume.stored("status: {phase: Available, lastPhaseTransitionTime: " + before + "}");

        assertThat(time(stored.statusUpdated("status: {phase: Available}"))).isEqualTo("2025-01-01T00:00:00Z");
        assertThat(time(stored.statusUpdated("status: {phase: Bound}"))).isEqualTo("2026-01-31T12:00:00Z");
        assertThat(time(stored.statusUpdated("status.phase: Bound"))).isEqualTo("2026-01-31T12:00:00Z");
        assertThat(time(stored.statusUpdated(
                        "status: {phase: Bound, lastPhaseTransitionTime: \"2025-02-02T00:00:00Z\"}")))
                .isEqualTo("2025-02-02T00:00:00Z");
    }

    private static String time(ObjectNode volume) {
        return volume.path("status").path("lastPhaseTransitionTime").textValue();
    }
}
