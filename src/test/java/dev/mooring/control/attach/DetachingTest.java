package dev.mooring.control.attach;

import static dev.mooring.control.attach.Scenes.CLAIM;
import static dev.mooring.control.attach.Scenes.LISTED;
import static dev.mooring.control.attach.Scenes.N1;
import static dev.mooring.control.attach.Scenes.N2;
import static dev.mooring.control.attach.Scenes.NODES;
import static dev.mooring.control.attach.Scenes.UNIQUE;
import static dev.mooring.control.attach.Scenes.actual;
import static dev.mooring.control.attach.Scenes.attached;
import static dev.mooring.control.attach.Scenes.attachment;
import static dev.mooring.control.attach.Scenes.listed;
import static dev.mooring.control.attach.Scenes.node;
import static dev.mooring.control.attach.Scenes.pod;
import static dev.mooring.control.attach.Scenes.run;
import static dev.mooring.control.attach.Scenes.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Controller;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import dev.mooring.model.view.CsiNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DetachingTest {
    @Test
    void detachesWhatNoPodNeedsAnyMore() {
        OneController run = run(volume("ReadWriteOnce"), pod("a", "n1"), attached("n1", ""));
        assertThat(listed(run).toString()).isEqualTo(LISTED);
        run.did();
        run.put(pod("a", "n1", "Succeeded", "")).settle();
        assertThat(run.did()).containsExactly("NodeVolumesAttachedChanged nodes/n1", "VolumeAttachmentDeleted " + N1);
        assertThat(listed(run).isMissingNode()).isTrue();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void leavesTheLastWordToTheAttacher() {
        OneController run = run(volume("ReadWriteOnce"), attached("n1", ", finalizers: [external-attacher/x]"));
        assertThat(run.did()).containsExactly("VolumeAttachmentDeletionRequested " + N1);
        assertThat(Worlds.tree(run.world(), N1)
                        .path("metadata")
                        .path("deletionTimestamp")
                        .asText())
                .isEqualTo("2026-01-01T00:00:00Z");
    }

    @Test
    void detachesAVolumeThatIsGone() {
        OneController run = new OneController(new AttachDetach(), NODES + attached("n1", "")).settle();
        assertThat(run.did()).containsExactly("VolumeAttachmentDeleted " + N1);
    }

    @Test
    void keepsAVolumeThatIsGoneWhileTheNodeUsesIt() {
        String using = node(
                "n1",
                "",
                "volumesInUse: ['" + UNIQUE + "'], volumesAttached: [{name: '" + UNIQUE + "', devicePath: ''}]");
        OneController run = new OneController(new AttachDetach(), using + attached("n1", "")).settle();
        assertThat(listed(run).toString()).isEqualTo(LISTED);
        run.put(node("n1", "", "volumesAttached: [{name: '" + UNIQUE + "', devicePath: ''}]"))
                .settle();
        assertThat(run.keys()).doesNotContain(N1);
    }

    @Test
    void detachesWhatBelongedToAFormerVolumeOfThatName() {
        OneController run = run(volume("ReadWriteOnce").replace("h1", "h2"), pod("a", "n1"), attached("n1", ""));
        assertThat(run.keys())
                .doesNotContain(N1)
                .contains("volumeattachments.storage.k8s.io/" + CsiNames.attachment("block.mooring.dev", "h2", "n1"));
    }

    @Test
    void waitsForTheNodeToLetGo() {
        OneController run = run(volume("ReadWriteOnce"), attached("n1", ""), pod("b", "n2"));
        assertThat(run.keys()).doesNotContain(N1).contains(N2);
        run = new OneController(new AttachDetach(), NODES + CLAIM);
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
    void asksTheActualVolumesWhetherItIsMounted(String state, String more, String outcome) {
        OneController run = new OneController(
                        new AttachDetach(),
                        NODES + CLAIM + volume("ReadWriteOnce") + attached("n1", "") + actual(state, more))
                .settle();
        assertThat(run.keys().contains(N1)).isEqualTo(outcome.equals("held"));
        run.put(actual("Attached", "")).settle();
        assertThat(run.keys()).doesNotContain(N1);
    }

    @Test
    void doesNotWaitForANodeThatIsOutOfServiceNorForItsPodsThatAreGoing() {
        OneController run = run(
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
    void keepsWhatAPodNeedsThatIsMeantToStayOnANodeOutOfService() {
        OneController run = run(volume("ReadWriteOnce"), attached("n1", ""), pod("a", "n1"));
        run.put(node("n1", "taints: [{key: node.kubernetes.io/out-of-service, effect: NoSchedule}]", ""))
                .settle();
        assertThat(run.keys()).contains(N1);
    }

    @Test
    void detachesByForceOnlyIfConfigured() {
        String notReady = node(
                "n1",
                "",
                "volumesInUse: ['" + UNIQUE + "'], conditions: [{type: Ready, status: Unknown, lastTransitionTime:"
                        + " '2026-01-01T00:00:00Z'}]");
        String rest = CLAIM + volume("ReadWriteOnce") + attached("n1", "") + notReady;
        OneController patient = new OneController(new AttachDetach(), NODES + rest).settle();
        patient.pass(Duration.ofHours(1));
        assertThat(patient.keys()).contains(N1);
        assertThat(patient.waiting()).isZero();
        Controller forceful = new AttachDetach(Optional.of(Duration.ofMinutes(6)));
        OneController run = new OneController(forceful, NODES + rest).settle();
        run.pass(Duration.ofMinutes(5));
        assertThat(run.keys()).contains(N1);
        assertThat(run.passUntilDue()).isTrue();
        assertThat(run.now()).isEqualTo(Instant.parse("2026-01-01T00:06:00Z"));
        assertThat(run.keys()).doesNotContain(N1);
    }

    @Test
    void detachesFromANodeThatIsGoneOnceNothingSaysItIsMounted() {
        OneController run = run(volume("ReadWriteOnce"), attached("n3", ""));
        assertThat(run.did())
                .containsExactly("VolumeAttachmentDeleted volumeattachments.storage.k8s.io/" + attachment("n3"));
    }
}
