package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@code kubectl describe} of every kind, {@code kubectl explain} and {@code kubectl events}. */
final class KubectlDescribingTest extends KubectlTestCase {
    @Override
    void prepare(KubectlUser user) {
        user.write("world.yaml", """
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: pv-@}
            spec:
              capacity: {storage: 1Gi}
              accessModes: [ReadWriteOnce, ReadWriteMany]
              storageClassName: nowhere-@
              nfs: {server: 127.0.0.1, path: /exports/a}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: data, labels: {app: web}, annotations: {note: hello}}
            spec:
              accessModes: [ReadWriteOnce]
              storageClassName: elsewhere
              resources: {requests: {storage: 1Gi}}
            ---
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: sc-@}
            provisioner: vendor.example/none
            mountOptions: [ro, soft]
            ---
            apiVersion: storage.k8s.io/v1
            kind: VolumeAttachment
            metadata: {name: va-@}
            spec: {attacher: vendor.example, nodeName: somewhere, source: {persistentVolumeName: pv-@}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: app}
            spec:
              nodeName: nowhere
              containers: [{name: c, image: 'busybox:1', volumeMounts: [{name: v, mountPath: /data, readOnly: true}]}]
              volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: node-@}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings}
            data: {colour: blue}
            ---
            apiVersion: v1
            kind: Secret
            metadata: {name: creds}
            stringData: {user: me}
            ---
            apiVersion: v1
            kind: ServiceAccount
            metadata: {name: robot}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: turn}
            spec: {holderIdentity: me}
            ---
            apiVersion: v1
            kind: Event
            metadata: {name: settings.1}
            type: Warning
            reason: Tested
            message: sent by a test
            source: {component: tester}
            involvedObject: {apiVersion: v1, kind: ConfigMap, name: settings, namespace: '@'}
            """);
        user.ok("$K apply -f world.yaml");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void describe_volumesClaimsAndClasses_printsDetails(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K describe pvc data"))
                .startsWith(
                        "Name: data\nNamespace: " + user.namespace() + "\nStorageClass: elsewhere\nStatus: Pending\n")
                .contains("Labels: app=web\nAnnotations: note: hello\n")
                .contains("VolumeMode: Filesystem\nUsed By: app\n");
        assertThat(user.ok("$K describe pv pv-" + user.namespace()))
                .startsWith("Name: pv-" + user.namespace() + "\nLabels: <none>\n")
                .contains("Reclaim Policy: Retain\nAccess Modes: RWO,RWX\nVolumeMode: Filesystem\nCapacity: 1Gi\n")
                .contains("""
                    Type: NFS (an NFS mount that lasts the lifetime of a pod)
                    Server: 127.0.0.1
                    Path: /exports/a\
                    """);
        assertThat(user.ok("$K describe sc sc-" + user.namespace()))
                .contains("IsDefaultClass: No")
                .contains("""
                    Provisioner: vendor.example/none
                    Parameters: <none>
                    AllowVolumeExpansion: <unset>
                    MountOptions:
                    ro
                    soft
                    ReclaimPolicy: Delete
                    VolumeBindingMode: Immediate
                    Events: <none>\
                    """);
        assertThat(user.ok("$K describe volumeattachment va-" + user.namespace()))
                .contains("Kind: VolumeAttachment", "Attacher: vendor.example");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void describe_podNodeAndNamespace_printsDetails(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K describe pod app"))
                .startsWith("Name: app\nNamespace: " + user.namespace() + "\n")
                .contains("Status: Pending", "Image: busybox:1", "Mounts:\n/data from v (ro)", "ClaimName: data");
        assertThat(user.ok("$K describe node node-" + user.namespace()))
                .contains("Unschedulable: false", "Taints: <none>", "Non-terminated Pods: (0 in total)");
        assertThat(user.ok("$K describe ns " + user.namespace()))
                .isEqualTo(
                        "Name: @\nLabels: kubernetes.io/metadata.name=@\nAnnotations: <none>\nStatus: Active\nNo resource quota."
                                .replace("@", user.namespace()));
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void describe_otherKinds_printsDetails(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K describe cm settings")).contains("Data\n====\ncolour:\n----\nblue\n");
        assertThat(user.ok("$K describe secret creds")).contains("Type: Opaque\nData\n====\nuser: 2 bytes");
        assertThat(user.ok("$K describe sa robot")).contains("Name: robot", "Tokens: <none>");
        assertThat(user.ok("$K describe lease turn")).contains("Kind: Lease", "Holder Identity: me");
        assertThat(user.ok("$K describe event settings.1")).contains("Reason: Tested");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void describe_prefixOrMissingName_printsMatchOrNotFound(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K describe pvc dat")).startsWith("Name: data\n");
        assertThat(user.fails("$K describe pvc missing"))
                .isEqualTo("Error from server (NotFound): persistentvolumeclaims \"missing\" not found");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void events_withFilters_printsMatchingEvents(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        String row = "<unknown> Warning Tested ConfigMap/settings sent by a test";
        assertThat(user.ok("$K events"))
                .startsWith("LAST SEEN TYPE REASON OBJECT MESSAGE\n")
                .contains(row);
        assertThat(user.ok("$K events --for cm/settings --types=Warning --no-headers"))
                .isEqualTo(row);
        assertThat(user.ok("$K get events --field-selector involvedObject.kind=ConfigMap,reason=Tested"))
                .isEqualTo("LAST SEEN TYPE REASON OBJECT MESSAGE\n"
                        + "<unknown> Warning Tested configmap/settings sent by a test");
        assertThat(user.warned("$K events --for cm/other").err())
                .isEqualTo("No events found in " + user.namespace() + " namespace.");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void explain_kindOrField_printsSchema(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K explain pvc"))
                .startsWith("KIND: PersistentVolumeClaim\nVERSION: v1\nDESCRIPTION:\n")
                .contains("FIELDS:\napiVersion <string>", "spec <PersistentVolumeClaimSpec>");
        assertThat(user.ok("$K explain sc"))
                .startsWith("GROUP: storage.k8s.io\nKIND: StorageClass\nVERSION: v1\n")
                .contains("provisioner <string> -required-", "parameters <map[string]string>");
        assertThat(user.ok("$K explain pv.spec --recursive")).contains("""
            nfs <NFSVolumeSource>
            path <string> -required-
            readOnly <boolean>
            server <string> -required-\
            """);
        assertThat(user.ok("$K explain pod.spec.volumes.persistentVolumeClaim"))
                .contains("claimName <string> -required-");
        assertThat(user.ok("$K explain cm.data")).contains("FIELD: data <map[string]string>");
        assertThat(user.fails("$K explain pvc.spec.nonsense")).isEqualTo("error: field \"nonsense\" does not exist");
    }
}
