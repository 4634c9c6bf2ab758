package dev.mooring.replay.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.FindingSeverity;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Explanations of claims on Worlds written as text. */
class ClaimExplainerTest {
    private static final String CLAIM = "persistentvolumeclaims/shop/data";

    private static final String BASE = """
        {kind: Namespace, metadata: {name: shop}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}}
        ---
        """;

    private static final String FAST =
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner:"
                    + " mooring.dev/hostpath}\n"
                    + "---\n";

    private static String claim(String spec) {
        return "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop, annotations:"
                + " {volume.kubernetes.io/storage-provisioner: mooring.dev/hostpath}}, spec: {accessModes:"
                + " [ReadWriteOnce], resources: {requests: {storage: 5Gi}}" + spec + "}, status: {phase: Pending}}";
    }

    private static String volume(String name, String capacity, String more) {
        return "{kind: PersistentVolume, metadata: {name: " + name + "}, spec: {capacity: {storage: " + capacity
                + "}, accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Retain, nfs: {server: nas, path:"
                + " /exports/" + name + "}" + more + "}, status: {phase: Available}}\n---\n";
    }

    private static Finding cause(Explanation explanation) {
        return explanation.root().because().get(0);
    }

    @Test
    void pendingClaim_classMissing_namesTheClassAndTheNearestOne() {
        Explanation found = ExplainerFixture.of(BASE + FAST + claim(", storageClassName: fats"))
                .explain(CLAIM);
        assertThat(found.state()).isEqualTo("Pending");
        assertThat(found.isProblem()).isTrue();
        assertThat(found.summary())
                .isEqualTo("PersistentVolumeClaim shop/data is Pending: StorageClass fats does not exist.");
        assertThat(cause(found).reason()).isEqualTo("ProvisioningFailed");
        assertThat(ExplainerFixture.commands(found)).last().isEqualTo("kubectl get sc");
        assertThat(ExplainerFixture.commands(found).get(0))
                .startsWith("kubectl delete pvc/data -n shop && echo '{")
                .contains("\"storageClassName\":\"fast\"")
                .endsWith("}' | kubectl create -f -");
    }

    @Test
    void pendingClaim_classMissingAndNoneNear_offersTheDefaultClass() {
        String standard = FAST.replace(
                "name: fast",
                "name: standard, annotations:" + " {storageclass.kubernetes.io/is-default-class: 'true'}");
        Explanation found = ExplainerFixture.of(BASE + FAST + standard + claim(", storageClassName: gold"))
                .explain(CLAIM);
        assertThat(ExplainerFixture.commands(found).get(0)).contains("\"storageClassName\":\"standard\"");
    }

    @Test
    void pendingClaim_classWasDeleted_namesTheActorAndTheRevision() {
        Explanation found = ExplainerFixture.of(BASE + FAST.replace("---", ""))
                .remove("alice", "storageclasses.storage.k8s.io/fast")
                .put("bob", claim(", storageClassName: fast"))
                .explain(CLAIM);
        assertThat(cause(found).text()).isEqualTo("StorageClass fast was deleted by alice at revision 4.");
        assertThat(cause(found).revision()).isEqualTo(4);
        assertThat(ExplainerFixture.commands(found).get(0))
                .startsWith("echo '{")
                .contains("\"provisioner\":\"mooring.dev/hostpath\"")
                .doesNotContain("uid");
    }

    @Test
    void pendingClaim_noClass_listsEachVolumeWithItsRule() {
        String bound = volume("taken", "9Gi", ", claimRef: {namespace: other, name: x, uid: u}");
        Explanation found = ExplainerFixture.of(BASE
                        + volume("small", "1Gi", "")
                        + volume("slow", "9Gi", ", storageClassName: slow")
                        + bound
                        + volume(
                                "far",
                                "9Gi",
                                ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions:"
                                        + " [{key: kubernetes.io/hostname, operator: In, values: [gone]}]}]}}")
                        + claim(", storageClassName: ''"))
                .explain(CLAIM);
        assertThat(cause(found).reason()).isEqualTo("FailedBinding");
        assertThat(cause(found).because().get(0).text())
                .isEqualTo("4 PVs checked: 1 too small (largest 1Gi), 1 class slow≠\"\", 1 with affinity to no existing"
                        + " node, 1 bound to other claims.");
        assertThat(cause(found).because().get(0).because().stream().map(Finding::text))
                .containsExactlyInAnyOrder(
                        "PersistentVolume small: capacity 1Gi is less than the requested 5Gi.",
                        "PersistentVolume slow: class slow is not \"\".",
                        "PersistentVolume taken: it belongs to another claim.",
                        "PersistentVolume far: its node affinity matches no existing node.");
        assertThat(found.summary()).contains("4 PVs checked");
    }

