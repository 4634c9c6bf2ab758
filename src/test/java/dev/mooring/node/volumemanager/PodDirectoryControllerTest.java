package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Effect;
import dev.mooring.control.MultiControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.volumemanager.PodDirectoryController.RemoveDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests when the directory of a Pod is removed, in virtual time. */
final class PodDirectoryControllerTest {
    private static final String NODE = """
        {kind: Node, metadata: {name: n1}}
        """;

    private final List<String> removed = new ArrayList<>();
    private final List<Effect> sweeps = new ArrayList<>();
    private final Set<String> running = new HashSet<>();
    private MultiControllerFixture world;

    private void execute(Effect effect) {
        if (effect instanceof RemoveDirectory removal) {
            removed.add(removal.podUid());
        } else {
            sweeps.add(effect);
        }
    }

    private void begin(String yaml) {
        world = new MultiControllerFixture(
                WorldFixture.of(NODE + yaml),
                List.of(() -> new PodDirectoryController("n1", running::contains)),
                this::execute);
        world.settle();
    }

    private void put(String yaml) {
        WorldFixture.objects(yaml).forEach(world::put);
        world.settle();
    }

    private void remove(String key) {
        world.remove(ObjectKey.parse(key)).settle();
    }

    private static String pod(String name) {
        return """
            ---
            {kind: Pod, metadata: {name: NAME, namespace: ns, uid: uid-NAME}, spec: {nodeName: n1}}
            """.replace("NAME", name);
    }

    private static String desired(String name, String pod) {
        return """
            ---
            {apiVersion: mooring.dev/v1, kind: DesiredVolume, metadata: {name: NAME},
             spec: {node: n1, pod: {namespace: ns, name: POD, uid: uid-POD}, volumeName: v}}
            """.replace("NAME", name).replace("POD", pod);
    }

    /** @param mounts names of the Pods with a mount */
    private static String actual(String name, String node, String... mounts) {
        StringBuilder list = new StringBuilder();
        for (String each : mounts) {
            list.append("{pod: {namespace: ns, name: POD, uid: uid-POD}, state: Uncertain},".replace("POD", each));
        }
        return """
            ---
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: NAME}, spec: {node: NODE},
             status: {mounts: [MOUNTS]}}
            """.replace("NAME", name).replace("NODE", node).replace("MOUNTS", list);
    }

    @Test
    void podDirectory_podDeleted_isRemoved() {
        begin(pod("a") + pod("b"));
        assertThat(removed).isEmpty();

        remove("pods/ns/a");

        assertThat(removed).containsExactly("uid-a");
    }

    @Test
    void o3_podDirectory_podExists_isKept() {
        begin(pod("a") + actual("v", "n1", "a") + desired("d", "a"));

        remove("actualvolumes.mooring.dev/v");
        remove("desiredvolumes.mooring.dev/d");
        put("{kind: Pod, metadata: {name: a, namespace: ns, uid: uid-a}, spec: {nodeName: n1}, status: {phase:"
                + " Succeeded}}");

        assertThat(removed).isEmpty();
    }

    @Test
    void podDirectory_volumeMayBeMounted_isKeptUntilUnmounted() {
        begin(pod("a") + actual("v", "n1", "a", "b") + actual("w", "n1", "a"));
        remove("pods/ns/a");
        assertThat(removed).isEmpty();

        put(actual("v", "n1", "b"));
        assertThat(removed).isEmpty();
        remove("actualvolumes.mooring.dev/w");

        assertThat(removed).containsExactly("uid-a");
    }

    @Test
    void podDirectory_volumeDesired_isKeptUntilUndesired() {
        begin(pod("a") + desired("d", "a"));
        remove("pods/ns/a");
        assertThat(removed).isEmpty();

        remove("desiredvolumes.mooring.dev/d");

        assertThat(removed).containsExactly("uid-a");
    }

    @Test
    void podDirectory_reconstructedMountUnmounted_isRemoved() {
        begin(actual("v", "n1", "long-gone"));

        put(actual("v", "n1"));

        assertThat(removed).containsExactly("uid-long-gone");
    }

    @Test
    void podDirectory_newPodOfSameName_isRemoved() {
        begin(pod("a") + actual("v", "n1", "a"));
        remove("pods/ns/a");
        put("{kind: Pod, metadata: {name: a, namespace: ns, uid: another}, spec: {nodeName: n1}}");
        remove("actualvolumes.mooring.dev/v");

        assertThat(removed).containsExactly("uid-a");
    }

    @Test
    void podDirectory_containersMayRun_isKeptUntilTheyEnd() {
        begin(pod("a"));
        running.add("uid-a");
        remove("pods/ns/a");
        world.advance(Duration.ofMinutes(1));
        assertThat(removed).isEmpty();

        running.clear();
        world.advance(PodDirectoryController.CONTAINER_POLL_INTERVAL);

        assertThat(removed).containsExactly("uid-a");
    }

    @Test
    void podDirectory_podOfOtherNode_isIgnored() {
        begin("""
            ---
            {kind: Pod, metadata: {name: far, namespace: ns, uid: uid-far}, spec: {nodeName: n2}}
            """ + actual("v", "n2", "far"));

        remove("pods/ns/far");
        remove("actualvolumes.mooring.dev/v");

        assertThat(removed).isEmpty();
    }

    @Test
    void sweep_runsAtStartAndEveryTenMinutes() {
        begin(pod("a") + actual("v", "n1", "b") + desired("d", "c"));
        assertThat(sweeps).hasSize(1);
        put("{kind: Node, metadata: {name: n1, labels: {changed: often}}}");
        assertThat(sweeps).hasSize(1);
        world.advance(Duration.ofMinutes(9));
        assertThat(sweeps).hasSize(1);

        world.advance(Duration.ofMinutes(1));

        assertThat(sweeps).hasSize(2);
    }

    @Test
    void sweep_startsWhenNodeObjectExists() {
        world = new MultiControllerFixture(
                WorldFixture.of(pod("a").replace("---", "")),
                List.of(() -> new PodDirectoryController("n1", running::contains)),
                this::execute);
        world.settle();
        assertThat(sweeps).isEmpty();

        put(NODE);

        assertThat(sweeps).hasSize(1);
    }

    @Test
    void podDirectory_invalidUid_isIgnored() {
        begin(actual("v", "n1", "a").replace("uid-a", "../../etc"));

        remove("actualvolumes.mooring.dev/v");

        assertThat(removed).isEmpty();
    }

    @Test
    void podDirectory_anyOrderOfEvents_isRemovedOnlyWhenUnreferenced() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            removed.clear();
            begin("");
            WorldFixture.objects(pod("a").substring(4)).forEach(world::put);
            WorldFixture.objects(desired("d", "a").substring(4)).forEach(world::put);
            steps(random);
            WorldFixture.objects(actual("v", "n1", "a").substring(4)).forEach(world::put);
            steps(random);
            assertThat(removed).as("seed %s", seed).isEmpty();
            world.remove(ObjectKey.parse("pods/ns/a"));
            steps(random);
            world.remove(ObjectKey.parse("desiredvolumes.mooring.dev/d"));
            steps(random);
            world.remove(ObjectKey.parse("actualvolumes.mooring.dev/v"));
            world.settle();
            assertThat(removed).as("seed %s", seed).contains("uid-a");
        }
    }

    private void steps(Random random) {
        for (int i = random.nextInt(6); i > 0 && world.step(random); i--) {
            assertThat(i).isPositive();
        }
    }
}
