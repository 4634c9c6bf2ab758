package dev.mooring.control.attach;

import static dev.mooring.control.attach.AttachFixture.CLAIM;
import static dev.mooring.control.attach.AttachFixture.LISTED;
import static dev.mooring.control.attach.AttachFixture.N1;
import static dev.mooring.control.attach.AttachFixture.N2;
import static dev.mooring.control.attach.AttachFixture.NODES;
import static dev.mooring.control.attach.AttachFixture.attached;
import static dev.mooring.control.attach.AttachFixture.attachment;
import static dev.mooring.control.attach.AttachFixture.events;
import static dev.mooring.control.attach.AttachFixture.listed;
import static dev.mooring.control.attach.AttachFixture.pod;
import static dev.mooring.control.attach.AttachFixture.run;
import static dev.mooring.control.attach.AttachFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.CsiNames;
import dev.mooring.world.World;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttachSyncTest {
    @Test
    void volume_usedByScheduledPod_isAttachedToItsNode() {
        ControllerFixture run = run(volume("ReadWriteOnce"), pod("a", "n1"));
        assertThat(run.takeEvents()).containsExactly("VolumeAttachmentCreated " + N1);
        JsonNode attachment = WorldFixture.tree(run.world(), N1);
        assertThat(attachment.path("spec").toString())
                .isEqualTo("{\"attacher\":\"block.mooring.dev\",\"source\":{\"persistentVolumeName\":\"pv\"},"
                        + "\"nodeName\":\"n1\"}");
        assertThat(attachment.path("status").toString()).isEqualTo("{\"attached\":false}");
        assertThat(attachment.path("metadata").path("uid").asText()).isNotEmpty();
        assertThat(attachment.path("metadata").path("creationTimestamp").asText())
                .isEqualTo("2026-01-01T00:00:00Z");
        assertThat(listed(run).isMissingNode()).isTrue();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void volume_ofAnotherDriver_getsAnAttachmentForThatDriver() {
        ControllerFixture run = run(volume("ebs.csi.aws.com", "ReadWriteOnce"), pod("a", "n1"));
        String name = CsiNames.attachment("ebs.csi.aws.com", "h1", "n1");
        assertThat(WorldFixture.tree(run.world(), "volumeattachments.storage.k8s.io/" + name)
                        .path("spec")
                        .path("attacher")
                        .asText())
                .isEqualTo("ebs.csi.aws.com");
    }

    /** Each Pod differs in one point from a Pod that needs the volume attached. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "---\n{kind: Pod, metadata: {name: a, namespace: default}, spec: {volumes: [{name: v,"
                        + " persistentVolumeClaim: {claimName: data}}]}}",
                "---\n{kind: Pod, metadata: {name: a, namespace: default}, spec: {nodeName: n1, volumes: [{name: v,"
                        + " persistentVolumeClaim: {claimName: data}}]}, status: {phase: Succeeded}}",
                "---\n{kind: Pod, metadata: {name: a, namespace: default}, spec: {nodeName: n1, volumes: [{name: v,"
                        + " persistentVolumeClaim: {claimName: other}}]}}",
                "---\n{kind: Pod, metadata: {name: a, namespace: default}, spec: {nodeName: n1}}",
                "---\n{kind: Pod, metadata: {name: a, namespace: elsewhere}, spec: {nodeName: n1, volumes: [{name: v,"
                        + " persistentVolumeClaim: {claimName: data}}]}}",
                "---\n"
                    + "{kind: Pod, metadata: {name: a, namespace: default}, spec: {nodeName: nowhere, volumes: [{name:"
                    + " v, persistentVolumeClaim: {claimName: data}}]}}",
            })
    void volume_podDoesNotNeedIt_isNotAttached(String pod) {
        assertThat(run(volume("ReadWriteOnce"), pod).takeEvents()).isEmpty();
    }

    @Test
    void volume_notAttachable_isNotAttached() {
        String hostPath = """
            ---
            kind: PersistentVolume
            metadata: {name: pv}
            spec: {hostPath: {path: /x}, claimRef: {namespace: default, name: data, uid: uid-data}}
            """;
        assertThat(run(hostPath, pod("a", "n1")).takeEvents()).isEmpty();
    }

    @Test
    void volume_claimNotBoundToIt_isAttachedOnlyAfterBinding() {
        ControllerFixture run = new ControllerFixture(
                        new AttachDetachController(),
                        NODES + volume("ReadWriteOnce") + pod("a", "n1")
                                + "---\n"
                                + "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec:"
                                + " {}}")
                .settle();
        assertThat(run.takeEvents()).isEmpty();
        run.put(CLAIM).settle();
        assertThat(run.takeEvents()).containsExactly("VolumeAttachmentCreated " + N1);
    }

    @Test
    void volume_boundToFormerClaimOfTheSameName_isNotAttached() {
        ControllerFixture run = new ControllerFixture(
                        new AttachDetachController(), NODES + volume("ReadWriteOnce") + pod("a", "n1") + """
                            kind: PersistentVolumeClaim
                            metadata: {name: data, namespace: default, uid: another}
                            spec: {volumeName: pv}
                            """)
                .settle();
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void volume_nodeOfPodRegistersLater_isAttachedThen() {
        ControllerFixture run = run(volume("ReadWriteOnce"), pod("a", "n3"));
        assertThat(run.takeEvents()).isEmpty();
        run.put("{kind: Node, metadata: {name: n3}}").settle();
        assertThat(run.takeEvents())
                .containsExactly("VolumeAttachmentCreated volumeattachments.storage.k8s.io/" + attachment("n3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ReadWriteMany", "ReadOnlyMany", ""})
    void volume_sharedAccessMode_isAttachedToAllNodesOfItsPods(String mode) {
        assertThat(run(volume(mode), pod("a", "n1"), pod("b", "n2")).takeEvents())
                .containsExactlyInAnyOrder("VolumeAttachmentCreated " + N1, "VolumeAttachmentCreated " + N2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ReadWriteOnce", "ReadWriteOncePod"})
    void volume_exclusiveAccessMode_isAttachedForTheOldestPodAndOthersGetMultiAttachEvents(String mode) {
        ControllerFixture run = run(
                volume(mode),
                pod("late", "n1", "Pending", ", creationTimestamp: '2026-01-01T00:00:09Z'"),
                pod("later", "n1", "Pending", ", creationTimestamp: '2026-01-01T00:00:10Z'"),
                pod("first", "n2", "Pending", ", creationTimestamp: '2026-01-01T00:00:01Z'"));
        assertThat(run.keys()).contains(N2).doesNotContain(N1);
        String message = ": Multi-Attach error for volume \"pv\" Volume is already used by pod(s) first on node n2";
        assertThat(events(run.world()))
                .containsExactlyInAnyOrder(
                        "Warning FailedAttachVolume late" + message, "Warning FailedAttachVolume later" + message);
    }

    @Test
    void volume_attachedElsewhere_reportsOnceAndMovesWhenTheFirstPodIsGone() {
        ControllerFixture run = run(volume("ReadWriteOnce"), pod("a", "n1"), attached("n1", ""), pod("b", "n2"));
        run.takeEvents();
        run.put(pod("b", "n2", "Pending", ", labels: {x: y}")).put(CLAIM).settle();
        assertThat(run.takeEvents()).isEmpty();
        run.remove("pods/default/a").settle();
        assertThat(run.takeEvents())
                .containsExactly(
                        "NodeVolumesAttachedChanged nodes/n1",
                        "VolumeAttachmentDeleted " + N1,
                        "VolumeAttachmentCreated " + N2);
    }

    @Test
    void volume_formerAttachmentTerminating_isAttachedAfterItsRemoval() {
        ControllerFixture run = run(
                volume("ReadWriteOnce"),
                attached("n1", ", finalizers: [external-attacher/x], deletionTimestamp: '2026-01-01T00:00:00Z'"),
                pod("b", "n2"));
        assertThat(run.keys()).doesNotContain(N2);
        assertThat(events(run.world()))
                .containsExactly("Warning FailedAttachVolume b: Multi-Attach error for volume \"pv\" Volume is already"
                        + " exclusively attached to one node and can't be attached to another");
        run.remove(N1).settle();
        assertThat(run.keys()).contains(N2);
    }

    @Test
    void volume_attachedByHand_isNotAttachedToASecondNode() {
        String foreign = attached("n1", "").replace(attachment("n1"), "made-by-hand");
        ControllerFixture run = run(volume("ReadWriteOnce"), foreign, pod("b", "n2"));
        assertThat(run.keys()).doesNotContain(N2).contains("volumeattachments.storage.k8s.io/made-by-hand");
        run.put(pod("c", "n1")).settle();
        assertThat(run.keys()).contains(N1);
    }

    @Test
    void node_volumeAttached_listsItAndPodGetsAnEvent() {
        ControllerFixture run = run(volume("ReadWriteOnce"), pod("a", "n1"));
        run.put(attached("n1", "")).settle();
        assertThat(listed(run).toString()).isEqualTo(LISTED);
        assertThat(events(run.world()))
                .containsExactly("Normal SuccessfulAttachVolume a: AttachVolume.Attach succeeded for volume \"pv\" ");
        run.takeEvents();
        run.put(pod("a2", "n1")).settle();
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void node_manyVolumesAttached_listsThemInOneEventAndKeepsForeignEntries() {
        StringBuilder many = new StringBuilder(NODES.replace(
                "{name: n1}, spec: {}}",
                "{name: n1}, status: {unknown: 1, volumesAttached: [{name: kubernetes.io/x/y, devicePath: z},"
                        + " {name: kubernetes.io/csi/gone^1, devicePath: ''}]}}"));
        for (int i = 0; i < 50; i++) {
            String one = CLAIM + volume("ReadWriteOnce") + pod("p" + i, "n1") + attached("n1", "");
            many.append(one.replace(attachment("n1"), CsiNames.attachment("block.mooring.dev", "h" + i, "n1"))
                    .replaceAll("\\bpv\\b", "pv" + i)
                    .replaceAll("(?<!meta)\\b(uid-)?data\\b", "$1data" + i)
                    .replace("volumeHandle: h1", "volumeHandle: h" + i));
        }
        ControllerFixture run = new ControllerFixture(new AttachDetachController(), many.toString()).settle();
        assertThat(run.takeEvents().stream().filter(each -> !each.startsWith("EventRecorded")))
                .containsExactly("NodeVolumesAttachedChanged nodes/n1");
        assertThat(listed(run)).hasSize(51);
        assertThat(listed(run).get(0).toString()).isEqualTo("{\"name\":\"kubernetes.io/x/y\",\"devicePath\":\"z\"}");
        assertThat(WorldFixture.tree(run.world(), "nodes/n1")
                        .path("status")
                        .path("unknown")
                        .asInt())
                .isEqualTo(1);
        run.settle();
        assertThat(run.reconciles()).isLessThan(400);
    }

    /** The World has an attachment whose change the controller has not received: no second node gets the volume. */
    @Test
    void volume_attachmentNotYetDelivered_isNotAttachedTwice() {
        AttachDetachController controller = new AttachDetachController();
        ControllerFixture run =
                new ControllerFixture(controller, NODES + CLAIM + volume("ReadWriteOnce") + pod("b", "n2"));
        World ahead = WorldFixture.put(
                run.world(), WorldFixture.objects(attached("n1", "")).get(0));
        Decision decision = controller.reconcile(ahead, ObjectKey.parse("persistentvolumes/pv"), run.now());
        assertThat(decision.proposals()).noneMatch(each -> each.type().equals("VolumeAttachmentCreated"));
    }

    @Test
    void volume_handleAttachedForAnotherPersistentVolume_isNotAttachedToASecondNode() {
        World world = WorldFixture.of(NODES
                + CLAIM
                + volume("ReadWriteOnce")
                + pod("b", "n2")
                + attached("n1", "").replace("persistentVolumeName: pv", "persistentVolumeName: former"));
        Decision decision =
                new AttachDetachController().reconcile(world, ObjectKey.parse("persistentvolumes/pv"), Instant.EPOCH);
        assertThat(decision.proposals()).noneMatch(each -> each.type().equals("VolumeAttachmentCreated"));
    }

    @Test
    void pod_labelsChange_causesNoReconcile() {
        ControllerFixture run = run(volume("ReadWriteOnce"), pod("a", "n1"));
        int reconciles = run.reconciles();
        run.put(pod("a", "n1", "Pending", ", labels: {x: y}")).settle();
        assertThat(run.reconciles()).isEqualTo(reconciles);
    }
}