    @Test
    void pendingClaim_volumeReleased_offersToReleaseIt() {
        String released = volume("old", "9Gi", ", claimRef: {namespace: shop, name: gone, uid: u}")
                .replace("Available", "Released");
        Explanation found = ExplainerFixture.of(BASE + released + claim(", storageClassName: ''"))
                .explain(CLAIM);
        assertThat(ExplainerFixture.commands(found)).contains("mooring release pv/old");
    }

    @Test
    void pendingClaim_noClassButClasses_offersADefaultClass() {
        Explanation found = ExplainerFixture.of(BASE + FAST + claim("")).explain(CLAIM);
        assertThat(ExplainerFixture.commands(found))
                .contains("kubectl patch sc/fast --type=merge -p '{\"metadata\":{\"annotations\":"
                        + "{\"storageclass.kubernetes.io/is-default-class\":\"true\"}}}'");
    }

    @Test
    void pendingClaim_waitsForFirstConsumer_isNoProblem() {
        Explanation found = ExplainerFixture.of(BASE
                        + FAST.replace("provisioner", "volumeBindingMode: WaitForFirstConsumer, provisioner")
                        + claim(", storageClassName: fast"))
                .explain(CLAIM);
        assertThat(found.isProblem()).isFalse();
        assertThat(cause(found).reason()).isEqualTo("WaitForFirstConsumer");
        assertThat(ExplainerFixture.commands(found).get(0)).contains("\"claimName\":\"data\"");
    }

    @Test
    void pendingClaim_consumerNotScheduled_namesThePod() {
        Explanation found = ExplainerFixture.of(BASE
                        + FAST.replace("provisioner", "volumeBindingMode: WaitForFirstConsumer, provisioner")
                        + "{kind: Pod, metadata: {name: web, namespace: shop}, spec: {volumes: [{name: d,"
                        + " persistentVolumeClaim: {claimName: data}}]}}\n---\n"
                        + claim(", storageClassName: fast"))
                .explain(CLAIM);
        assertThat(found.isProblem()).isTrue();
        assertThat(cause(found).reason()).isEqualTo("WaitForPodScheduled");
        assertThat(cause(found).because().get(0).object().orElseThrow().key().text())
                .isEqualTo("pods/shop/web");
    }

    @Test
    void pendingClaim_provisioningFails_hasAttemptAndNextTry() {
        Explanation found = ExplainerFixture.of(BASE + FAST + claim(", storageClassName: fast") + """

            ---
            apiVersion: mooring.dev/v1
            kind: VolumeOperation
            metadata: {name: provision-uid-data}
            spec: {operation: Provision, node: n1, persistentVolume: pvc-uid-data, storageClassName: fast, provisioner: mooring.dev/hostpath, claim: {namespace: shop, name: data, uid: uid-data}}
            status: {state: Failed, attempts: 4, nextTry: '2026-01-02T03:04:08Z', lastError: {reason: NoSpace, message: no space left on device}}
            """)
                .explain(CLAIM);
        assertThat(cause(found).reason()).isEqualTo("ProvisioningFailed");
        Finding operation = found.root().rootCause();
        assertThat(operation.text()).contains("on node n1 failed: No space left on device.");
        assertThat(operation.attempt()).isEqualTo(4);
        assertThat(operation.retryAt()).contains(Instant.parse("2026-01-02T03:04:08Z"));
        assertThat(operation.reason()).isEqualTo("NoSpace");
    }

    @Test
    void pendingClaim_noNodeCanProvision_saysWhy() {
        Explanation found = ExplainerFixture.of(
                        "{kind: Namespace, metadata: {name: shop}}\n---\n" + FAST + claim(", storageClassName: fast"))
                .explain(CLAIM);
        assertThat(cause(found).severity()).isEqualTo(FindingSeverity.FAILED);
        assertThat(cause(found).text()).isEqualTo("No node can provision the volume: there are no nodes.");
    }

