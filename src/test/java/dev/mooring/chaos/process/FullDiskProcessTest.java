package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.chaos.process.ServerApi.ApiReply;
import dev.mooring.testing.SmallDisk;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
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

/** Tests a server process on a full filesystem. */
@Timeout(value = 12, unit = TimeUnit.MINUTES)
@Tag("chaos")
class FullDiskProcessTest {
    private static final int WRITERS = 4;
    private static final int VALUE_BYTES = 30_000;
    private static final Map<String, String> SETTINGS = Map.of("log.segmentBytes", "1Mi");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter testReporter) {
        reporter = testReporter;
    }

    /** Acknowledged values by name. */
    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();

    private final Queue<ApiReply> refusals = new ConcurrentLinkedQueue<>();

    @Test
    void server_diskFull_refusesWritesServesReadsAndKeepsAcknowledgedData() throws Exception {
        assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk small = SmallDisk.mount(directory, "12m")) {
            Path data = small.path().resolve("data");
            try (ServerProcess server = new ServerProcess(ServerProcess.Setup.of(data, SETTINGS), directory)) {
                ServerApi api = server.start();
                writeUntilRefused(api);
                assertThat(acknowledged.size()).isGreaterThan(50);
                assertThat(refusals).allSatisfy(FullDiskProcessTest::assertSpaceRefusal);
                assertReadsServed(api);
                String path =
                        ServerApi.MAPS + "/" + acknowledged.keySet().iterator().next();
                assertSpaceRefusal(api.put(
                        path,
                        ServerApi.configMap("any", "x")
                                .replace("\"any\"", "\"" + path.substring(path.lastIndexOf('/') + 1) + "\"")));
                assertSpaceRefusal(api.merge(path, "{\"data\":{\"v\":\"x\"}}"));
                assertSpaceRefusal(api.delete(path, ""));
                assertThat(server.stop()).as(server.errors()).isZero();

                fillDisk(small.path().resolve("filler"));
                startOnFullDisk(server);

                small.resize("64m");
                ServerApi restarted = server.start();
                assertAcknowledgedPresent(restarted);
                assertThat(restarted
                                .post(ServerApi.MAPS, ServerApi.configMap("afterwards", "x"))
                                .code())
                        .isEqualTo(201);
                assertThat(server.stop()).as(server.errors()).isZero();
            }
            ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
        }
    }

    @Test
    void server_diskFullAtFirstStart_exitsWithReason() throws Exception {
        assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk small = SmallDisk.mount(directory, "1m")) {
            fillDisk(small.path().resolve("filler"));
            Path data = small.path().resolve("data");
            try (ServerProcess server = new ServerProcess(ServerProcess.Setup.of(data, SETTINGS), directory)) {
                server.launch();
                assertThat(server.endsWithin(Duration.ofMinutes(3))).isTrue();
                assertThat(server.exitCode()).as(server.errors()).isEqualTo(1);
                assertSpaceError(server.errors());
            }
        }
    }

    private static void assertSpaceError(String errors) {
        assertThat(errors)
                .containsPattern("Cannot write /.*/data/.*: No space left on device; next: free space")
                .doesNotContain("\tat ", "Internal error");
    }

    /** Writes until the server refuses. */
    private void writeUntilRefused(ServerApi api) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            String writer = "w" + i;
            writing.add(threads.submit(() -> {
                for (int n = 0; n < 1_000 && refusals.size() < 3 * WRITERS; n++) {
                    String name = writer + "-" + n;
                    String value = name + "x".repeat(VALUE_BYTES);
                    ApiReply reply = api.post(ServerApi.MAPS, ServerApi.configMap(name, value));
                    if (reply.code() == 201) {
                        acknowledged.put(name, value);
                    } else {
                        refusals.add(reply);
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : writing) {
            each.get(6, TimeUnit.MINUTES);
        }
        threads.shutdown();
    }

    private static void assertSpaceRefusal(ApiReply refusal) {
        assertThat(refusal.code()).as(refusal.text()).isEqualTo(503);
        assertThat(refusal.reason()).isEqualTo("ServiceUnavailable");
        assertThat(refusal.message())
                .contains("No space left on device")
                .contains("make room")
                .contains("restart");
    }

    private void assertReadsServed(ServerApi api) throws IOException {
        assertAcknowledgedPresent(api);
        assertThat(api.metric("mooring_log_read_only")).isEqualTo(1);
        ApiReply ready = api.get("/readyz?verbose");
        assertThat(ready.code()).isEqualTo(500);
        assertThat(ready.text()).contains("[-]log");
        Map<String, String> watched = new TreeMap<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                api.open(ServerApi.MAPS + "?watch=true&resourceVersion=1").body(), StandardCharsets.UTF_8))) {
            while (!watched.keySet().containsAll(acknowledged.keySet())) {
                var object = ServerApi.parse(lines.readLine()).path("object");
                watched.put(
                        object.at("/metadata/name").asText(),
                        object.at("/data/v").asText());
            }
        }
        assertThat(watched).containsAllEntriesOf(acknowledged);
    }

    private void assertAcknowledgedPresent(ServerApi api) throws IOException {
        Map<String, String> listed = new TreeMap<>();
        ApiReply list = api.get(ServerApi.MAPS);
        assertThat(list.code()).isEqualTo(200);
        list.body()
                .path("items")
                .forEach(item -> listed.put(
                        item.at("/metadata/name").asText(), item.at("/data/v").asText()));
        assertThat(listed).containsAllEntriesOf(acknowledged);
    }

    /** Starts the server, which may serve reads or exit with a reason, but must not hang. */
    private void startOnFullDisk(ServerProcess server) throws Exception {
        server.launch();
        Optional<ServerApi> serving = server.awaitReadyOrEnd();
        reporter.publishEntry(MeasurementText.text(
                "{} writes acknowledged, {} refused; on the full disk it {}",
                acknowledged.size(),
                refusals.size(),
                serving.isPresent() ? "serves readers" : "does not start: " + server.errors()));
        if (serving.isEmpty()) {
            assertThat(server.exitCode()).as(server.errors()).isEqualTo(1);
            assertSpaceError(server.errors());
        } else {
            assertAcknowledgedPresent(serving.get());
            assertThat(server.stop()).as(server.errors()).isZero();
        }
    }

    private static void fillDisk(Path file) throws IOException {
        byte[] block = new byte[4096];
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left on device");
        }
    }
}
