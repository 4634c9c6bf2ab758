package dev.mooring.replay.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.KindResources;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.FindingSeverity;
import org.junit.jupiter.api.Test;

/** Explanations of PersistentVolumes, classes, operations, attachments, Namespaces and other objects. */
class StorageExplainersTest {
    private static final String VOLUME = "persistentvolumes/pv1";
    private static final String CLAIM_REF = ", claimRef: {namespace: team, name: old, uid: uid-old}";

    private static final String BASE = """
        {kind: Namespace, metadata: {name: team}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}}
        ---
        """;

    private static final String CLAIM = "{kind: PersistentVolumeClaim, metadata: {name: old, namespace: team}, spec:"
            + " {volumeName: pv1}, status: {phase: Bound}}";

    private static String volume(String phase, String policy, String spec, String metadata) {
        return "{kind: PersistentVolume, metadata: {name: pv1" + metadata + "}, spec: {capacity: {storage: 5Gi},"
                + " accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: " + policy
                + ", hostPath: {path: /srv/pv1}" + spec + "}, status: {phase: " + phase + "}}";
    }

    private static String provisioned(String phase, String finalizers) {
        return volume(
                phase,
                "Delete",
                CLAIM_REF + ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                        + " kubernetes.io/hostname, operator: In, values: [n1]}]}]}}",
                ", annotations: {pv.kubernetes.io/provisioned-by: mooring.dev/hostpath}" + finalizers);
    }

    private static String operation(String name, String type, String status) {
        return "{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: " + name + "}, spec: {operation: "
                + type + ", node: n1, persistentVolume: pv1, persistentVolumeUID: uid-pv1, claim: {namespace: team,"
                + " name: old, uid: uid-old}}, status: " + status + "}";
    }

    @Test
    void availableVolume_isNoProblem() {
        Explanation found = ExplainerFixture.of(BASE + volume("Available", "Retain", "", ""))
                .explain(VOLUME);
        assertThat(found.isProblem()).isFalse();
        assertThat(ExplainerFixture.findings(found).map(Finding::text))
                .contains(
                        "PersistentVolume pv1 is Available.",
                        "It has no claim; a claim that matches it binds to it.",
                        "Its source is hostPath /srv/pv1.");
    }

    @Test
    void availableVolume_reservedForTooLargeClaim_hasTheReasonAndTheWayOut() {
        String reserved = volume("Available", "Retain", CLAIM_REF, "")
                .replace("phase: Available", "phase: Available, reason: ClaimMismatch, message: reserved for old");
        Explanation found = ExplainerFixture.of(BASE + reserved + "\n---\n"
                        + CLAIM.replace("volumeName: pv1", "resources: {requests: {storage: 9Gi}}")
                                .replace("Bound", "Pending"))
                .explain(VOLUME);
        assertThat(found.isProblem()).isTrue();
        assertThat(ExplainerFixture.findings(found).map(Finding::text)).contains("It is reserved for old.");
        assertThat(found.toString()).contains("kubectl patch pv/pv1 -p", "9Gi");
    }

    @Test
    void boundVolume_mountFails_isNotCalledMounted() {
        ExplainerFixture fixture =
                ExplainerFixture.of(BASE + CLAIM + "\n---\n" + volume("Bound", "Retain", CLAIM_REF, "") + """

                    ---
                    {kind: Pod, metadata: {name: web, namespace: team, uid: uid-web}, spec: {nodeName: n1, containers: [{name: c}],
                     volumes: [{name: d, persistentVolumeClaim: {claimName: old}}]}, status: {phase: Pending}}
                    ---
                    {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: pv1.n1}, spec: {node: n1, persistentVolume: pv1,
                     claim: {namespace: team, name: old, uid: uid-old}, volume: v, volumeMode: Filesystem,
                     source: {hostPath: {path: /srv/pv1}}}, status: {state: Failed, mounts: [{pod: {namespace: team, name: web,
                     uid: uid-web}, volumeName: d, state: Failed, attempts: 3, lastError: {operation: volume_mount,
                     reason: PathNotFound, message: "/srv/pv1 does not exist"}}]}}
                    """);

        Explanation volume = fixture.explain(VOLUME);

        assertThat(volume.summary()).isEqualTo("PersistentVolume pv1 is Bound: /srv/pv1 does not exist.");
        assertThat(ExplainerFixture.findings(volume).map(Finding::text))
                .contains("It is being mounted on node n1.")
                .noneMatch(text -> text.contains("is mounted"));
        Explanation claim = fixture.explain("persistentvolumeclaims/team/old");
        assertThat(claim.summary()).endsWith(": /srv/pv1 does not exist.");
        assertThat(ExplainerFixture.findings(claim).map(Finding::text))
                .contains("Pod team/web waits for it: it is being mounted on node n1.");
    }