    @Test
    void pendingClaim_externalProvisioner_isNamed() {
        Explanation found = ExplainerFixture.of(BASE
                        + FAST.replace("mooring.dev/hostpath", "csi.example.com")
                        + claim(", storageClassName: fast").replace("mooring.dev/hostpath", "csi.example.com"))
                .explain(CLAIM);
        assertThat(cause(found).reason()).isEqualTo("ExternalProvisioning");
        assertThat(cause(found).text()).contains("csi.example.com");
    }

    @Test
    void pendingClaim_namedVolumeMissing_namesTheNearest() {
        Explanation found = ExplainerFixture.of(BASE + volume("pv-1", "9Gi", "") + claim(", volumeName: pv-2"))
                .explain(CLAIM);
        assertThat(cause(found).reason()).isEqualTo("VolumeNotFound");
        assertThat(cause(found).because().get(0).text())
                .isEqualTo("PersistentVolume pv-1 exists; it has the nearest name.");
    }

    @Test
    void pendingClaim_namedVolumeTooSmall_offersToCorrectTheCapacity() {
        Explanation found = ExplainerFixture.of(
                        BASE + volume("pv1", "1Gi", "") + claim(", volumeName: pv1, storageClassName: ''"))
                .explain(CLAIM);
        assertThat(cause(found).reason()).isEqualTo("VolumeMismatch");
        assertThat(cause(found).text()).contains("requested PV is too small (1Gi < 5Gi)");
        assertThat(ExplainerFixture.commands(found).get(0))
                .isEqualTo("kubectl patch pv/pv1 --type=merge -p '{\"spec\":{\"capacity\":{\"storage\":\"5Gi\"}}}'");
    }

    @Test
    void pendingClaim_namedVolumeTaken_namesTheHolder() {
        Explanation found = ExplainerFixture.of(BASE
                        + volume("pv1", "9Gi", ", claimRef: {namespace: shop, name: other, uid: uid-other}")
                        + claim("").replace("name: data", "name: other") + "\n---\n"
                        + claim(", volumeName: pv1"))
                .explain(CLAIM);
        assertThat(cause(found).reason()).isEqualTo("FailedBinding");
        assertThat(cause(found).because().get(0).text()).isEqualTo("Claim shop/other is Pending.");
    }

    @Test
    void lostClaim_volumeDeleted_namesTheActorTheSourceAndTheWayBack() {
        String bound = claim(", volumeName: pv1")
                .replace("annotations: {", "annotations: {pv.kubernetes.io/bind-completed: 'yes', ")
                .replace("phase: Pending", "phase: Lost, volumeUID: uid-pv1");
        Explanation found = ExplainerFixture.of(BASE + volume("pv1", "9Gi", "") + bound)
                .remove("mallory", "persistentvolumes/pv1")
                .explain(CLAIM);
        assertThat(found.state()).isEqualTo("Lost");
        assertThat(cause(found).reason()).isEqualTo("ClaimLost");
        assertThat(found.root().rootCause().text())
                .isEqualTo("PersistentVolume pv1 was deleted by mallory at revision 5; its source was nfs"
                        + " nas:/exports/pv1, its reclaim policy Retain.");
        assertThat(ExplainerFixture.commands(found).get(0))
                .contains("kubectl delete pvc/data -n shop && echo")
                .contains("\"claimRef\":{\"namespace\":\"shop\",\"name\":\"data\"}")
                .contains("\"path\":\"/exports/pv1\"");
    }

    @Test
    void terminatingClaim_podUsesIt_namesPodAndNode() {
        String deleted = claim("")
                .replace(
                        "annotations:",
                        "deletionTimestamp: '2026-01-02T03:00:00Z', finalizers:"
                                + " [kubernetes.io/pvc-protection], annotations:");
        Explanation found = ExplainerFixture.of(BASE
                        + "{kind: Pod, metadata: {name: web, namespace: shop}, spec: {nodeName: n1, volumes: [{name:"
                        + " d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}\n"
                        + "---\n"
                        + "{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a}, spec: {node: n1,"
                        + " claim: {namespace: shop, name: data, uid: uid-data}}, status: {state: Mounted, mounts:"
                        + " [{}]}}\n"
                        + "---\n"
                        + claim(""))
                .put("alice", deleted)
                .explain(CLAIM);
        assertThat(found.state()).isEqualTo("Terminating");
        assertThat(found.summary())
                .isEqualTo("PersistentVolumeClaim shop/data is Terminating: Pod shop/web has it mounted on node n1.");
        assertThat(found.root().because().get(0).text()).isEqualTo("alice deleted it at revision 6.");
        assertThat(found.root().because().get(1).text())
                .isEqualTo("Finalizer kubernetes.io/pvc-protection keeps it while it is in use.");
        assertThat(ExplainerFixture.commands(found)).contains("kubectl delete pod/web -n shop");
    }

