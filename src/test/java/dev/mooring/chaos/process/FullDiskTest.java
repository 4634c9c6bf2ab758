package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.chaos.process.Api.Reply;
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

/** The server as a process, on a file system that is really full. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("chaos")
class FullDiskTest {
    private static final int WRITERS = 4;
    private static final int VALUE_BYTES = 30_000;
    private static final Map<String, String> SETTINGS = Map.of("log.segmentBytes", "1Mi");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter figures) {
        reporter = figures;
    }

    /** What was acknowledged: values by names. */
    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();

    private final Queue<Reply> refusals = new ConcurrentLinkedQueue<>();

    @Test
    void refusesClearlyAndServesReadersAndComesBackWithEverything() throws Exception {
        assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk small = SmallDisk.mount(directory, "12m")) {
            Path data = small.path().resolve("data");
            try (ServerProcess server = new ServerProcess(ServerProcess.Setup.of(data, SETTINGS), directory)) {
                Api api = server.start();
                fill(api);
                assertThat(acknowledged.size()).isGreaterThan(50);
                assertThat(refusals).allSatisfy(FullDiskTest::isClear);
                readsGoOn(api);
                String path = Api.MAPS + "/" + acknowledged.keySet().iterator().next();
                isClear(api.put(
                        path,
                        Api.configMap("any", "x")
                                .replace("\"any\"", "\"" + path.substring(path.lastIndexOf('/') + 1) + "\"")));
                isClear(api.merge(path, "{\"data\":{\"v\":\"x\"}}"));
                isClear(api.delete(path, ""));
                assertThat(server.stop()).as(server.errors()).isZero();

                fillUp(small.path().resolve("filler"));
                startOnFullDisk(server);

                small.resize("64m");
                Api again = server.start();
                everythingIsThere(again);
                assertThat(again.post(Api.MAPS, Api.configMap("afterwards", "x"))
                                .code())
                        .isEqualTo(201);
                assertThat(server.stop()).as(server.errors()).isZero();
            }
            ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
        }
    }

    @Test
    void doesNotStartOnADiskWithoutAnyRoomAndSaysWhy() throws Exception {
        assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk small = SmallDisk.mount(directory, "1m")) {
            fillUp(small.path().resolve("filler"));
            Path data = small.path().resolve("data");
            try (ServerProcess server = new ServerProcess(ServerProcess.Setup.of(data, SETTINGS), directory)) {
                server.launch();
                assertThat(server.endsWithin(Duration.ofSeconds(60))).isTrue();
                assertThat(server.exitCode()).as(server.errors()).isEqualTo(1);
                saysWhy(server.errors());
            }
        }
    }

    private static void saysWhy(String errors) {
        assertThat(errors)
                .containsPattern("Expected room to write /.*/data/.*, but: No space left on device; next: make room")
                .doesNotContain("\tat ", "internal error");
    }

    /** Writes until nothing more is taken. */
    private void fill(Api api) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            String writer = "w" + i;
            writing.add(threads.submit(() -> {
                for (int n = 0; n < 1_000 && refusals.size() < 3 * WRITERS; n++) {
                    String name = writer + "-" + n;
                    String value = name + "x".repeat(VALUE_BYTES);
                    Reply reply = api.post(Api.MAPS, Api.configMap(name, value));
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
            each.get(2, TimeUnit.MINUTES);
        }
        threads.shutdown();
    }

    private static void isClear(Reply refusal) {
        assertThat(refusal.code()).as(refusal.text()).isEqualTo(503);
        assertThat(refusal.reason()).isEqualTo("ServiceUnavailable");
        assertThat(refusal.message())
                .contains("No space left on device")
                .contains("make room")
                .contains("restart");
    }

    private void readsGoOn(Api api) throws IOException {
        everythingIsThere(api);
        assertThat(api.metric("mooring_log_read_only")).isEqualTo(1);
        Reply ready = api.get("/readyz?verbose");
        assertThat(ready.code()).isEqualTo(500);
        assertThat(ready.text()).contains("[-]log");
        Map<String, String> told = new TreeMap<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                api.open(Api.MAPS + "?watch=true&resourceVersion=1").body(), StandardCharsets.UTF_8))) {
            while (!told.keySet().containsAll(acknowledged.keySet())) {
                var object = Api.parse(lines.readLine()).path("object");
                told.put(
                        object.at("/metadata/name").asText(),
                        object.at("/data/v").asText());
            }
        }
        assertThat(told).containsAllEntriesOf(acknowledged);
    }

    private void everythingIsThere(Api api) throws IOException {
        Map<String, String> there = new TreeMap<>();
        Reply list = api.get(Api.MAPS);
        assertThat(list.code()).isEqualTo(200);
        list.body()
                .path("items")
                .forEach(item -> there.put(
                        item.at("/metadata/name").asText(), item.at("/data/v").asText()));
        assertThat(there).containsAllEntriesOf(acknowledged);
    }

    /** It may serve what it has, or end and say why; it does not hang. */
    private void startOnFullDisk(ServerProcess server) throws Exception {
        server.launch();
        Optional<Api> serving = server.awaitReadyOrEnd();
        reporter.publishEntry(Figures.text(
                "{} writes acknowledged, {} refused; on the full disk it {}",
                acknowledged.size(),
                refusals.size(),
                serving.isPresent() ? "serves readers" : "does not start: " + server.errors()));
        if (serving.isEmpty()) {
            assertThat(server.exitCode()).as(server.errors()).isEqualTo(1);
            saysWhy(server.errors());
        } else {
            everythingIsThere(serving.get());
            assertThat(server.stop()).as(server.errors()).isZero();
        }
    }

    private static void fillUp(Path file) throws IOException {
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
