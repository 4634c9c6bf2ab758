package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.model.Scope;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** One change costs what it is about, however much there is. */
class PopulatorCostTest {
    private static final int PODS = 10_000;

    private static String claimed(int i) {
        return PopulatorFixture.pod("p" + i, "{name: v, persistentVolumeClaim: {claimName: c" + i + "}}")
                + "---\n{kind: PersistentVolumeClaim, metadata: {name: c" + i
                + ", namespace: team}, spec: {volumeName: pv"
                + i + "}, status: {phase: Bound}}\n---\n{kind: PersistentVolume, metadata: {name: pv" + i
                + "}, spec: {capacity: {storage: 1Gi}, nfs: {server: nas, path: /a}, claimRef: {namespace: team, name:"
                + " c"
                + i + ", uid: uid-c" + i + "}}}\n";
    }

    @Test
    void tenThousandPodsMakeOneMoreNoDearer() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < PODS; i++) {
            yaml.append(claimed(i));
        }
        PopulatorFixture scene = new PopulatorFixture(yaml.toString());
        assertThat(scene.world().world().count(Scope.resource("desiredvolumes.mooring.dev")))
                .isEqualTo(PODS);
        assertThat(scene.world().waiting()).as("what an idle node waits for").isZero();

        int before = scene.world().reconciles();
        scene.put(claimed(PODS));
        // Three objects are new, each of which could have been the last one missing; and the DesiredVolume itself.
        assertThat(scene.world().reconciles() - before).isLessThanOrEqualTo(2);
        assertThat(scene.of("p" + PODS, "v").orElseThrow().isResolved()).isTrue();

        for (String key : new String[] {"persistentvolumes/pv7", "persistentvolumeclaims/team/c7"}) {
            int then = scene.world().reconciles();
            scene.put(WorldFixture.tree(scene.world().world(), key).toString());
            assertThat(scene.world().reconciles() - then).as(key).isEqualTo(1);
        }
        int idle = scene.world().reconciles();
        scene.pass(Duration.ofDays(1));
        assertThat(scene.world().reconciles()).isEqualTo(idle);
    }
}
