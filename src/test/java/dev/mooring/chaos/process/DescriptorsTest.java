package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.mooring.chaos.process.RawHttp.Answer;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that may open few files, and clients who take them all. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("chaos")
class DescriptorsTest {
    private static final int FLOOD = 400;
    private static final int WRITES = 60;
    private static final int VALUE_BYTES = 10_000;

    /** Twenty segments' worth of writes. */
    private static final Map<String, String> SETTINGS =
            Map.of("log.segmentBytes", "64Ki", "log.batch.maxBytes", "32Ki", "log.snapshot.everyBytes", "128Ki");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter figures) {
        reporter = figures;
    }

    private final List<String> acknowledged = new ArrayList<>();

    @Test
    void whoIsConnectedIsServedWhileNobodyElseGetsInAndAllIsWellAfterwards() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup unlimited = ServerProcess.Setup.of(data, SETTINGS).from(JarredClassPath.in(directory));
        int limit = openFiles(unlimited) + 40;
        ServerProcess.Setup setup = unlimited.within("bash", "-c", "ulimit -n " + limit + "; exec \"$@\"", "limited");
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            Api api = server.start();
            List<RawHttp> flood = new ArrayList<>();
            try (RawHttp connected = RawHttp.plain(api);
                    RawHttp secured = RawHttp.secured(api)) {
                assertThat(secured.get(Api.MAPS).code()).isEqualTo(200);
                write(connected, "before");
                assertThat(connected.get(Api.MAPS + "/before").code()).isEqualTo(200);
                for (int i = 0; i < FLOOD; i++) {
                    flood.add(RawHttp.plain(api));
                }
                awaitExhaustion(server, limit);
                assertThatCode(() -> connected.get(Api.MAPS + "/before"))
                        .as(server.errors())
                        .doesNotThrowAnyException();
                double busy = busyFraction(server);
                int during = writeWhileExhausted(connected, flood);
                reporter.publishEntry(Figures.text(
                        "limit {}: {} of a core busy while exhausted, {} writes then", limit, busy, during));
                assertThat(busy).as("part of a core while nobody can connect").isLessThan(0.6);
                assertThat(secured.get(Api.MAPS + "/before").code()).isEqualTo(200);
            }
            writeUntilTaken(api);
            assertThat(segments(data)).as("segments begun").isGreaterThan(3);
            server.kill();
            Api again = server.start();
            for (String each : acknowledged) {
                assertThat(again.get(Api.MAPS + "/" + each).code()).as(each).isEqualTo(200);
            }
            assertThat(server.stop()).as(server.errors()).isZero();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    private void write(RawHttp over, String name) throws IOException {
        Answer answer = over.post(Api.MAPS, Api.configMap(name, "x".repeat(VALUE_BYTES)));
        assertThat(answer.code()).as(answer.body()).isEqualTo(201);
        acknowledged.add(name);
    }

    /**
     * The log needs files for its next segments. If there is none for them, writes wait or are refused, until there is: nothing stays that way.
     * Ends the flood when a write waits, and returns how many were acknowledged before.
     */
    private int writeWhileExhausted(RawHttp connected, List<RawHttp> flood) throws IOException {
        connected.patience(3_000);
        int taken = 0;
        for (int i = 0; i < WRITES; i++) {
            String name = "during-" + i;
            Answer answer;
            try {
                answer = connected.post(Api.MAPS, Api.configMap(name, "x".repeat(VALUE_BYTES)));
                taken++;
            } catch (SocketTimeoutException e) {
                close(flood);
                connected.patience(60_000);
                answer = connected.answer();
            }
            assertThat(answer.code()).as(answer.body()).isIn(201, 503);
            if (answer.code() == 201) {
                acknowledged.add(name);
            } else {
                assertThat(answer.body()).contains("try again");
            }
        }
        close(flood);
        return taken;
    }

    private static void close(List<RawHttp> flood) throws IOException {
        for (RawHttp each : flood) {
            each.close();
        }
    }

    /** Without a restart. */
    private void writeUntilTaken(Api api) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        int code = 0;
        for (int i = 0; code != 201; i++) {
            assertThat(System.nanoTime()).as("writes are taken again").isLessThan(deadline);
            code = api.post(Api.MAPS, Api.configMap("after-" + i, "x")).code();
            if (code == 201) {
                acknowledged.add("after-" + i);
            }
        }
    }

    /** How many an idle server needs on this machine, with this class path. */
    private int openFiles(ServerProcess.Setup setup) throws Exception {
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            Api api = server.start();
            assertThat(api.secured().post(Api.MAPS, Api.configMap("first", "x")).code())
                    .isEqualTo(201);
            int open = openFiles(server);
            assertThat(server.stop()).isZero();
            return open;
        }
    }

    private static int openFiles(ServerProcess server) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
            return (int) files.count();
        }
    }

    private static void awaitExhaustion(ServerProcess server, int limit) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (openFiles(server) < limit && System.nanoTime() - deadline < 0) {
            assertThat(server.endsWithin(Duration.ofMillis(20))).isFalse();
        }
    }

    private static long segments(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("log"))) {
            return files.filter(each -> each.toString().endsWith(".log")).count();
        }
    }

    /** The time on the processor in some seconds, by those seconds. */
    private static double busyFraction(ServerProcess server) throws Exception {
        long before = ticks(server);
        long start = System.nanoTime();
        assertThat(server.endsWithin(Duration.ofSeconds(3))).isFalse();
        double seconds = (System.nanoTime() - start) / 1e9;
        return (ticks(server) - before) / 100.0 / seconds;
    }

    private static long ticks(ServerProcess server) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + server.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
