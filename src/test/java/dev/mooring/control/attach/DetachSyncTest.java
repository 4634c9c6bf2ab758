package dev.mooring.control.attach;

import static dev.mooring.control.attach.AttachFixture.CLAIM;
import static dev.mooring.control.attach.AttachFixture.LISTED;
import static dev.mooring.control.attach.AttachFixture.N1;
import static dev.mooring.control.attach.AttachFixture.N2;
import static dev.mooring.control.attach.AttachFixture.NODES;
import static dev.mooring.control.attach.AttachFixture.UNIQUE;
import static dev.mooring.control.attach.AttachFixture.actual;
import static dev.mooring.control.attach.AttachFixture.attached;
import static dev.mooring.control.attach.AttachFixture.attachment;
import static dev.mooring.control.attach.AttachFixture.listed;
import static dev.mooring.control.attach.AttachFixture.node;
import static dev.mooring.control.attach.AttachFixture.pod;
import static dev.mooring.control.attach.AttachFixture.run;
import static dev.mooring.control.attach.AttachFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Controller;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.CsiNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DetachSyncTest {
    @Test
    void volume_lastPodFinished_isDetached() {
        ControllerFixture run = run(volume("ReadWriteOnce"), pod("a", "n1"), attached("n1", ""));
        assertThat(listed(run).toString()).isEqualTo(LISTED);
        run.takeEvents();
        run.put(pod("a", "n1", "Succeeded", "")).settle();
        assertThat(run.takeEvents())
                .containsExactly("NodeVolumesAttachedChanged nodes/n1", "VolumeAttachmentDeleted " + N1);
        assertThat(listed(run).isMissingNode()).isTrue();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void attachment_withFinalizer_isMarkedForDeletion() {
        ControllerFixture run = run(volume("ReadWriteOnce"), attached("n1", ", finalizers: [external-attacher/x]"));
        assertThat(run.takeEvents()).containsExactly("VolumeAttachmentDeletionRequested " + N1);
        assertThat(WorldFixture.tree(run.world(), N1)
                        .path("metadata")
                        .path("deletionTimestamp")
                        .asText())
                .isEqualTo("2026-01-01T00:00:00Z");
    }

    @Test
    void volume_deleted_isDetached() {
        ControllerFixture run =
                new ControllerFixture(new AttachDetachController(), NODES + attached("n1", "")).settle();
        assertThat(run.takeEvents()).containsExactly("VolumeAttachmentDeleted " + N1);
    }

    @Test
    void volume_deletedButInUseOnNode_isDetachedOnlyAfterUse() {
        String inUse = node(
                "n1",
                "",
                "volumesInUse: ['" + UNIQUE + "'], volumesAttached: [{name: '" + UNIQUE + "', devicePath: ''}]");
        ControllerFixture run =
                new ControllerFixture(new AttachDetachController(), inUse + attached("n1", "")).settle();
        assertThat(listed(run).toString()).isEqualTo(LISTED);
        run.put(node("n1", "", "volumesAttached: [{name: '" + UNIQUE + "', devicePath: ''}]"))
                .settle();
        assertThat(run.keys()).doesNotContain(N1);
    }

    @Test
    void attachment_ofFormerVolumeOfTheSameName_isDeleted() {
        ControllerFixture run = run(volume("ReadWriteOnce").replace("h1", "h2"), pod("a", "n1"), attached("n1", ""));
        assertThat(run.keys())
                .doesNotContain(N1)
                .contains("volumeattachments.storage.k8s.io/" + CsiNames.attachment("block.mooring.dev", "h2", "n1"));
    }

    @Test
    void volume_inUseOnNode_isDetachedOnlyAfterUse() {
        ControllerFixture run = run(volume("ReadWriteOnce"), attached("n1", ""), pod("b", "n2"));
        assertThat(run.keys()).doesNotContain(N1).contains(N2);
        run = new ControllerFixture(new AttachDetachController(), NODES + CLAIM);
        run.put(node("n1", "", "volumesInUse: ['" + UNIQUE + "']"));
        run.put(volume("ReadWriteOnce") + attached("n1", "") + pod("b", "n2")).settle();
        assertThat(run.keys()).contains(N1).doesNotContain(N2);
        assertThat(listed(run).toString()).isEqualTo(LISTED);
        run.put(node("n1", "", "volumesInUse: [kubernetes.io/csi/other^h1]")).settle();
        assertThat(run.keys()).doesNotContain(N1).contains(N2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        Mounted    | ""                                                             | held
        Mounting   | ""                                                             | held
        Uncertain  | ""                                                             | held
        Unmounting | ""                                                             | held
        Dreaming   | ""                                                             | held
        Failed     | ", mounts: [{path: /x, pod: {name: a}, state: Uncertain}]"     | held
        Attached   | ", deviceMountPath: /var/lib/x"                                | held
        Attached   | ", devicePath: /dev/loop3"                                     | free
        Attaching  | ""                                                             | free
        Failed     | ""                                                             | free
        """)
    void volume_actualVolumeMayBeMounted_isNotDetached(String state, String more, String outcome) {
        ControllerFixture run = new ControllerFixture(
                        new AttachDetachController(),
                        NODES + CLAIM + volume("ReadWriteOnce") + attached("n1", "") + actual(state, more))
                .settle();
        assertThat(run.keys().contains(N1)).isEqualTo(outcome.equals("held"));
        run.put(actual("Attached", "")).settle();
        assertThat(run.keys()).doesNotContain(N1);
    }

    @Test
    void volume_nodeOutOfServiceAndPodTerminating_isDetachedThoughInUse() {
        ControllerFixture run = run(
                volume("ReadWriteOnce"),
                attached("n1", ""),
                pod("a", "n1", "Running", ", deletionTimestamp: '2026-01-01T00:00:00Z'"),
                pod("b", "n2"),
                actual("Mounted", ""));
        run.put(node("n1", "", "volumesInUse: ['" + UNIQUE + "']")).settle();
        assertThat(run.keys()).contains(N1).doesNotContain(N2);
        run.put(node(
                        "n1",
                        "taints: [{key: node.kubernetes.io/out-of-service, value: nodeshutdown, effect: NoExecute}]",
                        "volumesInUse: ['" + UNIQUE + "']"))
                .settle();
        assertThat(run.keys()).doesNotContain(N1).contains(N2);
    }

    @Test
    void volume_nodeOutOfServiceButPodNotTerminating_staysAttached() {
        ControllerFixture run = run(volume("ReadWriteOnce"), attached("n1", ""), pod("a", "n1"));
        run.put(node("n1", "taints: [{key: node.kubernetes.io/out-of-service, effect: NoSchedule}]", ""))
                .settle();
        assertThat(run.keys()).contains(N1);
    }

    @Test
    void volume_nodeNotReady_isForceDetachedOnlyIfConfigured() {
        String notReady = node(
                "n1",
                "",
                "volumesInUse: ['" + UNIQUE + "'], conditions: [{type: Ready, status: Unknown, lastTransitionTime:"
                        + " '2026-01-01T00:00:00Z'}]");
        String rest = CLAIM + volume("ReadWriteOnce") + attached("n1", "") + notReady;
        ControllerFixture withoutForce = new ControllerFixture(new AttachDetachController(), NODES + rest).settle();
        withoutForce.advance(Duration.ofHours(1));
        assertThat(withoutForce.keys()).contains(N1);
        assertThat(withoutForce.waiting()).isZero();
        Controller forcing = new AttachDetachController(Optional.of(Duration.ofMinutes(6)));
        ControllerFixture run = new ControllerFixture(forcing, NODES + rest).settle();
        run.advance(Duration.ofMinutes(5));
        assertThat(run.keys()).contains(N1);
        assertThat(run.advanceUntilDue()).isTrue();
        assertThat(run.now()).isEqualTo(Instant.parse("2026-01-01T00:06:00Z"));
        assertThat(run.keys()).doesNotContain(N1);
    }

    @Test
    void volume_nodeDeletedAndNotMounted_isDetached() {
        ControllerFixture run = run(volume("ReadWriteOnce"), attached("n3", ""));
        assertThat(run.takeEvents())
                .containsExactly("VolumeAttachmentDeleted volumeattachments.storage.k8s.io/" + attachment("n3"));
    }
}
