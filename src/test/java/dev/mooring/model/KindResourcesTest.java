package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KindResourcesTest {
    @ParameterizedTest
    @CsvSource({
        "v1, Pod, pods/ns/x",
        "v1, PersistentVolume, persistentvolumes/x",
        "coordination.k8s.io/v1, Lease, leases.coordination.k8s.io/ns/x",
        "storage.k8s.io/v1, StorageClass, storageclasses.storage.k8s.io/x",
        "storage.k8s.io/v1beta1, VolumeAttachment, volumeattachments.storage.k8s.io/x",
        "mooring.dev/v1, Token, tokens.mooring.dev/x",
    })
    void kind_known_hasKeyAndResource(String apiVersion, String kind, String key) {
        KindResources.ResourceKind entry =
                KindResources.ofKind(apiVersion, kind).orElseThrow();
        assertThat(entry.key("ns", "x")).isEqualTo(ObjectKey.parse(key));
        assertThat(KindResources.ofResource(entry.resource())).contains(entry);
    }

    @ParameterizedTest
    @CsvSource({"apps/v1, Widget", "v1, Lease", "mooring.dev/v1, Pod", "'', Widget"})
    void kind_unknown_isEmpty(String apiVersion, String kind) {
        assertThat(KindResources.ofKind(apiVersion, kind)).isEmpty();
    }

    @Test
    void kinds_namespaced_areListed() {
        assertThat(KindResources.namespaced())
                .extracting(KindResources.ResourceKind::kind)
                .containsExactlyInAnyOrder(
                        "ConfigMap",
                        "ControllerRevision",
                        "CronJob",
                        "DaemonSet",
                        "Deployment",
                        "EndpointSlice",
                        "Event",
                        "Job",
                        "Lease",
                        "PersistentVolumeClaim",
                        "Pod",
                        "PodTemplate",
                        "ReplicaSet",
                        "ReplicationController",
                        "ResourceQuota",
                        "Secret",
                        "Service",
                        "ServiceAccount",
                        "StatefulSet");
        assertThat(KindResources.all()).hasSize(30);
    }

    @Test
    void kind_apiVersion_includesItsGroup() {
        assertThat(KindResources.ofResource("pods").orElseThrow().apiVersion()).isEqualTo("v1");
        assertThat(KindResources.ofResource("tokens.mooring.dev").orElseThrow().apiVersion())
                .isEqualTo("mooring.dev/v1");
    }
}