    @Test
    void availableVolume_affinityToNoNode_isAProblem() {
        String affinity = ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                + " kubernetes.io/hostname, operator: In, values: [gone]}]}]}}";
        Explanation found = ExplainerFixture.of(BASE + volume("Available", "Retain", affinity, ""))
                .explain(VOLUME);
        assertThat(found.isProblem()).isTrue();
        assertThat(found.summary())
                .isEqualTo("PersistentVolume pv1 is Available: Its node affinity matches no existing node, so no Pod"
                        + " can use it.");
    }

    @Test
    void releasedVolume_claimDeleted_namesTheActorAndOffersBothWays() {
        Explanation found = ExplainerFixture.of(BASE + CLAIM)
                .remove("admin", "persistentvolumeclaims/team/old")
                .put("binder", volume("Released", "Retain", CLAIM_REF, ""))
                .explain(VOLUME);
        assertThat(found.summary())
                .isEqualTo("PersistentVolume pv1 is Released: PersistentVolumeClaim team/old was deleted by admin at"
                        + " revision 4.");
        assertThat(ExplainerFixture.commands(found)).containsExactly("mooring release pv/pv1", "kubectl delete pv/pv1");
    }

    @Test
    void releasedVolume_hiddenClaim_isNotNamed() {
        Explanation found = ExplainerFixture.of(BASE + CLAIM)
                .remove("mallory", "persistentvolumeclaims/team/old")
                .put("binder", volume("Released", "Retain", CLAIM_REF, ""))
                .explain(VOLUME, key -> key.namespace().isEmpty());
        assertThat(found.json().toString()).doesNotContain("mallory").doesNotContain("team");
    }

    @Test
    void releasedVolume_deletionFails_hasErrorAttemptAndRetry() {
        Explanation found = ExplainerFixture.of(BASE + provisioned("Released", "") + "\n---\n"
                        + operation(
                                "delete-uid-pv1",
                                "Delete",
                                "{state: Failed, attempts: 2, nextTry: '2026-01-02T03:05:00Z', lastError: {reason:"
                                        + " Busy, message: target is busy}}"))
                .explain(VOLUME);
        Finding cause = found.root().rootCause();
        assertThat(cause.text())
                .isEqualTo("Operation Delete of PersistentVolume pv1 on node n1 failed: Target is busy.");
        assertThat(cause.attempt()).isEqualTo(2);
        assertThat(cause.retryAt()).isPresent();
    }

    @Test
    void releasedVolume_stillMounted_waitsForTheNode() {
        Explanation found =
                ExplainerFixture.of(BASE + provisioned("Released", "") + """

                    ---
                    {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a}, spec: {node: n1, persistentVolume: pv1}, status: {state: Mounted, mounts: [{}]}}
                    """).explain(VOLUME);
        assertThat(found.root().rootCause().text()).isEqualTo("The volume is mounted on node n1.");
    }

    @Test
    void failedVolume_hasTheMessageOfTheController() {
        String failed = volume(
                "Failed, reason: VolumeFailedDelete, message: no volume plugin matched", "Delete", CLAIM_REF, "");
        Explanation found = ExplainerFixture.of(BASE + failed).explain(VOLUME);
        assertThat(found.root().severity()).isEqualTo(FindingSeverity.FAILED);
        assertThat(found.root().reason()).isEqualTo("VolumeFailedDelete");
        assertThat(found.summary()).isEqualTo("PersistentVolume pv1 is Failed: No volume plugin matched.");
        assertThat(ExplainerFixture.commands(found))
                .contains("kubectl patch pv/pv1 -p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}'");
    }

    @Test
    void terminatingVolume_bound_namesTheClaim() {
        Explanation found = ExplainerFixture.of(BASE + CLAIM + "\n---\n"
                        + volume(
                                "Bound",
                                "Retain",
                                CLAIM_REF,
                                ", deletionTimestamp: '2026-01-02T03:00:00Z', finalizers:"
                                        + " [kubernetes.io/pv-protection]"))
                .explain(VOLUME);
        assertThat(found.state()).isEqualTo("Terminating");
        assertThat(found.summary()).isEqualTo("PersistentVolume pv1 is Terminating: It is bound to claim team/old.");
        assertThat(ExplainerFixture.commands(found)).contains("kubectl delete pvc/old -n team");
    }

    @Test
    void operation_nodeNotReady_isTheCause() {
        String notReady = "{kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: 'False'}]}}";
        Explanation found = ExplainerFixture.of(notReady + "\n---\n" + operation("op", "Provision", "{state: Pending}"))
                .explain("volumeoperations.mooring.dev/op");
        assertThat(found.state()).isEqualTo("Pending");
        assertThat(found.root().rootCause().text()).isEqualTo("The node is not ready.");
        assertThat(ExplainerFixture.commands(found)).contains("kubectl describe node/n1");
    }

