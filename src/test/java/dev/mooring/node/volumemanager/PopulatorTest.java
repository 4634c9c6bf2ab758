package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.PopulatorFixture.CLAIM;
import static dev.mooring.node.volumemanager.PopulatorFixture.VOLUME;
import static dev.mooring.node.volumemanager.PopulatorFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.DesiredVolume;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the desired state follows Pods and what they refer to. P and D are the scenarios of the reference. */
class PopulatorTest {
    private static final String RUNNING = ", status: {phase: Running, containerStatuses: [{state: {running: {}}}]}}\n";
    private static final String DELETED = "deletionTimestamp: '2026-01-01T00:00:00Z', ";

    private static String with(String pod, String metadata, String status) {
        return pod.replace("metadata: {", "metadata: {" + metadata).replaceFirst("}\n$", status);
    }

    private static List<String> volumes(PopulatorFixture scene) {
        return scene.all().stream().map(DesiredVolume::volumeName).toList();
    }

    @ParameterizedTest(name = "{0}, {1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
        stays   | running    | 1
        stays   | unknown    | 1
        stays   | finished   | 0
        deleted | running    | 1
        deleted | unknown    | 0
        deleted | finished   | 0
        """)
    void p1APodInEachStateAtTheStartAndLater(String deleted, String state, int expected) {
        String status = switch (state) {
            case "running" -> RUNNING;
            case "finished" -> ", status: {phase: Succeeded}}\n";
            default -> "}\n";
        };
        String pod = with(pod(), deleted.equals("deleted") ? DELETED : "", status);

        assertThat(new PopulatorFixture(CLAIM + VOLUME + pod).all()).hasSize(expected);
        assertThat(new PopulatorFixture(CLAIM + VOLUME + pod()).put(pod).all()).hasSize(expected);
    }

    @Test
    void d1ThePodThatIsSeenAgainChangesNothing() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        assertThat(scene.eventTypes()).containsExactly("DesiredVolumeAdded");

        scene.put(pod()).put(CLAIM).put(VOLUME).restart();

        assertThat(scene.eventTypes()).isEmpty();
    }

    @Test
    void whatSaysNothingOfAccessIsNotWrittenAgainAndAgain() {
        String silent = (CLAIM + VOLUME).replace("accessModes: [ReadWriteMany], ", "");
        PopulatorFixture scene = new PopulatorFixture(pod() + silent);

        assertThat(scene.eventTypes()).containsExactly("DesiredVolumeAdded");
        assertThat(scene.spec().has("accessModes")).isFalse();
    }

    @Test
    void d2NamesAreThePodsOwnOrSharedByAllAsThePluginIs() {
        String two = pod() + pod().replace("name: p,", "name: q,");
        PopulatorFixture nfs = new PopulatorFixture(two + CLAIM + VOLUME);
        assertThat(nfs.all()).extracting(DesiredVolume::volume).doesNotHaveDuplicates();

        PopulatorFixture local =
                new PopulatorFixture(two + CLAIM + VOLUME.replace("nfs: {server: nas, path: /a}", "local: {path: /a}"));
        assertThat(local.all())
                .hasSize(2)
                .extracting(DesiredVolume::volume)
                .containsOnly("kubernetes.io/local-volume/pv");
        assertThat(local.all())
                .extracting(DesiredVolume::counterpart)
                .doesNotContainNull()
                .containsOnly(local.all().get(0).counterpart());
    }

    @Test
    void d3APodThatIsDeletedTakesItsVolumesWithItAndLeavesThoseOfOthers() {
        PopulatorFixture scene = new PopulatorFixture(pod() + pod().replace("name: p,", "name: q,") + CLAIM + VOLUME);
        scene.eventTypes();

        scene.remove("pods/team/p");

        assertThat(scene.eventTypes()).containsExactly("DesiredVolumeRemoved");
        assertThat(scene.only().pod().name()).isEqualTo("q");
    }

    @Test
    void d4AVolumeInUseIsReportedThroughTheObjectItselfSoOneIsThereBeforeAnythingIsMounted() {
        assertThat(new PopulatorFixture(pod() + CLAIM + VOLUME).only().volume()).isNotEmpty();
    }

    @Test
    void p2WhatIsInTheWayStaysKnownAndOtherVolumesGoOn() {
        PopulatorFixture scene = new PopulatorFixture(pod(
                "p",
                "{name: a, persistentVolumeClaim: {claimName: data}}, {name: b, emptyDir: {}},"
                        + " {name: c, persistentVolumeClaim: {claimName: none}}"));

        assertThat(scene.of("p", "b").orElseThrow().isResolved()).isTrue();
        assertThat(scene.recordedEvents())
                .hasSize(1)
                .first()
                .asString()
                .contains("unmounted volumes=[a c], unattached volumes=[], failed to process volumes=[a c]: error"
                        + " processing PVC team/data: failed to fetch PVC from API server: persistentvolumeclaims"
                        + " \"data\" not found; error processing PVC team/none:");

        scene.put(CLAIM + VOLUME);
        assertThat(scene.of("p", "a").orElseThrow().isResolved()).isTrue();
        assertThat(scene.of("p", "a").orElseThrow().tree().has("status")).isFalse();
        assertThat(scene.error("p", "c")).isNotEmpty();
    }

    @Test
    void anErrorIsAsOldAsItsFirstTimeAndToldOnce() {
        PopulatorFixture scene = new PopulatorFixture(pod());
        scene.eventTypes();

        scene.pass(Duration.ofHours(1)).put(pod());

        assertThat(scene.eventTypes()).isEmpty();
        assertThat(scene.recordedEvents()).hasSize(1);
        scene.put(CLAIM);
        assertThat(scene.only().status().path("error").path("time").asText()).isEqualTo("2026-01-01T01:00:00Z");
        assertThat(scene.only().spec().path("since").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(scene.recordedEvents()).hasSize(2);
    }

    @Test
    void p3WhatIsMountedStaysKnownWhenItsClaimGoesWrong() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        String volume = scene.only().volume();

        scene.put(CLAIM.replace("Bound", "Lost")).remove("persistentvolumes/pv");

        assertThat(scene.error("p", "v")).contains("PVC is not bound");
        assertThat(scene.only().volume()).isEqualTo(volume);
        assertThat(scene.only().source().has("nfs")).isTrue();
        scene.put(CLAIM).put(VOLUME);
        assertThat(scene.only().isResolved()).isTrue();
    }

    @Test
    void p3WhatIsInTheWayIsLookedAtAgainOnlyNowAndThenAndWhatIsNotNever() {
        PopulatorFixture waiting = new PopulatorFixture(pod());
        int looks = waiting.world().reconciles();
        waiting.pass(Duration.ofMinutes(4));
        assertThat(waiting.world().reconciles()).isEqualTo(looks);
        waiting.pass(Duration.ofMinutes(2));
        assertThat(waiting.world().reconciles()).isEqualTo(looks + 1);

        PopulatorFixture healthy = new PopulatorFixture(pod() + CLAIM + VOLUME);
        assertThat(healthy.world().waiting()).isZero();
    }

    @Test
    void p4APodThatIsGoneKeepsItsVolumesAsLongAsTheRuntimeHasIt() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        scene.runs("uid-p");
        scene.remove("pods/team/p").pass(Duration.ofMinutes(1));
        assertThat(scene.all()).hasSize(1);

        scene.ends("uid-p");
        scene.pass(Duration.ofSeconds(1));
        assertThat(scene.all()).isEmpty();
        assertThat(scene.world().waiting()).isZero();
    }

    @Test
    void p4APodThatIsBeingDeletedKeepsThemToo() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        scene.runs("uid-p");
        scene.put(with(pod(), DELETED, "}\n")).pass(Duration.ofMinutes(1));
        assertThat(scene.all()).hasSize(1);

        scene.ends("uid-p");
        scene.pass(Duration.ofSeconds(1));
        assertThat(scene.all()).isEmpty();
    }

    @Test
    void p4AnotherPodOfTheSameNameDoesNotTakeOverWhatTheFirstOneHas() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        scene.runs("uid-p");

        scene.put(pod().replace("name: p,", "name: p, uid: second,"));
        assertThat(scene.all()).extracting(each -> each.pod().uid()).containsExactlyInAnyOrder("uid-p", "second");

        scene.ends("uid-p");
        scene.pass(Duration.ofSeconds(1));
        assertThat(scene.only().pod().uid()).isEqualTo("second");
    }

    @Test
    void p5AVolumeOfAPodThatExistsNeverGoesForWantOfAnActualOneBecauseNobodyAsksForThat() {
        PopulatorFixture scene =
                new PopulatorFixture(pod() + CLAIM + VOLUME).restart().pass(Duration.ofDays(1));

        assertThat(scene.all()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Uncertain", "Mounting", "Mounted"})
    void p6WhateverTheActualOneIsTheDesiredOneGoesWithThePodSinceUnmountingNeedsTheActualOneOnly(String state) {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        ObjectNode actual = WorldFixture.objects("{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a},"
                        + " spec: {node: n1, volume: kubernetes.io/nfs/uid-p-pv}, status: {state: " + state + "}}")
                .get(0);

        scene.put(actual.toString()).remove("pods/team/p");

        assertThat(scene.all()).isEmpty();
    }

    @Test
    void p7AVolumeThatTurnsFromPerPodToSharedIsUpdated() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        scene.eventTypes();

        scene.put(VOLUME.replace("nfs: {server: nas, path: /a}", "local: {path: /a}"));

        assertThat(scene.eventTypes()).containsExactly("DesiredVolumeChanged");
        assertThat(scene.only().volume()).isEqualTo("kubernetes.io/local-volume/pv");
    }

    @Test
    void p10AVolumeThatGrowsIsWantedLargerUnlessItIsReadOnly() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        scene.put(VOLUME.replace("5Gi", "7Gi"));
        assertThat(scene.only().capacity().orElseThrow().toString()).isEqualTo("7Gi");

        PopulatorFixture readOnly = new PopulatorFixture(
                pod().replace("claimName: data", "claimName: data, readOnly: true") + CLAIM + VOLUME);
        readOnly.eventTypes();
        readOnly.put(VOLUME.replace("5Gi", "7Gi"));
        assertThat(readOnly.eventTypes()).isEmpty();
    }

    @Test
    void oneClaimInTwoVolumesOfAPodIsTwoDesiredVolumesOfOneVolume() {
        PopulatorFixture scene = new PopulatorFixture(pod(
                        "p",
                        "{name: a, persistentVolumeClaim: {claimName: data}},"
                                + " {name: b, persistentVolumeClaim: {claimName: data}}")
                + CLAIM
                + VOLUME);

        assertThat(volumes(scene)).containsExactlyInAnyOrder("a", "b");
        assertThat(scene.all()).extracting(DesiredVolume::volume).containsOnly("kubernetes.io/nfs/uid-p-pv");
        assertThat(scene.all()).allMatch(DesiredVolume::isResolved);
    }

    @Test
    void contentWithTokens_isRenewedAfterItsInterval() {
        PopulatorFixture scene = new PopulatorFixture(pod("p", "{name: t, projected: {sources: []}}"));
        String first = scene.only().content();
        scene.eventTypes();
        scene.pass(Duration.ofMinutes(48));
        String second = scene.only().content();
        assertThat(second).isNotEqualTo(first);
        assertThat(scene.eventTypes()).containsExactly("DesiredVolumeChanged");
        scene.pass(Duration.ofMinutes(48));
        assertThat(scene.only().content()).isNotIn(first, second);
    }

    @Test
    void aConfigMapOrSecretThatChangesIsToBeShownAnew() {
        PopulatorFixture scene =
                new PopulatorFixture(pod("p", "{name: c, configMap: {name: cm}}, {name: s, secret: {secretName: se}}"));
        assertThat(scene.all()).extracting(DesiredVolume::content).containsOnly("missing");
        scene.eventTypes();

        scene.put("{kind: ConfigMap, metadata: {name: cm, namespace: team}, data: {a: b}}");
        assertThat(scene.eventTypes()).containsExactly("DesiredVolumeChanged");
        assertThat(scene.of("p", "c").orElseThrow().content()).isEqualTo("{\"a\":\"b\"}");
        scene.put("{kind: Secret, metadata: {name: se, namespace: team}, data: {a: c}}");
        assertThat(scene.of("p", "s").orElseThrow().content()).isEqualTo("{\"a\":\"c\"}");
        scene.eventTypes();

        int looks = scene.world().reconciles();
        scene.put("{kind: ConfigMap, metadata: {name: cm, namespace: other}, data: {a: b}}");
        assertThat(scene.world().reconciles())
                .as("looks after a change of another one")
                .isEqualTo(looks);
    }

    @Test
    void whatSomebodyChangesOrDeletesIsPutRightAgain() {
        PopulatorFixture scene = new PopulatorFixture(pod() + CLAIM + VOLUME);
        ObjectNode edited = scene.only().copy();
        ((ObjectNode) edited.get("spec")).put("readOnly", true).put("plugin", "kubernetes.io/host-path");
        ((ObjectNode) edited.get("metadata")).putObject("labels").put("theirs", "kept");
        scene.put(edited.toString());
        assertThat(scene.only().isReadOnly()).isFalse();
        assertThat(scene.only().plugin()).isEqualTo("kubernetes.io/nfs");
        assertThat(scene.only().labels().path("theirs").asText()).isEqualTo("kept");

        scene.remove(scene.only().key().text());
        assertThat(scene.only().isResolved()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{namespace: team, name: gone, uid: u}",
                "{namespace: team, name: p, uid: u}",
                "{namespace: 'a/b', name: p, uid: u}"
            })
    void whatNobodyWantsGoesAtTheStartAndLater(String of) {
        String orphan = "---\n{apiVersion: mooring.dev/v1, kind: DesiredVolume, metadata: {name: orphan},"
                + " spec: {node: n1, volumeName: v, pod: " + of + "}}\n";
        assertThat(new PopulatorFixture(pod() + CLAIM + VOLUME + orphan).only().name())
                .isNotEqualTo("orphan");
        assertThat(new PopulatorFixture(pod() + CLAIM + VOLUME)
                        .put(orphan)
                        .only()
                        .name())
                .isNotEqualTo("orphan");
        String theirs = orphan.replace("node: n1", "node: n11");
        assertThat(new PopulatorFixture(theirs).only().name())
                .as("of another node")
                .isEqualTo("orphan");
    }

    @Test
    void aVolumeThatIsNoLongerUsedGoes() {
        PopulatorFixture scene = new PopulatorFixture(pod("p", "{name: a, emptyDir: {}}, {name: b, emptyDir: {}}"));
        scene.put(pod("p", "{name: a, emptyDir: {}}"));
        assertThat(volumes(scene)).containsExactly("a");
        scene.put(pod("p", "{name: a, emptyDir: {}}, {name: c, emptyDir: {}}"));
        assertThat(volumes(scene)).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void podsOfOtherNodesAndWithoutANodeAreNotOurs() {
        PopulatorFixture scene = new PopulatorFixture(pod().replace("nodeName: n1", "nodeName: n11") + CLAIM + VOLUME);
        scene.put(pod().replace("nodeName: n1,", "").replace("name: p", "name: n1"));
        assertThat(scene.all()).isEmpty();

        scene.put(pod().replace("name: p", "name: n1"));
        assertThat(scene.only().pod().name()).isEqualTo("n1");
    }
}