    @Test
    void terminatingClaim_foreignFinalizer_isNamed() {
        Explanation found = ExplainerFixture.of(BASE
                        + claim("")
                                .replace(
                                        "annotations:",
                                        "deletionTimestamp: '2026-01-02T03:00:00Z', finalizers:"
                                                + " [example.com/backup], annotations:"))
                .explain(CLAIM);
        assertThat(found.summary()).contains("Finalizer example.com/backup has not been removed by its controller.");
    }

    private static String boundPair(String request, String capacity, String status) {
        return volume("pv1", capacity, ", claimRef: {namespace: shop, name: data, uid: uid-data}")
                        .replace("Available", "Bound")
                + claim(", volumeName: pv1")
                        .replace("storage: 5Gi", "storage: " + request)
                        .replace("annotations: {", "annotations: {pv.kubernetes.io/bind-completed: 'yes', ")
                        .replace(
                                "phase: Pending",
                                "phase: Bound, volumeUID: uid-pv1, capacity: {storage: " + capacity + "}" + status);
    }

    @Test
    void boundClaim_healthy_isNoProblem() {
        Explanation found =
                ExplainerFixture.of(BASE + boundPair("5Gi", "9Gi", "")).explain(CLAIM);
        assertThat(found.isProblem()).isFalse();
        assertThat(found.state()).isEqualTo("Bound");
        assertThat(cause(found).text()).isEqualTo("PersistentVolume pv1 has 9Gi on nfs nas:/exports/pv1.");
    }

    @Test
    void boundClaim_externalExpansion_waits() {
        Explanation found =
                ExplainerFixture.of(BASE + boundPair("20Gi", "9Gi", "")).explain(CLAIM);
        assertThat(found.isProblem()).isTrue();
        assertThat(cause(found).reason()).isEqualTo("ExternalExpanding");
        assertThat(cause(found).text())
                .isEqualTo("It requests 20Gi and has 9Gi: an external controller must expand the volume.");
    }

    @Test
    void boundClaim_fileSystemResizePending_asksForAPod() {
        String status = ", allocatedResourceStatuses: {storage: NodeResizePending}";
        Explanation found = ExplainerFixture.of(BASE
                        + boundPair("20Gi", "20Gi", status)
                                .replace("capacity: {storage: 20Gi}, allocated", "capacity: {storage: 9Gi}, allocated"))
                .explain(CLAIM);
        assertThat(cause(found).reason()).isEqualTo("FileSystemResizeRequired");
    }

    @Test
    void deletedClaim_saysWhoDeletedItAndHowToSeeIt() {
        Explanation found =
                ExplainerFixture.of(BASE + claim("")).remove("alice", CLAIM).explain(CLAIM);
        assertThat(found.state()).isEqualTo("Deleted");
        assertThat(found.summary()).isEqualTo("PersistentVolumeClaim shop/data was deleted by alice at revision 4.");
        assertThat(ExplainerFixture.commands(found)).contains("mooring explain pvc/data -n shop --at 3");
    }

    @Test
    void pastWorld_isExplainedAsItWas() {
        ExplainerFixture fixture = ExplainerFixture.of(BASE + claim(", storageClassName: fast"));
        var past = fixture.world();
        fixture.put("admin", FAST.replace("---", ""));
        assertThat(fixture.explain(past, CLAIM, unused -> true).summary()).contains("StorageClass fast does not exist");
        assertThat(fixture.explain(CLAIM).summary()).doesNotContain("does not exist");
    }

    @Test
    void hiddenObjects_areReplacedWithTheirCausesAndCommands() {
        String released = volume("secret-volume", "9Gi", ", claimRef: {namespace: shop, name: gone, uid: u}")
                .replace("Available", "Released");
        Explanation found = ExplainerFixture.of(BASE + released + claim(", storageClassName: ''"))
                .explain(CLAIM, key -> !key.resource().equals("persistentvolumes"));
        List<Finding> volumes = cause(found).because().get(0).because();
        assertThat(volumes).hasSize(1);
        assertThat(volumes.get(0).text()).isEqualTo("Depends on a PersistentVolume that you may not read.");
        assertThat(volumes.get(0).object()).isEmpty();
        assertThat(ExplainerFixture.commands(found)).doesNotContain("mooring release pv/secret-volume");
    }
}
