package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.mooring.chaos.process.RawHttp.RawResponse;
import java.io.IOException;
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

/** Tests a server with a low limit of open files while clients use all of them. */
@Timeout(value = 12, unit = TimeUnit.MINUTES)
@Tag("chaos")
class FileDescriptorLimitTest {
    private static final int FLOOD = 400;
    private static final int WRITES = 60;
    private static final int VALUE_BYTES = 10_000;

    /** Maximum CPU usage of a server that no client can connect to, as a fraction of a core. */
    private static final double MAX_BUSY = 0.6;

    private static final int MEASUREMENTS = 10;

    /** Small segments: the writes fill about twenty. */
    private static final Map<String, String> SETTINGS =
            Map.of("log.segmentBytes", "64Ki", "log.batch.maxBytes", "32Ki", "log.snapshot.everyBytes", "128Ki");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter testReporter) {
        reporter = testReporter;
    }

    private final List<String> acknowledged = new ArrayList<>();

    @Test
    void server_fileDescriptorsExhausted_servesOpenConnectionsAndRecovers() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup unlimited = ServerProcess.Setup.of(data, SETTINGS).from(JarredClassPath.in(directory));
        int limit = openFiles(unlimited) + 40;
        ServerProcess.Setup setup = unlimited.within("bash", "-c", "ulimit -n " + limit + "; exec \"$@\"", "limited");
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            ServerApi api = server.start();
            List<RawHttp> flood = new ArrayList<>();
            try (RawHttp connected = RawHttp.plain(api);
                    RawHttp secured = RawHttp.secured(api)) {
                assertThat(secured.get(ServerApi.MAPS).code()).isEqualTo(200);
                write(connected, "before");
                assertThat(connected.get(ServerApi.MAPS + "/before").code()).isEqualTo(200);
                for (int i = 0; i < FLOOD; i++) {
                    flood.add(RawHttp.plain(api));
                }
                awaitExhaustion(server, limit);
                assertThatCode(() -> connected.get(ServerApi.MAPS + "/before"))
                        .as(server.errors())
                        .doesNotThrowAnyException();
                double busy = settledBusyFraction(server);
                int during = writeWhileExhausted(connected, flood);
                reporter.publishEntry(MeasurementText.text(
                        "limit {}: {} of a core busy while exhausted, {} writes then", limit, busy, during));
                assertThat(busy).as("CPU usage while no client can connect").isLessThan(MAX_BUSY);
                assertThat(secured.get(ServerApi.MAPS + "/before").code()).isEqualTo(200);
            }
            writeUntilAccepted(api);
            assertThat(segments(data)).as("segments").isGreaterThan(3);
            server.kill();
            ServerApi restarted = server.start();
            for (String each : acknowledged) {
                assertThat(restarted.get(ServerApi.MAPS + "/" + each).code())
                        .as(each)
                        .isEqualTo(200);
            }
            assertThat(server.stop()).as(server.errors()).isZero();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    private void write(RawHttp connection, String name) throws IOException {
        RawResponse answer = connection.post(ServerApi.MAPS, ServerApi.configMap(name, "x".repeat(VALUE_BYTES)));
        assertThat(answer.code()).as(answer.body()).isEqualTo(201);
        acknowledged.add(name);
    }

    /**
     * Writes while no file can be opened. The log needs files for its next segments; without them writes wait or are
     * refused until there are some. Closes the flood when a write waits; returns how many were answered before.
     */
    private int writeWhileExhausted(RawHttp connected, List<RawHttp> flood) throws IOException {
        int answered = 0;
        for (int i = 0; i < WRITES; i++) {
            String name = "during-" + i;
            connected.sendPost(ServerApi.MAPS, ServerApi.configMap(name, "x".repeat(VALUE_BYTES)));
            if (connected.isAnsweredWithin(3_000)) {
                answered++;
            } else {
                close(flood);
            }
            RawResponse answer = connected.answer();
            assertThat(answer.code()).as(answer.body()).isIn(201, 503);
            if (answer.code() == 201) {
                acknowledged.add(name);
            } else {
                assertThat(answer.body()).contains("try again");
            }
        }
        close(flood);
        return answered;
    }

    private static void close(List<RawHttp> flood) throws IOException {
        for (RawHttp each : flood) {
            each.close();
        }
    }

    /** Writes until a write is accepted, without a restart of the server. */
    private void writeUntilAccepted(ServerApi api) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        int code = 0;
        for (int i = 0; code != 201; i++) {
            assertThat(System.nanoTime())
                    .as("time until writes are accepted again")
                    .isLessThan(deadline);
            code = api.post(ServerApi.MAPS, ServerApi.configMap("after-" + i, "x"))
                    .code();
            if (code == 201) {
                acknowledged.add("after-" + i);
            }
        }
    }

    /** Returns the number of files that an idle server has open on this machine. */
    private int openFiles(ServerProcess.Setup setup) throws Exception {
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            ServerApi api = server.start();
            assertThat(api.secured()
                            .post(ServerApi.MAPS, ServerApi.configMap("first", "x"))
                            .code())
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
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (openFiles(server) < limit && System.nanoTime() - deadline < 0) {
            assertThat(server.endsWithin(Duration.ofMillis(20))).isFalse();
        }
    }

    private static long segments(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("log"))) {
            return files.filter(each -> each.toString().endsWith(".log")).count();
        }
    }

    /** Measures until the usage is low: the server may still compile, collect garbage or process the flood. */
    private static double settledBusyFraction(ServerProcess server) throws Exception {
        double busy = busyFraction(server);
        for (int i = 1; i < MEASUREMENTS && busy >= MAX_BUSY; i++) {
            busy = busyFraction(server);
        }
        return busy;
    }

    /** Returns the CPU usage during a few seconds, as a fraction of a core. */
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
