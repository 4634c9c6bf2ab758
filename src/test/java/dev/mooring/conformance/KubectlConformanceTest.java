package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests everyday commands with every installed version of kubectl. */
final class KubectlConformanceTest extends KubectlTestCase {
    @Override
    void prepare(KubectlUser user) {
        user.write("pvc.yaml", """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: data, labels: {app: web}}
            spec:
              accessModes: [ReadWriteOnce]
              storageClassName: nowhere
              resources: {requests: {storage: 1Gi}}
            """);
        user.write("settings.yaml", """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings}
            data: {colour: blue}
            """);
    }

    @ParameterizedTest
    @MethodSource(EVERY)
    void discovery_printsServedResources(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.warned("$K version").out()).containsPattern("Server Version: .*1\\.32\\.");
        assertThat(user.ok("$K api-resources --no-headers"))
                .contains("configmaps cm v1 true ConfigMap")
                .contains("events ev v1 true Event")
                .contains("namespaces ns v1 false Namespace")
                .contains("nodes no v1 false Node")
                .contains("persistentvolumeclaims pvc v1 true PersistentVolumeClaim")
                .contains("persistentvolumes pv v1 false PersistentVolume")
                .contains("pods po v1 true Pod")
                .contains("secrets v1 true Secret")
                .contains("serviceaccounts sa v1 true ServiceAccount")
                .contains("storageclasses sc storage.k8s.io/v1 false StorageClass")
                .contains("volumeattachments storage.k8s.io/v1 false VolumeAttachment");
        assertThat(user.ok("$K explain pvc.spec.accessModes"))
                .startsWith("KIND: PersistentVolumeClaim\nVERSION: v1\n")
                .contains("FIELD: accessModes <[]string>");
        assertThat(user.ok("$K auth can-i create pvc")).isEqualTo("yes");
    }

    @ParameterizedTest
    @MethodSource(EVERY)
    void claim_appliedReadChangedDeleted_printsExpectedOutput(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K apply -f pvc.yaml")).isEqualTo("persistentvolumeclaim/data created");
        assertThat(user.ok("$K apply -f pvc.yaml")).isEqualTo("persistentvolumeclaim/data unchanged");
        assertThat(user.ok("$K get pvc"))
                .isEqualTo("NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE\n"
                        + "data Pending nowhere <unset> <age>");
        assertThat(user.ok("$K get pvc data -o yaml")).contains("storage: 1Gi", "phase: Pending");
        assertThat(user.ok("$K label pvc data tier=gold")).isEqualTo("persistentvolumeclaim/data labeled");
        assertThat(user.ok("$K get pvc -l tier=gold -o name")).isEqualTo("persistentvolumeclaim/data");
        assertThat(user.ok("$K patch pvc data -p '{\"metadata\":{\"labels\":{\"tier\":null}}}'"))
                .isEqualTo("persistentvolumeclaim/data patched");
        assertThat(user.ok("$K describe pvc data")).contains("Name: data", "StorageClass: nowhere", "Labels: app=web");
        assertThat(user.ok("$K wait --for=jsonpath='{.status.phase}'=Pending pvc/data --timeout=150s"))
                .isEqualTo("persistentvolumeclaim/data condition met");
        assertThat(user.ok("$K delete pvc data --timeout=150s")).isEqualTo("persistentvolumeclaim \"data\" deleted");
        assertThat(user.fails("$K get pvc data"))
                .isEqualTo("Error from server (NotFound): persistentvolumeclaims \"data\" not found");
    }

    @ParameterizedTest
    @MethodSource(EVERY)
    void configMap_replacedEditedApplied_hasNewValue(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K create configmap settings --from-literal=colour=red"))
                .isEqualTo("configmap/settings created");
        assertThat(user.run("$K diff -f settings.yaml").code()).isEqualTo(1);
        assertThat(user.ok("$K replace -f settings.yaml")).isEqualTo("configmap/settings replaced");
        assertThat(user.ok("$K diff -f settings.yaml")).isEmpty();
        assertThat(user.ok("KUBE_EDITOR='sed -i s/blue/green/' $K edit cm settings"))
                .isEqualTo("configmap/settings edited");
        assertThat(user.ok("$K get cm settings -o jsonpath='{.data.colour}'")).isEqualTo("green");
        assertThat(user.ok("$K apply --server-side --force-conflicts -f settings.yaml"))
                .isEqualTo("configmap/settings serverside-applied");
        assertThat(user.ok("$K get cm settings -o jsonpath='{.data.colour}'")).isEqualTo("blue");
        assertThat(user.ok("$K delete -f settings.yaml")).isEqualTo("configmap \"settings\" deleted");
    }

    @ParameterizedTest
    @MethodSource(EVERY)
    void apply_misspelledField_isRejected(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("typo.yaml", """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: typo}
            spec:
              accessMode: [ReadWriteOnce]
              resources: {requests: {storage: 1Gi}}
            """);
        assertThat(user.fails("$K apply -f typo.yaml"))
                .isEqualTo("Error from server (BadRequest): error when creating \"typo.yaml\": PersistentVolumeClaim in"
                        + " version \"v1\" cannot be handled as a PersistentVolumeClaim: strict decoding error:"
                        + " unknown field \"spec.accessMode\"");
        assertThat(user.ok("$K get pvc typo --ignore-not-found -o name")).isEmpty();
    }
}
