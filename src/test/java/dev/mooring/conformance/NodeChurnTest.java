package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A thousand volumes of all kinds come and go, again and again, and nothing is left of them: not on the machine, not in the process. */
class NodeChurnTest {
    private static final int PODS = 125;
    private static final int ROUNDS = 10;

    /**
     * What ten rounds may leave in memory: the log's index, TLS sessions, and buffers of the threads of pools. A leak of 400 bytes for each
     * volume that came would be as much.
     */
    private static final long HEAP_SLACK = 4 << 20;

    /** Of one pool: Vert.x' has up to 20 threads, and as many work on volumes at once; whether all came in the first round is chance. */
    private static final int POOL_SLACK = 20;

    @TempDir
    private Path directory;

    private Path data;
    private NodeMachine machine;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        data = directory.toRealPath().resolve("data");
        machine = new NodeMachine(directory.toRealPath());
    }

    @AfterEach
    void cleanUp() {
        if (machine != null) {
            machine.cleanUp();
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aThousandVolumesComeAndGoTenTimesAndNothingIsLeft() {
        Server server = TestServers.start(
                data,
                Map.of(
                        "api.requestsPerSecond", "1000000",
                        "api.requestBurst", "1000000",
                        // What is remembered for watches and events is not what is looked for.
                        "watch.bufferEvents", "16",
                        "events.ttl", "1s"));
        try {
            NodeApi api = NodeApi.at(server.url(), data);
            NodeChurn churn = new NodeChurn(api, directory.resolve("host"), PODS);
            churn.prepare();
            churn.round();
            NodeFootprint before = NodeFootprint.of(data);
            for (int i = 0; i < ROUNDS; i++) {
                churn.round();
                assertThat(machine.mounts()).as("round " + i).isEmpty();
                assertThat(machine.loopDevices()).as("round " + i).isEmpty();
            }
            NodeFootprint after = NodeFootprint.of(data);
            noMore("descriptors", after.descriptors(), before.descriptors());
            noMore("threads", after.threads(), before.threads());
            after.pools()
                    .forEach((pool, threads) -> assertThat(threads).as(pool).isLessThanOrEqualTo(most(pool, before)));
            assertThat(after.heap()).isLessThan(before.heap() + HEAP_SLACK);
            assertThat(churn.lost()).isEmpty();
            assertThat(after.names()).isEqualTo(before.names());
        } finally {
            server.close();
        }
    }

    /** Fewer there may be: tests before this one have left some that end in their own time. */
    private static void noMore(String what, Map<String, Integer> after, Map<String, Integer> before) {
        after.forEach((name, count) ->
                assertThat(count).as(what + " " + name).isLessThanOrEqualTo(before.getOrDefault(name, 0)));
    }

    /** Some pools grow until they are as large as they may become, however little there is to do. */
    private static int most(String pool, NodeFootprint before) {
        return before.pools().getOrDefault(pool, 0) + POOL_SLACK;
    }
}
