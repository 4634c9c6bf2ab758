package dev.mooring.control.expand;

import static dev.mooring.control.expand.GrowingClaim.BLOCK;
import static dev.mooring.control.expand.GrowingClaim.CLAIM;
import static dev.mooring.control.expand.GrowingClaim.OPERATION;
import static dev.mooring.control.expand.GrowingClaim.VOLUME;
import static dev.mooring.control.expand.GrowingClaim.ask;
import static dev.mooring.control.expand.GrowingClaim.capacities;
import static dev.mooring.control.expand.GrowingClaim.claim;
import static dev.mooring.control.expand.GrowingClaim.conditions;
import static dev.mooring.control.expand.GrowingClaim.node;
import static dev.mooring.control.expand.GrowingClaim.settled;
import static dev.mooring.control.expand.GrowingClaim.status;
import static dev.mooring.control.expand.GrowingClaim.told;
import static dev.mooring.control.expand.GrowingClaim.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which claims and volumes it looks after, and which it leaves alone. */
class ExpanderReachTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hostPath: {path: /a}            | mooring.dev/hostpath
        local: {path: /a}               | mooring.dev/local
        nfs: {server: nas, path: /a}    | mooring.dev/nfs
        """)
    void writesTheNumberWhereNothingEnforcesIt(String source, String provisioner) {
        OneController world = with("""
            kind: PersistentVolume
            metadata: {name: v, annotations: {pv.kubernetes.io/provisioned-by: PROVISIONER}}
            spec: {capacity: {storage: 1Gi}, SOURCE, claimRef: {namespace: team, name: data, uid: uid-data}}
            """.replace("PROVISIONER", provisioner).replace("SOURCE", source), claim("5Gi"))
                .settle();

        assertThat(world.did()).hasSize(2).first().isEqualTo("VolumeExpanded " + CLAIM);
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(status(world).has("allocatedResources")).isFalse();
        assertThat(told(world))
                .containsExactly(
                        "Normal VolumeResizeSuccessful ExpandVolume succeeded for volume team/data. Nothing keeps"
                                + " a " + source.substring(0, source.indexOf(':'))
                                + " volume below its size: 5Gi is a number only, not a limit and not a promise");
        settled(world);
    }

    private static final String HAND_MADE = """
        kind: PersistentVolume
        metadata: {name: v}
        spec: {capacity: {storage: 1Gi}, SOURCE, claimRef: {namespace: team, name: data, uid: uid-data}}
        ---
        kind: StorageClass
        apiVersion: storage.k8s.io/v1
        metadata: {name: block}
        provisioner: PROVISIONER
        allowVolumeExpansion: ALLOWED
        """;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hostPath: {path: /a}                         | mooring.dev/hostpath         | true  | 5Gi 5Gi
        nfs: {server: nas, path: /a}                 | mooring.dev/hostpath         | true  | 5Gi 5Gi
        hostPath: {path: /a}                         | mooring.dev/hostpath         | false | external
        hostPath: {path: /a}                         | vendor.example/none          | true  | external
        local: {path: /a}                            | kubernetes.io/no-provisioner | true  | external
        iscsi: {iqn: x}                              | mooring.dev/hostpath         | true  | external
        csi: {driver: disk.example, volumeHandle: h} | mooring.dev/hostpath         | true  | external
        csi: {driver: disk.example, volumeHandle: h} | disk.example                 | true  | external
        """)
    void leavesToOthersWhatIsNotOurs(String source, String provisioner, String allowed, String expected) {
        OneController world = with(
                        HAND_MADE
                                .replace("SOURCE", source)
                                .replace("PROVISIONER", provisioner)
                                .replace("ALLOWED", allowed),
                        claim("5Gi"))
                .settle();

        if (expected.equals("external")) {
            assertThat(told(world))
                    .containsExactly("Normal ExternalExpanding waiting for an external controller to expand this PVC");
            assertThat(capacities(world)).isEqualTo("1Gi 1Gi");
            assertThat(conditions(world)).isEmpty();
        } else {
            assertThat(capacities(world)).isEqualTo(expected);
        }
        settled(world);
    }

    @Test
    void looksAgainWhenTheClassComesToAllowIt() {
        String world =
                HAND_MADE.replace("SOURCE", "hostPath: {path: /a}").replace("PROVISIONER", "mooring.dev/hostpath");
        OneController here =
                with(world.replace("ALLOWED", "false"), claim("5Gi")).settle();
        here.put(world.substring(world.indexOf("---") + 4).replace("ALLOWED", "true"))
                .settle();

        assertThat(capacities(here)).isEqualTo("5Gi 5Gi");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        uid: uid-data     | uid: other         | bound to another of the name
        uid: uid-data     | n: 1               | kept for a name only
        volumeName: v     | volumeName: gone   | its volume is gone
        volumeName: v     | volumeName: a/b c  | no name of a volume
        phase: Bound      | phase: Lost        | lost
        storage: 5Gi      | storage: 1Gi       | asks for what it has
        storage: 5Gi      | storage: 1024Mi    | asks for what it has, in other words
        storage: 5Gi      | storage: 10Mi      | asks for less
        capacity: {storage: 1Gi}, unknown | unknown | has no size yet
        """)
    void doesNothingFor(String part, String other, String who) {
        OneController world = with(
                        BLOCK.replace("uid: uid-data", part.startsWith("uid") ? other : "uid: uid-data"),
                        claim("5Gi").replace(part, other))
                .settle();

        assertThat(world.did()).as(who).isEmpty();
        assertThat(world.waiting()).isZero();
    }

    @Test
    void growsWhenTheVolumeComesToPointBack() {
        OneController world =
                with(BLOCK.replace("uid: uid-data", "uid: other"), claim("5Gi")).settle();
        assertThat(world.did()).isEmpty();
        world.put(BLOCK).settle();

        assertThat(world.keys()).contains(OPERATION);
    }

    @Test
    void doesNotBeginForAClaimThatGoes() {
        String going = claim("5Gi")
                .replace(
                        "namespace: team,",
                        "namespace: team, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x],");
        OneController world = with(BLOCK, going).settle();

        assertThat(world.did()).isEmpty();
    }

    @Test
    void saysThatNoNodeHasTheVolumeAndLooksAgain() {
        OneController world =
                with(BLOCK.replace("host-2", "host-3"), claim("5Gi")).settle();
        assertThat(told(world))
                .containsExactly("Warning VolumeResizeFailed error expanding volume \"v\" of plugin"
                        + " \"mooring.dev/block\": no node is known that has the volume: none fits its"
                        + " spec.nodeAffinity");
        world.put("{kind: Node, metadata: {name: n3, labels: {kubernetes.io/hostname: host-3}}}")
                .settle();
        assertThat(world.passUntilDue()).isTrue();

        assertThat(Worlds.tree(world.world(), OPERATION).at("/spec/node").asText())
                .isEqualTo("n3");
    }

    /** The volume says 5Gi because somebody wrote so; the claim has 1Gi and is content: that is how Kubernetes leaves it. */
    @Test
    void leavesAVolumeThatWasMadeLargerByHand() {
        OneController world = with(BLOCK.replace("storage: 1Gi", "storage: 5Gi"), claim("1Gi"))
                .settle();
        assertThat(world.did()).isEmpty();

        ask(world, "2Gi");
        assertThat(Worlds.tree(world.world(), OPERATION).at("/spec/capacity").asText())
                .isEqualTo("5Gi");
        node(world, "{state: Succeeded, capacity: 5Gi}");
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
    }

    @ParameterizedTest
    @ValueSource(strings = {CLAIM, VOLUME})
    void removesWorkThatNobodyNeedsAnyMore(String gone) {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        world.did();
        world.remove(gone).settle();

        assertThat(world.did()).containsExactly("VolumeOperationRemoved " + OPERATION);
    }

    @Test
    void removesWorkThatHasBegunOnlyWhenItIsDone() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        node(world, "{state: Running}");
        world.did();
        world.remove(CLAIM).settle();
        assertThat(world.did()).isEmpty();

        node(world, "{state: Succeeded}");
        assertThat(world.did()).containsExactly("VolumeOperationRemoved " + OPERATION);
        assertThat(Worlds.tree(world.world(), VOLUME)
                        .at("/spec/capacity/storage")
                        .asText())
                .isEqualTo("1Gi");
    }

    @Test
    void doesNotTakeTheWorkForAClaimOfTheSameNameForItsOwn() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        world.remove(CLAIM);
        world.put(claim("7Gi").replace("name: data,", "name: data, uid: second,"));
        world.put(BLOCK.replace("uid: uid-data", "uid: second")).settle();

        assertThat(Worlds.tree(world.world(), OPERATION).at("/spec/claim/uid").asText())
                .isEqualTo("second");
        assertThat(Worlds.tree(world.world(), OPERATION).at("/spec/capacity").asText())
                .isEqualTo("7Gi");
    }

    @Test
    void beginsAgainIfSomebodyRemovesTheWork() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        world.remove(OPERATION).settle();

        assertThat(world.keys()).contains(OPERATION);
    }

    @Test
    void goesOnFromWhereAPreviousOneStopped() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        node(world, "{state: Running}");
        ObjectNode done = Worlds.tree(world.world(), OPERATION);
        done.withObject("/status").put("state", "Succeeded");

        OneController next = new OneController(new Expander(), Worlds.put(world.world(), done)).settle();

        assertThat(capacities(next)).isEqualTo("5Gi 5Gi");
    }
}
