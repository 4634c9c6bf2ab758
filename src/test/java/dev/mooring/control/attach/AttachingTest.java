package dev.mooring.control.attach;

import static dev.mooring.control.attach.Scenes.CLAIM;
import static dev.mooring.control.attach.Scenes.LISTED;
import static dev.mooring.control.attach.Scenes.N1;
import static dev.mooring.control.attach.Scenes.N2;
import static dev.mooring.control.attach.Scenes.NODES;
import static dev.mooring.control.attach.Scenes.attached;
import static dev.mooring.control.attach.Scenes.attachment;
import static dev.mooring.control.attach.Scenes.events;
import static dev.mooring.control.attach.Scenes.listed;
import static dev.mooring.control.attach.Scenes.pod;
import static dev.mooring.control.attach.Scenes.run;
import static dev.mooring.control.attach.Scenes.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Decision;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.CsiNames;
import dev.mooring.world.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttachingTest {
    @Test
    void attachesAVolumeWhereAPodNeedsIt() {
        OneController run = run(volume("ReadWriteOnce"), pod("a", "n1"));
        assertThat(run.did()).containsExactly("VolumeAttachmentCreated " + N1);
        JsonNode made = Worlds.tree(run.world(), N1);
        assertThat(made.path("spec").toString())
                .isEqualTo("{\"attacher\":\"block.mooring.dev\",\"source\":{\"persistentVolumeName\":\"pv\"},"
                        + "\"nodeName\":\"n1\"}");
        assertThat(made.path("status").toString()).isEqualTo("{\"attached\":false}");
        assertThat(made.path("metadata").path("uid").asText()).isNotEmpty();
        assertThat(made.path("metadata").path("creationTimestamp").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(listed(run).isMissingNode()).isTrue();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void asksTheAttachersOfOtherDriversToo() {
        OneController run = run(volume("ebs.csi.aws.com", "ReadWriteOnce"), pod("a", "n1"));
        String name = CsiNames.attachment("ebs.csi.aws.com", "h1", "n1");
        assertThat(Worlds.tree(run.world(), "volumeattachments.storage.k8s.io/" + name)
                        .path("spec")
                        .path("attacher")
                        .asText())
                .isEqualTo("ebs.csi.aws.com");
    }

    /** One fault each; all the rest would have it attached. */
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
    void attachesNothingFor(String pod) {
        assertThat(run(volume("ReadWriteOnce"), pod).did()).isEmpty();
    }

    @Test
    void attachesNothingThatIsNotAttachable() {
        String hostPath = """
            ---
            kind: PersistentVolume
            metadata: {name: pv}
            spec: {hostPath: {path: /x}, claimRef: {namespace: default, name: data, uid: uid-data}}
            """;
        assertThat(run(hostPath, pod("a", "n1")).did()).isEmpty();
    }

    @Test
    void waitsUntilBothSidesAreBound() {
        OneController run = new OneController(
                        new AttachDetach(),
                        NODES + volume("ReadWriteOnce") + pod("a", "n1")
                                + "---\n"
                                + "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec:"
                                + " {}}")
                .settle();
        assertThat(run.did()).isEmpty();
        run.put(CLAIM).settle();
        assertThat(run.did()).containsExactly("VolumeAttachmentCreated " + N1);
    }

    @Test
    void isNotMisledByAnotherClaimOfTheSameName() {
        OneController run =
                new OneController(new AttachDetach(), NODES + volume("ReadWriteOnce") + pod("a", "n1") + """
                    kind: PersistentVolumeClaim
                    metadata: {name: data, namespace: default, uid: another}
                    spec: {volumeName: pv}
                    """).settle();
        assertThat(run.did()).isEmpty();
    }

    @Test
    void attachesWhenTheNodeAppears() {
        OneController run = run(volume("ReadWriteOnce"), pod("a", "n3"));
        assertThat(run.did()).isEmpty();
        run.put("{kind: Node, metadata: {name: n3}}").settle();
        assertThat(run.did())
                .containsExactly("VolumeAttachmentCreated volumeattachments.storage.k8s.io/" + attachment("n3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ReadWriteMany", "ReadOnlyMany", ""})
    void attachesAVolumeForManyToAllNodesThatNeedIt(String mode) {
        assertThat(run(volume(mode), pod("a", "n1"), pod("b", "n2")).did())
                .containsExactlyInAnyOrder("VolumeAttachmentCreated " + N1, "VolumeAttachmentCreated " + N2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ReadWriteOnce", "ReadWriteOncePod"})
    void attachesAVolumeForOneToTheNodeOfTheFirstPodAndTellsTheOthersWhoHasIt(String mode) {
        OneController run = run(
                volume(mode),
                pod("late", "n1", "Pending", ", creationTimestamp: '2026-01-01T00:00:09Z'"),
                pod("later", "n1", "Pending", ", creationTimestamp: '2026-01-01T00:00:10Z'"),
                pod("first", "n2", "Pending", ", creationTimestamp: '2026-01-01T00:00:01Z'"));
        assertThat(run.keys()).contains(N2).doesNotContain(N1);
        String why = ": Multi-Attach error for volume \"pv\" Volume is already used by pod(s) first on node n2";
        assertThat(events(run.world()))
                .containsExactlyInAnyOrder(
                        "Warning FailedAttachVolume late" + why, "Warning FailedAttachVolume later" + why);
    }

    @Test
    void tellsItOnceAndAttachesWhenTheFirstIsGone() {
        OneController run = run(volume("ReadWriteOnce"), pod("a", "n1"), attached("n1", ""), pod("b", "n2"));
        run.did();
        run.put(pod("b", "n2", "Pending", ", labels: {x: y}")).put(CLAIM).settle();
        assertThat(run.did()).isEmpty();
        run.remove("pods/default/a").settle();
        assertThat(run.did())
                .containsExactly(
                        "NodeVolumesAttachedChanged nodes/n1",
                        "VolumeAttachmentDeleted " + N1,
                        "VolumeAttachmentCreated " + N2);
    }

    @Test
    void waitsForAnAttachmentWhoseHolderCannotBeSeen() {
        OneController run = run(
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
    void countsAnAttachmentThatSomebodyElseMade() {
        String others = attached("n1", "").replace(attachment("n1"), "made-by-hand");
        OneController run = run(volume("ReadWriteOnce"), others, pod("b", "n2"));
        assertThat(run.keys()).doesNotContain(N2).contains("volumeattachments.storage.k8s.io/made-by-hand");
        run.put(pod("c", "n1")).settle();
        assertThat(run.keys()).contains(N1);
    }

    @Test
    void listsWhatIsAttachedAndTellsThePods() {
        OneController run = run(volume("ReadWriteOnce"), pod("a", "n1"));
        run.put(attached("n1", "")).settle();
        assertThat(listed(run).toString()).isEqualTo(LISTED);
        assertThat(events(run.world()))
                .containsExactly("Normal SuccessfulAttachVolume a: AttachVolume.Attach succeeded for volume \"pv\" ");
        run.did();
        run.put(pod("a2", "n1")).settle();
        assertThat(run.did()).isEmpty();
    }

    @Test
    void listsAllOfANodeInOneEventAndLeavesOtherPluginsEntries() {
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
        OneController run = new OneController(new AttachDetach(), many.toString()).settle();
        assertThat(run.did().stream().filter(each -> !each.startsWith("EventRecorded")))
                .containsExactly("NodeVolumesAttachedChanged nodes/n1");
        assertThat(listed(run)).hasSize(51);
        assertThat(listed(run).get(0).toString()).isEqualTo("{\"name\":\"kubernetes.io/x/y\",\"devicePath\":\"z\"}");
        assertThat(Worlds.tree(run.world(), "nodes/n1")
                        .path("status")
                        .path("unknown")
                        .asInt())
                .isEqualTo(1);
        run.settle();
        assertThat(run.looks()).isLessThan(400);
    }

    /** Attached in the World, but the controller has not been told: the volume may not go to a second node. */
    @Test
    void doesNotAttachTwiceThoughItsIndexIsBehind() {
        AttachDetach controller = new AttachDetach();
        OneController run = new OneController(controller, NODES + CLAIM + volume("ReadWriteOnce") + pod("b", "n2"));
        World ahead = Worlds.put(run.world(), Worlds.objects(attached("n1", "")).get(0));
        Decision decision = controller.reconcile(ahead, ObjectKey.parse("persistentvolumes/pv"), run.now());
        assertThat(decision.proposals()).noneMatch(each -> each.type().equals("VolumeAttachmentCreated"));
    }

    @Test
    void ignoresChangesOfPodsThatDoNotMatter() {
        OneController run = run(volume("ReadWriteOnce"), pod("a", "n1"));
        int looks = run.looks();
        run.put(pod("a", "n1", "Pending", ", labels: {x: y}")).settle();
        assertThat(run.looks()).isEqualTo(looks);
    }
}
