package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PersistentVolumeClaimRulesTest {
    private static final String IMMUTABLE =
            "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName"
                    + " for bound claims";

    private final RuleCases claim = RuleCases.of(new PersistentVolumeClaimRules(), """
        metadata: {name: data, namespace: team}
        spec:
          accessModes: [ReadWriteOnce]
          storageClassName: slow
          resources: {requests: {storage: 500Mi}}
        """);

    @TestFactory
    Stream<DynamicTest> create_changedClaim_reportsViolations() {
        return claim.creating("""
                                                     => ok
            -spec.accessModes                        => spec.accessModes: Required value: at least 1 access mode is required
            spec.accessModes: [Often]                => spec.accessModes: Unsupported value: "Often": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"
            spec.accessModes: [ReadWriteOncePod]     => ok
            spec.accessModes: [ReadWriteOncePod, ReadWriteMany] => spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes
            -spec.resources                          => spec.resources[storage]: Required value
            spec.resources.requests: {cpu: 1}        => spec.resources[storage]: Required value
            spec.resources.requests.storage: 0       => spec.resources[storage]: Invalid value: "0": must be greater than zero
            spec.resources.requests.storage: -5      => spec.resources[storage]: Invalid value: "-5": must be greater than zero
            spec.storageClassName: ""                => ok
            spec.storageClassName: Slow              => spec.storageClassName: Invalid value: "Slow": a lowercase RFC 1123 subdomain must consist of…
            spec.storageClassName: hostPath          => ok
            -spec.accessModes ; -spec.resources ; spec.storageClassName: nfs ; spec.volumeName: my-pv => ok
            spec.storageClassName: hostPath ; spec.volumeName: ../etc => spec.volumeName: Invalid value: "../etc": a lowercase RFC 1123 subdomain must consist of…
            spec.volumeName: ../etc                  => ok
            spec.volumeMode: Block                   => ok
            spec.volumeMode: Tape                    => spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"
            spec.volumeAttributesClassName: Gold     => spec.volumeAttributesClassName: Invalid value: "Gold": a lowercase RFC 1123 subdomain must consist of…
            spec.selector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b]}]} => ok
            spec.selector: {matchLabels: {a: b c}}   => spec.selector.matchLabels: Invalid value: "b c": a valid label must be an empty string or consist of…
            spec.selector: {matchExpressions: [{key: a, operator: In}]} => spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'
            spec.selector: {matchExpressions: [{key: a, operator: Gt, values: ["1"]}]} => spec.selector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator
            spec.selector: {matchExpressions: [{key: "", operator: Exists}]} => [spec.selector.matchExpressions[0].key: Invalid value: "": name part must be non-empty, spec.selector.matchExpressions[0].key: Invalid value: "": name part must consist of…
            """);
    }

    @TestFactory
    Stream<DynamicTest> create_dataSource_reportsViolations() {
        return claim.creating("""
            spec.dataSource: {kind: PersistentVolumeClaim, name: other}                                   => ok
            spec.dataSource: {kind: VolumeSnapshot, name: other, apiGroup: snapshot.storage.k8s.io}       => ok
            spec.dataSource: {kind: PersistentVolumeClaim}                                                => [spec.dataSource.name: Required value, spec.dataSourceRef.name: Required value]
            spec.dataSourceRef: {kind: Backup, name: b, apiGroup: example.com}                            => ok
            spec.dataSourceRef: {kind: Backup, name: b}                                                   => spec.dataSourceRef: Invalid value: "Backup": must be 'PersistentVolumeClaim' when referencing the default apiGroup
            spec.dataSourceRef: {kind: Backup, name: b, apiGroup: Example}                                => spec.dataSourceRef.apiGroup: Invalid value: "Example": a lowercase RFC 1123 subdomain…
            spec.dataSourceRef: {name: b, apiGroup: example.com}                                          => spec.dataSourceRef.kind: Required value
            spec.dataSource: {kind: PersistentVolumeClaim, name: a} ; spec.dataSourceRef: {kind: PersistentVolumeClaim, name: b} => spec: Invalid value: "spec.dataSource": must match dataSourceRef
            spec.dataSource: {kind: PersistentVolumeClaim, name: a} ; spec.dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: n} => spec: Invalid value: "spec.dataSource": may not be specified when dataSourceRef.namespace is specified
            spec.dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: n.m}                    => spec.dataSourceRef.namespace: Invalid value: "n.m": must not contain dots
            """);
    }

    @Test
    void create_dataSourceOrDataSourceRef_setsBoth() {
        String claimed = "{kind: PersistentVolumeClaim, name: other}";

        assertThat(claim.created("spec.dataSource: " + claimed))
                .isEqualTo(claim.created("spec.dataSource: " + claimed + " ; spec.dataSourceRef: " + claimed))
                .isEqualTo(claim.created("spec.dataSourceRef: " + claimed));
        assertThat(claim.created("spec.dataSource: {kind: Backup, name: b, apiGroup: example.com}"))
                .isEqualTo(claim.created(""));
    }

    @TestFactory
    Stream<DynamicTest> update_pendingClaim_allowsSettingVolumeNameOnly() {
        return claim.stored("").updating("""
                                                       => ok
            metadata.labels: {a: b}                    => ok
            spec.volumeName: pv1                       => ok
            spec.resources.requests.storage: 512000Ki  => ok
            spec.resources.requests.storage: 1Gi       => IMMUTABLE
            spec.resources.requests.storage: 1Mi       => IMMUTABLE
            spec.resources.limits: {storage: 1Gi}      => IMMUTABLE
            spec.accessModes: [ReadOnlyMany]           => IMMUTABLE
            spec.selector: {matchLabels: {a: b}}       => IMMUTABLE
            spec.storageClassName: fast                => IMMUTABLE
            -spec.storageClassName                     => IMMUTABLE
            spec.volumeAttributesClassName: gold       => IMMUTABLE
            spec.dataSource: {kind: PersistentVolumeClaim, name: other} => IMMUTABLE
            spec.volumeMode: Block                     => [IMMUTABLE, volumeMode: Invalid value: "Block": field is immutable]
            metadata.annotations: {volume.beta.kubernetes.io/storage-class: fast} => metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "fast": field is immutable
            """.replace("IMMUTABLE", IMMUTABLE));
    }

    @TestFactory
    Stream<DynamicTest> update_boundClaim_allowsExpansion() {
        return claim.stored(
                        "spec.volumeName: pv1 ; spec.resources.requests.storage: 3Gi ; spec.volumeAttributesClassName:"
                                + " gold ; status: {phase: Bound, capacity: {storage: 1Gi}}")
                .updating("""
                    spec.resources.requests.storage: 5Gi        => ok
                    spec.resources.requests.storage: 2Gi        => ok
                    spec.resources.requests.storage: 1024Mi     => spec.resources.requests.storage: Forbidden: field can not be less than status.capacity
                    spec.resources.requests.storage: 1Mi        => spec.resources.requests.storage: Forbidden: field can not be less than status.capacity
                    spec.resources.requests: {storage: 3Gi, iops: 5} => IMMUTABLE
                    spec.volumeAttributesClassName: silver      => ok
                    spec.volumeAttributesClassName: ""          => spec.volumeAttributesClassName: Forbidden: update from non-nil value to an empty string is forbidden
                    -spec.volumeAttributesClassName             => [IMMUTABLE, spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden]
                    spec.volumeName: other                      => IMMUTABLE
                    -spec.volumeName                            => IMMUTABLE
                    """.replace("IMMUTABLE", IMMUTABLE));
    }

    @TestFactory
    Stream<DynamicTest> update_claimWithoutClass_allowsSettingClass() {
        return claim.stored("-spec.storageClassName").updating("""
            spec.storageClassName: fast => ok
            spec.storageClassName: ""   => ok
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_emptyClass_isImmutable() {
        return claim.stored("spec.storageClassName: \"\"").updating("""
            -spec.storageClassName      => IMMUTABLE
            spec.storageClassName: fast => IMMUTABLE
            """.replace("IMMUTABLE", IMMUTABLE));
    }

    @TestFactory
    Stream<DynamicTest> update_classAnnotation_mayBeReplacedByField() {
        return claim.stored("-spec.storageClassName ; metadata.annotations: {volume.beta.kubernetes.io/storage-class:"
                        + " slow}")
                .updating("""
                    spec.storageClassName: slow                           => ok
                    spec.storageClassName: slow ; -metadata.annotations   => ok
                    -metadata.annotations                                 => metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "": field is immutable
                    spec.storageClassName: fast                           => IMMUTABLE
                    """.replace("IMMUTABLE", IMMUTABLE));
    }

    @TestFactory
    Stream<DynamicTest> updateStatus_changedStatus_reportsViolations() {
        return claim.stored("").updatingStatus("""
            status: {phase: Bound, capacity: {storage: 1Gi}}            => ok
            status: {phase: Failed}                                     => ok
            status: {capacity: {storage: -1}}                           => status.capacity[storage]: Invalid value: -1: must be a valid resource quantity
            status: {allocatedResources: {storage: 1Gi}, allocatedResourceStatuses: {storage: NodeResizePending}} => ok
            status: {allocatedResources: {cpu: 1}}                      => status.allocatedResources: Unsupported value: "cpu": supported values: "storage"
            status: {allocatedResources: {example.com/x: 1}}            => ok
            status: {allocatedResourceStatuses: {storage: Growing}}     => status.allocatedResourceStatus: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible"…
            """);
    }

    @Test
    void create_setsDefaultsAndPhasePending() {
        assertThat(claim.created("status: {phase: Bound, capacity: {storage: 1Gi}}"))
                .isEqualTo(claim.sent("spec.volumeMode: Filesystem ; status: {phase: Pending}"));
    }

    @Test
    void update_statusAndSpec_areUpdatedSeparately() {
        RuleCases stored = claim.stored("status.phase: Bound");

        assertThat(stored.updated("status: {} ; spec.resources.requests.storage: 1Gi"))
                .isEqualTo(stored.sent("spec.resources.requests.storage: 1Gi"));
        assertThat(stored.statusUpdated("status.phase: Lost ; spec.resources.requests.storage: 1Gi ; extra: 1"))
                .isEqualTo(stored.sent("status.phase: Lost"));
    }
}
