package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.process.Api.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with little memory, and clients who ask for much. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("chaos")
class MemoryPressureTest {
    private static final int VALUE_BYTES = 300_000;
    private static final int READERS = 8;
    private static final int WATCHES = 12;

    /** What {@code -XX:+ExitOnOutOfMemoryError} ends with. */
    private static final int OUT_OF_MEMORY = 3;

    private static final Map<String, String> SETTINGS = Map.of("watch.bufferBytes", "4Mi", "log.segmentBytes", "8Mi");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter figures) {
        reporter = figures;
    }

    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Queue<Integer> codes = new ConcurrentLinkedQueue<>();

    @Test
    void bigListsAndManyWatchesLoseNothingInASmallHeap() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup setup = ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx96m");
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            Api api = server.start();
            assertThat(write(api, 0, 40)).as(server.errors()).isTrue();
            List<Callable<Boolean>> work = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                String query = i % 2 == 0 ? "" : "?limit=3";
                work.add(() -> list(api, query));
            }
            for (int i = 0; i < WATCHES; i++) {
                work.add(() -> watch(api, 40));
            }
            work.add(() -> write(api, 40, 60));
            int done = done(work);
            reporter.publishEntry(
                    Figures.text("{} of {} big readers and writers were served from a small heap", done, work.size()));
            if (server.endsWithin(Duration.ofMillis(500))) {
                assertThat(server.exitCode()).as(server.errors()).isEqualTo(OUT_OF_MEMORY);
            } else {
                assertThat(done).as(server.errors()).isEqualTo(work.size());
                server.kill();
            }
            everythingIsThere(server.start());
            assertThat(server.stop()).as(server.errors()).isZero();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    @Test
    void aServerWhoseWorldDoesNotFitDiesAtOnceAndComesBackWithAllItAcknowledged() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup small = ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx48m");
        try (ServerProcess server = new ServerProcess(small, directory)) {
            Api api = server.start();
            write(api, 0, 200);
            assertThat(codes).isSubsetOf(201, 413, 429, 503);
            if (!server.isAlive() || server.endsWithin(Duration.ofSeconds(5))) {
                assertThat(server.exitCode()).as(server.errors()).isEqualTo(OUT_OF_MEMORY);
                // As long as it is given no more, it says no more than that; it does not hang either.
                server.launch();
                Optional<Api> again = server.awaitReadyOrEnd();
                reporter.publishEntry(Figures.text(
                        "{} of 200 objects acknowledged before it died; with the same memory it {}",
                        acknowledged.size(),
                        again.isPresent() ? "serves again" : "dies again"));
            }
        }
        try (ServerProcess larger =
                new ServerProcess(ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx512m"), directory)) {
            everythingIsThere(larger.start());
            assertThat(larger.stop()).as(larger.errors()).isZero();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    /** Whether all were acknowledged; ends when the server does. */
    private boolean write(Api api, int from, int to) {
        for (int i = from; i < to; i++) {
            try {
                Reply reply = api.post(Api.MAPS, Api.configMap("m" + i, i + "-" + "x".repeat(VALUE_BYTES)));
                codes.add(reply.code());
                if (reply.code() == 201) {
                    acknowledged.put("m" + i, i);
                }
            } catch (IOException e) {
                reporter.publishEntry(Figures.text("The server went away: {}", e.toString()));
                return false;
            }
        }
        return acknowledged.size() >= to - from;
    }

    private static boolean list(Api api, String query) throws IOException {
        for (int i = 0; i < 5; i++) {
            Reply reply = api.get(Api.MAPS + query);
            assertThat(reply.code()).as(reply.text()).isIn(200, 429, 503);
            assertThat(reply.body().path("items").isArray()).isEqualTo(reply.code() == 200);
        }
        return true;
    }

    /** From the beginning: reads so many events. */
    private static boolean watch(Api api, int events) throws IOException {
        try (InputStream stream =
                api.open(Api.MAPS + "?watch=true&resourceVersion=1").body()) {
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

    /** How many were served to the end; the others lost their server. */
    private static int done(List<Callable<Boolean>> work) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        int done = 0;
        try {
            for (Future<Boolean> each : threads.invokeAll(work, 2, TimeUnit.MINUTES)) {
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

    private void everythingIsThere(Api api) throws IOException {
        for (Map.Entry<String, Integer> each : acknowledged.entrySet()) {
            Reply reply = api.get(Api.MAPS + "/" + each.getKey());
            assertThat(reply.code()).as(reply.text()).isEqualTo(200);
            assertThat(reply.body().at("/data/v").asText()).startsWith(each.getValue() + "-x");
        }
    }
}
