package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.PopulatorFixture.CLAIM;
import static dev.mooring.node.volumemanager.PopulatorFixture.VOLUME;
import static dev.mooring.node.volumemanager.PopulatorFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the resolution of a Pod's volumes, and the messages if it fails. */
class VolumeResolverTest {
    private static final String WORLD = pod() + CLAIM + VOLUME;
    private static final String AFFINITY = "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: ["
            + "{key: kubernetes.io/hostname, operator: In, values: [NODE]}]}]}}";

    private static JsonNode json(String yaml) {
        return WorldFixture.objects("{it: " + yaml + "}").get(0).path("it");
    }

    private static String edited(String change) {
        int arrow = change.indexOf(" -> ");
        String from = change.substring(0, arrow);
        assertThat(WORLD).contains(from);
        return WORLD.replace(from, change.substring(arrow + 4));
    }

    @Test
    void claim_boundToVolume_isResolved() {
        PopulatorFixture fixture = new PopulatorFixture(WORLD);

        assertThat(fixture.only().spec())
                .isEqualTo(json("{node: n1, pod: {namespace: team, name: p, uid: uid-p}, volumeName: v, volume:"
                        + " kubernetes.io/nfs/uid-p-pv, plugin: kubernetes.io/nfs, persistentVolume: pv, claim:"
                        + " {namespace: team, name: data, uid: uid-data}, source: {nfs: {server: nas, path:"
                        + " /a}}, volumeMode: Filesystem, accessModes: [ReadWriteMany], capacity: 5Gi, since:"
                        + " '2026-01-01T00:00:00Z'}"));
        assertThat(fixture.only().isResolved()).isTrue();
        assertThat(fixture.only().uid()).hasSize(36);
        assertThat(fixture.recordedEvents()).isEmpty();
    }

