package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.model.Scope;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.HostInspector;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Mounts and unmounts volumes of all kinds while the verticles that manage them are killed repeatedly. */
class NodeKillVerticlesTest {
    private static final int PODS = 25;
    private static final int ROUNDS = 3;

    /** Restarts are delayed by 0.1 s, doubled each time: more kills would only add waiting. */
    private static final int KILLS_PER_VERTICLE = 4;

    /** One of this many events is followed by a kill. */
    private static final int EVENTS_PER_KILL = 20;

    private static final List<String> VERTICLES = List.of(
            "populator", "reconciler", "volumes-in-use", "pods", "volume-operator", "attach-detach", "node-status");

    @TempDir
    private Path directory;

    private HostInspector machine;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        machine = new HostInspector(directory.toRealPath().resolve("data"));
    }

    @AfterEach
    void cleanUp() {
        if (machine != null) {
            machine.cleanUp();
        }
    }

    @Test
    @Timeout(value = 12, unit = TimeUnit.MINUTES)
    void volumes_verticlesKilledRepeatedly_areMountedAndLeaveNothing() {
        long seed = System.nanoTime();
        Map<String, Integer> kills = new ConcurrentHashMap<>();
        Server server = ServerFixture.start(
                machine.root(), Map.of("api.requestsPerSecond", "1000000", "api.requestBurst", "1000000"));
        try {
            NodeChurn churn =
                    new NodeChurn(NodeApiClient.at(server.url(), machine.root()), directory.resolve("host"), PODS);
            churn.prepare();
            Disposable killing = startKilling(server, new Random(seed), kills);
            for (int i = 0; i < ROUNDS; i++) {
                churn.round();
                String where = "seed " + seed + ", round " + i;
                assertThat(machine.mounts()).as(where).isEmpty();
                assertThat(machine.loopDevices()).as(where).isEmpty();
            }
            killing.dispose();
            assertThat(churn.lost()).isEmpty();
        } finally {
            server.close();
        }
        assertThat(new TreeMap<>(kills)).containsOnlyKeys(VERTICLES).doesNotContainValue(0);
    }

    /** Kills a verticle after some of the events, so that it happens during work and not while all are idle. */
    private static Disposable startKilling(Server server, Random random, Map<String, Integer> kills) {
        long now = server.stateStore().ledger().world().revision();
        return server.stateStore()
                .hub()
                .events(now, Scope.all(), Schedulers.io())
                .filter(event -> random.nextInt(EVENTS_PER_KILL) == 0)
                .map(event -> VERTICLES.get(random.nextInt(VERTICLES.size())))
                .filter(verticle -> kills.merge(verticle, 1, Integer::sum) <= KILLS_PER_VERTICLE)
                .subscribe(
                        verticle -> server.supervisor().kill(verticle, "chaos").await());
    }
}
