package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.HostInspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a thousand volumes, created and deleted repeatedly, leave nothing on the host and in the process. */
class NodeChurnTest {
    private static final int PODS = 125;
    private static final int ROUNDS = 10;

    /**
     * Heap growth that ten rounds may cause: the index of the log, TLS sessions, and buffers of pool threads. A leak of
     * 400 bytes per volume would reach it.
     */
    private static final long HEAP_SLACK = 4 << 20;

    /**
     * Growth of one pool after the first round. Up to 20 mount operations run at once, beside as many that provision,
     * inspect and measure volumes; how many of their threads the first round needs depends on the load. A leak of one
     * thread per 250 volumes exceeds it.
     */
    private static final int POOL_SLACK = 40;

    private static final long SETTLE_NANOS = TimeUnit.MINUTES.toNanos(2);

    @TempDir
    private Path directory;

    private Path data;
    private HostInspector machine;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        data = directory.toRealPath().resolve("data");
        machine = new HostInspector(directory.toRealPath());
    }

    @AfterEach
    void cleanUp() {
        if (machine != null) {
            machine.cleanUp();
        }
    }

    @Test
    @Timeout(value = 12, unit = TimeUnit.MINUTES)
    void volumes_createdAndDeletedRepeatedly_leaveNothing() throws Exception {
        Server server = ServerFixture.start(
                data,
                Map.of(
                        "api.requestsPerSecond", "1000000",
                        "api.requestBurst", "1000000",
                        // Keeps few events, whose memory would hide a leak.
                        "watch.bufferEvents", "16",
                        "events.ttl", "1s"));
        try {
            NodeApiClient api = NodeApiClient.at(server.url(), data);
            NodeChurn churn = new NodeChurn(api, directory.resolve("host"), PODS);
            churn.prepare();
            churn.round();
            awaitRest(api);
            NodeFootprint before = NodeFootprint.of(data);
            for (int i = 0; i < ROUNDS; i++) {
                churn.round();
                assertThat(machine.mounts()).as("round " + i).isEmpty();
                assertThat(machine.loopDevices()).as("round " + i).isEmpty();
            }
            awaitRest(api);
            NodeFootprint after = settledFootprint(before);
            assertNoGrowth("descriptors", after.descriptors(), before.descriptors());
            assertNoGrowth("threads", after.threads(), before.threads());
            after.pools()
                    .forEach((pool, threads) ->
                            assertThat(threads).as(pool).isLessThanOrEqualTo(maxThreads(pool, before)));
            assertThat(after.heap()).isLessThan(before.heap() + HEAP_SLACK);
            assertThat(churn.lost()).isEmpty();
            assertThat(after.names()).isEqualTo(before.names());
        } finally {
            server.close();
        }
    }

    /** Waits until the server has removed the Events, and the directories of Pods: both happen after a round. */
    private void awaitRest(NodeApiClient api) throws Exception {
        try (NodeWatch events = api.watch(NodeApiClient.EVENTS)) {
            events.await("no Events", seen -> seen.size() == 0);
        }
        ConditionPoller.until(() -> new HostInspector(data).names("pods").isEmpty());
    }

    /**
     * Returns the footprint when it has shrunk to the one before, or the last one after a while. On a busy machine child
     * processes and garbage of the last round are still there when its objects are gone; a leak does not shrink.
     */
    private NodeFootprint settledFootprint(NodeFootprint before) {
        long start = System.nanoTime();
        NodeFootprint now = NodeFootprint.of(data);
        while (!hasSettled(now, before) && System.nanoTime() - start < SETTLE_NANOS) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            now = NodeFootprint.of(data);
        }
        return now;
    }

    private static boolean hasSettled(NodeFootprint now, NodeFootprint before) {
        return now.heap() < before.heap() + HEAP_SLACK
                && now.descriptors().entrySet().stream()
                        .allMatch(
                                each -> each.getValue() <= before.descriptors().getOrDefault(each.getKey(), 0))
                && now.threads().entrySet().stream()
                        .allMatch(each -> each.getValue() <= before.threads().getOrDefault(each.getKey(), 0));
    }

    /** Asserts that no count has grown. Counts may shrink: resources of earlier tests are released later. */
    private static void assertNoGrowth(String resource, Map<String, Integer> after, Map<String, Integer> before) {
        after.forEach((name, count) ->
                assertThat(count).as(resource + " " + name).isLessThanOrEqualTo(before.getOrDefault(name, 0)));
    }

    /** Limit of a pool: some pools grow to their maximum size even with little work. */
    private static int maxThreads(String pool, NodeFootprint before) {
        return before.pools().getOrDefault(pool, 0) + POOL_SLACK;
    }
}