    @Test
    void inlineVolume_hasSourceOfPod() {
        PopulatorFixture fixture =
                new PopulatorFixture(pod("p", "{name: v, nfs: {server: nas, path: /a, readOnly: true}}"));

        assertThat(fixture.spec())
                .isEqualTo(json("{volume: kubernetes.io/nfs/uid-p-v, plugin: kubernetes.io/nfs, volumeMode: Filesystem,"
                        + " source: {nfs: {server: nas, path: /a, readOnly: true}}, readOnly: true}"));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
        {name: v, emptyDir: {sizeLimit: 1Gi}}          | {volume: kubernetes.io/empty-dir/uid-p-v, plugin: kubernetes.io/empty-dir, volumeMode: Filesystem, source: {emptyDir: {sizeLimit: 1Gi}}, capacity: 1Gi}
        {name: v}                                      | {volume: kubernetes.io/empty-dir/uid-p-v, plugin: kubernetes.io/empty-dir, volumeMode: Filesystem, source: {emptyDir: {}}}
        {name: v, later: {}, hostPath: {path: /x}}     | {volume: kubernetes.io/host-path/uid-p-v, plugin: kubernetes.io/host-path, volumeMode: Filesystem, source: {hostPath: {path: /x}}}
        {name: v, configMap: {name: none}}             | {volume: kubernetes.io/configmap/uid-p-v, plugin: kubernetes.io/configmap, volumeMode: Filesystem, source: {configMap: {name: none}}, content: missing}
        """)
    void inlineVolume_ofEachType_isResolved(String volume, String spec) {
        assertThat(new PopulatorFixture(pod("p", volume)).spec()).isEqualTo(json(spec));
    }

    @ParameterizedTest(name = "{0}: {1} = {2}")
    @CsvSource(delimiter = '|', textBlock = """
        nfs: {server: nas, path: /a} -> local: {path: /mnt/a}                  | volume              | kubernetes.io/local-volume/pv
        nfs: {server: nas, path: /a} -> nfs: {server: nas, path: /a, readOnly: true} | readOnly      | true
        claimName: data -> claimName: data, readOnly: true                     | readOnly            | true
        accessModes: [ReadWriteMany], nfs -> accessModes: [ReadOnlyMany], nfs  | readOnly            | true
        accessModes: [ReadWriteMany], nfs -> accessModes: [ReadOnlyMany, ReadWriteOnce], nfs  | readOnly | -
        accessModes: [ReadWriteMany], nfs -> nfs                               | accessModes         | ["ReadWriteMany"]
        claimName: data -> claimName: data, readOnly: true                     | capacity            | -
        storage: 5Gi -> storage: 5120Mi                                        | capacity            | 5Gi
        capacity: -> mountOptions: [vers=3, nolock, vers=3], capacity:         | mountOptions        | ["vers=3","nolock"]
        name: pv} -> name: pv, annotations: {volume.beta.kubernetes.io/mount-options: 'vers=4, ,hard'}} | mountOptions | ["vers=4","hard"]
        nodeName: n1 -> securityContext: {fsGroup: 7}, nodeName: n1            | fsGroup             | 7
        nodeName: n1 -> securityContext: {fsGroup: 7}, nodeName: n1            | fsGroupChangePolicy | OnRootMismatch
        nodeName: n1 -> securityContext: {fsGroup: 7, fsGroupChangePolicy: Always}, nodeName: n1 | fsGroupChangePolicy | Always
        nodeName: n1 -> securityContext: {}, nodeName: n1                      | fsGroupChangePolicy | -
        """)
    void resolvedVolume_hasFieldsOfPodClaimAndVolume(String change, String field, String expected) {
        PopulatorFixture fixture = new PopulatorFixture(edited(change));

        assertThat(fixture.only().isResolved()).isTrue();
        JsonNode found = fixture.spec().path(field);
        assertThat(found.isMissingNode() ? "-" : found.isTextual() ? found.asText() : found.toString())
                .isEqualTo(expected);
    }

    @Test
    void emptyDir_withFsGroup_hasNoChangePolicy() {
        PopulatorFixture fixture = new PopulatorFixture(
                pod("p", "{name: v, emptyDir: {}}").replace("nodeName", "securityContext: {fsGroup: 7}, nodeName"));

        assertThat(fixture.spec().path("fsGroup").asInt()).isEqualTo(7);
        assertThat(fixture.spec().has("fsGroupChangePolicy")).isFalse();
    }

    @Test
    void inlineNfs_mountOptionsAnnotation_isUsed() {
        String pod = pod("p", "{name: v, nfs: {server: nas, path: /a}}");
        PopulatorFixture fixture = new PopulatorFixture(
                pod.replace("name: p,", "name: p, annotations: {mooring.dev/mount-options.v: 'vers=3,nolock'},"));

        assertThat(fixture.spec().path("mountOptions").toString()).isEqualTo("[\"vers=3\",\"nolock\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"suid", "dev"})
    void inlineNfs_privilegedOptionInAnnotation_isRejected(String option) {
        String pod = pod("p", "{name: v, nfs: {server: nas, path: /a}}");
        PopulatorFixture fixture = new PopulatorFixture(pod.replace(
                "name: p,", "name: p, annotations: {mooring.dev/mount-options.v: 'vers=3," + option + "'},"));

        assertThat(fixture.only().isResolved()).isFalse();
        assertThat(fixture.only().status().path("error").path("message").asText())
                .isEqualTo("MountVolume.MountOptionSupport check failed for volume \"v\" : mount option \"" + option
                        + "\" is not allowed in a Pod's annotation: use a PersistentVolume with it in"
                        + " spec.mountOptions");
    }

    @ParameterizedTest(name = "{1}: {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        name: data, namespace: team -> name: other, namespace: team           | ClaimNotFound      | error processing PVC team/data: failed to fetch PVC from API server: persistentvolumeclaims "data" not found
        claimName: data -> claimName: no/name                                 | ClaimNotFound      | error processing PVC team/no/name: failed to fetch PVC from API server: persistentvolumeclaims "no/name" not found
        finalizers: [kubernetes.io/pvc-protection] -> deletionTimestamp: '2026-01-01T00:00:00Z' | ClaimBeingDeleted | error processing PVC team/data: PVC is being deleted
        phase: Bound -> phase: Pending                                        | ClaimNotBound      | error processing PVC team/data: PVC is not bound
        volumeName: pv, -> -                                                  | ClaimWithoutVolume | error processing PVC team/data: PVC has empty pvc.Spec.VolumeName
        metadata: {name: pv} -> metadata: {name: pv2}                         | VolumeNotFound     | error processing PVC team/data: failed to fetch PV pv from API server: persistentvolumes "pv" not found
        claimRef: {namespace: team, name: data, uid: uid-data} -> later: 1    | VolumeNotBound     | error processing PVC team/data: found PV object pv but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim
        name: data, uid: uid-data -> name: data, uid: u2                      | VolumeOfAnother    | error processing PVC team/data: found PV object pv but its pv.Spec.ClaimRef.UID u2 does not point to claim.UID uid-data
        nfs: -> cephfs:                                                       | NoPlugin           | failed to get Plugin from volumeSpec for volume "pv" err=no volume plugin matched: its source is cephfs, and node "n1" has kubernetes.io/configmap, kubernetes.io/empty-dir, kubernetes.io/host-path, kubernetes.io/local-volume, kubernetes.io/nfs, kubernetes.io/projected, kubernetes.io/secret
        capacity: -> mountOptions: [suid], capacity:                          | InvalidOptions     | MountVolume.MountOptionSupport check failed for volume "pv" : option suid is refused
        nfs: {server: nas, path: /a} -> hostPath: {path: /a}, mountOptions: [ro] | InvalidOptions  | MountVolume.MountOptionSupport check failed for volume "pv" : unsupported volume type: kubernetes.io/host-path takes no mountOptions
        """)
    void unresolvableVolume_hasErrorMessageOfTheKubelet(String change, String reason, String message) {
        PopulatorFixture fixture = new PopulatorFixture(edited(change.replace("-> -", "-> ")));

        assertThat(fixture.only().isResolved()).isFalse();
        JsonNode error = fixture.only().status().path("error");
        assertThat(error.path("reason").asText()).isEqualTo(reason);
        assertThat(error.path("message").asText()).isEqualTo(message);
        assertThat(error.path("time").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(fixture.recordedEvents())
                .containsExactly("Warning FailedMount p: Unable to attach or mount volumes: unmounted volumes=[v],"
                        + " unattached volumes=[], failed to process volumes=[v]: " + message);
        assertThat(fixture.only().claim().path("name").asText())
                .as("claim of the unresolved volume")
                .isNotEmpty();
    }

    @Test
    void claim_deletedButProtected_isResolved() {
        PopulatorFixture fixture = new PopulatorFixture(
                edited("name: data, namespace: team -> name: data, deletionTimestamp: x, namespace: team"));

        assertThat(fixture.only().isResolved()).isTrue();
    }

    @ParameterizedTest(name = "P9: {0} used through {1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
        Filesystem | volumeMounts: [{name: v}]                                | -
        Block      | volumeDevices: [{name: v}]                               | -
        Block      | volumeMounts: [{name: v}]                                | volume v has volumeMode Block, but is specified in volumeMounts
        Filesystem | volumeDevices: [{name: v}]                               | volume v has volumeMode Filesystem, but is specified in volumeDevices
        Block      | volumeMounts: [{name: v}], volumeDevices: [{name: v}]    | volume v has volumeMode Block, but is specified in volumeMounts
        Filesystem | volumeMounts: [{name: v}], volumeDevices: [{name: v}]    | volume v has volumeMode Filesystem, but is specified in volumeDevices
        """)
    void volumeMode_notMatchingUse_isRejected(String mode, String use, String expected) {
        String world = pod().replace("volumeMounts: [{name: v}]", use)
                + CLAIM
                + VOLUME.replace("volumeMode: Filesystem", "volumeMode: " + mode);
        PopulatorFixture fixture = new PopulatorFixture(world);

        assertThat(fixture.error("p", "v")).isEqualTo(expected.equals("-") ? "" : expected);
        assertThat(fixture.only().mode().toString()).isEqualTo(mode);
    }

    @Test
    void nodeAffinity_notMatching_waitsUntilNodeLabelsMatch() {
        String message = "MountVolume.NodeAffinity check failed for volume \"pv\" : no matching NodeSelectorTerms";
        PopulatorFixture fixture =
                new PopulatorFixture(edited("capacity: -> " + AFFINITY.replace("NODE", "n2") + ", capacity:"));
        assertThat(fixture.error("p", "v")).isEqualTo(message);
        assertThat(fixture.only().persistentVolume()).isEqualTo("pv");

        fixture.put("{kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n2}}}");
        assertThat(fixture.only().isResolved()).isTrue();

        fixture.eventTypes();
        int before = fixture.world().reconciles();
        fixture.put("{kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n2}}, status: {beat: 1}}");
        assertThat(fixture.world().reconciles())
                .as("reconciles after a heartbeat")
                .isEqualTo(before);
        assertThat(new PopulatorFixture(edited("capacity: -> " + AFFINITY.replace("NODE", "n1") + ", capacity:"))
                        .only()
                        .isResolved())
                .isTrue();
    }

    @Test
    void p8_ephemeralClaim_notOwnedByPod_isRejected() {
        String pod = pod("p", "{name: v, ephemeral: {volumeClaimTemplate: {}}}");
        String claim = CLAIM.replace("name: data", "name: p-v");
        String volume = VOLUME.replace("name: data, uid: uid-data", "name: p-v, uid: uid-p-v");
        PopulatorFixture fixture = new PopulatorFixture(pod + claim + volume);
        assertThat(fixture.error("p", "v")).isEqualTo("PVC team/p-v was not created for pod team/p (pod is not owner)");

        fixture.put(claim.replace(
                "name: p-v,", "name: p-v, ownerReferences: [{kind: Pod, name: p, uid: uid-p, controller: true}],"));
        assertThat(fixture.only().isResolved()).isTrue();
        assertThat(fixture.only().persistentVolume()).isEqualTo("pv");
    }
}
