package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.process.ServerApi.ApiReply;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a server with a small heap and clients that request large responses. */
@Timeout(value = 12, unit = TimeUnit.MINUTES)
@Tag("chaos")
class MemoryPressureTest {
    private static final int VALUE_BYTES = 300_000;
    private static final int READERS = 8;
    private static final int WATCHES = 12;

    /** Exit code of {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int OUT_OF_MEMORY = 3;

    private static final Map<String, String> SETTINGS =
            Map.of("watch.bufferBytes", "4Mi", "log.segmentBytes", "8Mi", "quota.namespaceBytes", "none");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter testReporter) {
        reporter = testReporter;
    }

    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Queue<Integer> codes = new ConcurrentLinkedQueue<>();

    @Test
    void server_smallHeapWithLargeListsAndWatches_losesNothing() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup setup = ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx96m");
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            ServerApi api = server.start();
            assertThat(write(server, api, 0, 40)).as(server.errors()).isTrue();
            List<Callable<Boolean>> work = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                String query = i % 2 == 0 ? "" : "?limit=3";
                work.add(() -> server.untilServed(() -> list(api, query)));
            }
            for (int i = 0; i < WATCHES; i++) {
                work.add(() -> server.untilServed(() -> watch(api, 40)));
            }
            work.add(() -> write(server, api, 40, 60));
            int done = done(work);
            reporter.publishEntry(MeasurementText.text(
                    "{} of {} large reads and writes were served with a small heap", done, work.size()));
            if (server.endsWithin(Duration.ofMillis(500))) {
                assertThat(server.exitCode()).as(server.errors()).isEqualTo(OUT_OF_MEMORY);
            } else {
                assertThat(done).as(server.errors()).isEqualTo(work.size());
                server.kill();
            }
            assertAcknowledgedPresent(server.start());
            assertThat(server.stop()).as(server.errors()).isZero();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    @Test
    void server_heapFull_refusesWritesAndKeepsAcknowledgedData() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup small = ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx48m");
        try (ServerProcess server = new ServerProcess(small, directory)) {
            ServerApi api = server.start();
            assertThat(write(server, api, 0, 100)).as(server.errors()).isFalse();
            assertThat(codes).containsOnly(201, 507);
            server.kill();
            assertAcknowledgedPresent(server.start());
            assertThat(server.stop()).as(server.errors()).isZero();
        }
        try (ServerProcess larger =
                new ServerProcess(ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx512m"), directory)) {
            assertAcknowledgedPresent(larger.start());
            assertThat(larger.stop()).as(larger.errors()).isZero();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    /** Writes objects; returns whether all were acknowledged. Ends when the server does. */
    private boolean write(ServerProcess server, ServerApi api, int from, int to) {
        for (int i = from; i < to; i++) {
            String object = ServerApi.configMap("m" + i, i + "-" + "x".repeat(VALUE_BYTES));
            AtomicInteger attempts = new AtomicInteger();
            try {
                ApiReply reply = server.untilServed(() -> {
                    attempts.incrementAndGet();
                    return api.post(ServerApi.MAPS, object);
                });
                // A conflict of a repeated request means that only the response to an earlier attempt was lost.
                int code = reply.code() == 409 && attempts.get() > 1 ? 201 : reply.code();
                codes.add(code);
                if (code == 201) {
                    acknowledged.put("m" + i, i);
                }
            } catch (IOException e) {
                reporter.publishEntry(MeasurementText.text("Connection to the server lost: {}", e.toString()));
                return false;
            }
        }
        return acknowledged.size() >= to - from;
    }

    private static boolean list(ServerApi api, String query) throws IOException {
        for (int i = 0; i < 5; i++) {
            ApiReply reply = api.get(ServerApi.MAPS + query);
            assertThat(reply.code()).as(reply.text()).isIn(200, 429, 503);
            assertThat(reply.body().path("items").isArray()).isEqualTo(reply.code() == 200);
        }
        return true;
    }

    /** Watches from the first revision until the given number of events was read. */
    private static boolean watch(ServerApi api, int events) throws IOException {
        try (InputStream stream =
                api.open(ServerApi.MAPS + "?watch=true&resourceVersion=1").body()) {
            byte[] buffer = new byte[64 * 1024];
            int seen = 0;
            while (seen < events) {
                int read = stream.read(buffer);
                assertThat(read).as("events after " + seen).isPositive();
                for (int i = 0; i < read; i++) {
                    seen += buffer[i] == '\n' ? 1 : 0;
                }
            }
            return true;
        }
    }

    /** Runs the work; returns how many tasks completed. The others lost their connection. */
    private static int done(List<Callable<Boolean>> work) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        int done = 0;
        try {
            for (Future<Boolean> each : threads.invokeAll(work, 6, TimeUnit.MINUTES)) {
                try {
                    done += each.get() ? 1 : 0;
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(IOException.class);
                }
            }
            return done;
        } finally {
            threads.shutdownNow();
        }
    }

    private void assertAcknowledgedPresent(ServerApi api) throws IOException {
        for (Map.Entry<String, Integer> each : acknowledged.entrySet()) {
            ApiReply reply = api.get(ServerApi.MAPS + "/" + each.getKey());
            assertThat(reply.code()).as(reply.text()).isEqualTo(200);
            assertThat(reply.body().at("/data/v").asText()).startsWith(each.getValue() + "-x");
        }
    }
}
