package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import dev.mooring.model.Scope;
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

/** Volumes of all kinds come and go, while all who work for them are killed again and again. */
class NodeKillVerticlesTest {
    private static final int PODS = 25;
    private static final int ROUNDS = 3;

    /** Each is started again after 0.1 s the first time, and after twice as long each time: more would be waiting only. */
    private static final int DEATHS_OF_EACH = 4;

    /** One of so many events is the last thing somebody sees. */
    private static final int EVENTS_PER_KILL = 20;

    private static final List<String> VICTIMS = List.of(
            "populator", "reconciler", "volumes-in-use", "pods", "volume-operator", "attach-detach", "node-status");

    @TempDir
    private Path directory;

    private NodeMachine machine;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        machine = new NodeMachine(directory.toRealPath().resolve("data"));
    }

    @AfterEach
    void cleanUp() {
        if (machine != null) {
            machine.cleanUp();
        }
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void allVolumesAreMountedAndNothingIsLeft() {
        long seed = System.nanoTime();
        Map<String, Integer> deaths = new ConcurrentHashMap<>();
        Server server = TestServers.start(
                machine.root(), Map.of("api.requestsPerSecond", "1000000", "api.requestBurst", "1000000"));
        try {
            NodeChurn churn = new NodeChurn(NodeApi.at(server.url(), machine.root()), directory.resolve("host"), PODS);
            churn.prepare();
            Disposable killing = killing(server, new Random(seed), deaths);
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
        assertThat(new TreeMap<>(deaths)).containsOnlyKeys(VICTIMS).doesNotContainValue(0);
    }

    /** Kills somebody after some of the events, so that it happens in the middle of work and not while all wait. */
    private static Disposable killing(Server server, Random chance, Map<String, Integer> deaths) {
        long now = server.spine().ledger().world().revision();
        return server.spine()
                .hub()
                .events(now, Scope.all(), Schedulers.io())
                .filter(event -> chance.nextInt(EVENTS_PER_KILL) == 0)
                .map(event -> VICTIMS.get(chance.nextInt(VICTIMS.size())))
                .filter(victim -> deaths.merge(victim, 1, Integer::sum) <= DEATHS_OF_EACH)
                .subscribe(victim -> server.supervisor().kill(victim, "chaos").await());
    }
}