    @Test
    void attachment_failed_hasTheError() {
        Explanation found = ExplainerFixture.of(BASE + volume("Bound", "Retain", "", "") + "\n"
                        + "---\n"
                        + "{apiVersion:"
                        + " storage.k8s.io/v1, kind:"
                        + " VolumeAttachment,"
                        + " metadata: {name: a},"
                        + " spec: {attacher: x,"
                        + " nodeName: n1, source:"
                        + " {persistentVolumeName:"
                        + " pv1}}, status: {attached:"
                        + " false, attachError:"
                        + " {message: device is"
                        + " busy}}}")
                .explain("volumeattachments.storage.k8s.io/a");
        assertThat(found.state()).isEqualTo("Attaching");
        assertThat(found.root().rootCause().text()).isEqualTo("Device is busy.");
    }

    @Test
    void storageClass_unknownProvisionerOfKubernetes_isAProblem() {
        Explanation found = ExplainerFixture.of("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name:"
                        + " fast}, provisioner: kubernetes.io/aws-ebs}")
                .explain("storageclasses.storage.k8s.io/fast");
        assertThat(found.summary())
                .isEqualTo("StorageClass fast is Active: Mooring has no provisioner kubernetes.io/aws-ebs.");
    }

    @Test
    void storageClass_pendingClaimsOfHiddenNamespaces_areNotListed() {
        ExplainerFixture fixture = ExplainerFixture.of("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata:"
            + " {name: fast}, provisioner: mooring.dev/hostpath}\n"
            + "---\n"
            + "{kind: PersistentVolumeClaim, metadata: {name: x, namespace: mine}, spec: {storageClassName: fast},"
            + " status: {phase: Pending}}\n"
            + "---\n"
            + "{kind: PersistentVolumeClaim, metadata: {name: y, namespace: theirs}, spec: {storageClassName: fast},"
            + " status: {phase: Pending}}");
        String json = fixture.explain(
                        "storageclasses.storage.k8s.io/fast",
                        key -> !key.namespace().orElse("").equals("theirs"))
                .json()
                .toString();
        assertThat(json).contains("mine/x").doesNotContain("theirs");
    }

    @Test
    void terminatingNamespace_listsWhatRemains() {
        String claim = CLAIM.replace(
                "namespace: team",
                "namespace: team, deletionTimestamp: '2026-01-02T03:00:00Z', finalizers: [example.com/backup]");
        Explanation found = ExplainerFixture.of("{kind: Namespace, metadata: {name: team, deletionTimestamp:"
                        + " '2026-01-02T03:00:00Z'}, spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}\n"
                        + "---\n"
                        + claim)
                .explain("namespaces/team");
        assertThat(found.state()).isEqualTo("Terminating");
        assertThat(found.root().rootCause().text())
                .isEqualTo("Finalizer example.com/backup has not been removed by its controller.");
        assertThat(ExplainerFixture.findings(found).map(Finding::text))
                .contains("PersistentVolumeClaim team/old is Terminating.");
    }

    @Test
    void otherObjects_getAnExplanationFromConditionsOwnersAndEvents() {
        Explanation found = ExplainerFixture.of(BASE + """
            {kind: Service, metadata: {name: web, namespace: team, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: u}]}, status: {conditions: [{type: Ready, status: 'False', reason: NoBackend, message: no Pod matches}]}}
            ---
            {kind: Event, metadata: {name: web.1, namespace: team}, involvedObject: {uid: uid-web}, type: Warning, reason: Oops, message: it broke, count: 3, lastTimestamp: '2026-01-02T03:00:00Z'}
            ---
            {kind: Event, metadata: {name: web.2, namespace: team}, involvedObject: {uid: another}, type: Warning, reason: Oops, message: not this one, count: 1}
            """).explain("services/team/web");
        assertThat(found.state()).isEqualTo("Active");
        assertThat(found.summary()).isEqualTo("Service team/web is Active: Condition Ready is False: no Pod matches");
        assertThat(ExplainerFixture.findings(found).map(Finding::text))
                .contains("it broke", "The owner does not exist; the garbage collector removes the object.")
                .doesNotContain("not this one");
    }

    @Test
    void everyKind_hasAnExplanation() {
        for (KindResources.ResourceKind kind : KindResources.all()) {
            ExplainerFixture fixture = ExplainerFixture.of("{apiVersion: " + kind.apiVersion() + ", kind: "
                    + kind.kind() + ", metadata: {name: x" + (kind.isNamespaced() ? ", namespace: team" : "") + "}}");
            Explanation found = fixture.explain(kind.key("team", "x").text());
            assertThat(found.state()).as(kind.kind()).isNotEmpty();
            assertThat(found.summary()).as(kind.kind()).endsWith(".");
        }
    }
}
