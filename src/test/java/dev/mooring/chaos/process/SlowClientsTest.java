package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.chaos.process.ServerApi.ApiReply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tests a server with a small heap and a thousand slow clients, which must not affect a few normal clients. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Tag("chaos")
class SlowClientsTest {
    private static final Logger LOG = LoggerFactory.getLogger(SlowClientsTest.class);
    private static final int NON_READING = 350;
    private static final int SLOW_READING = 150;
    private static final int SLOW_HEADS = 200;
    private static final int ENDLESS_BODIES = 200;
    private static final int STOPPED_LISTS = 100;

    /** One in this number of clients of each kind uses TLS. */
    private static final int SECURED = 20;

    private static final int NORMAL_CLIENTS = 4;
    private static final int NORMAL_REQUESTS = 500;
    private static final int LISTED = 30;
    private static final String WATCH = "GET " + ServerApi.MAPS + "?watch=true&resourceVersion=";

    private static final Map<String, String> SETTINGS = Map.of(
            "api.bodyTimeout", "5s",
            "api.idleTimeout", "5s",
            "api.watchTick", "2s",
            "watch.bufferBytes", "4Mi");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter testReporter) {
        reporter = testReporter;
    }

    private final List<RawHttp> all = new ArrayList<>();
    private final List<RawHttp> nonReading = new ArrayList<>();
    private final List<RawHttp> slowReading = new ArrayList<>();
    private final List<StringBuilder> readSlowly = new ArrayList<>();
    private final List<RawHttp> slowHeads = new ArrayList<>();
    private final List<RawHttp> endlessBodies = new ArrayList<>();
    private final List<RawHttp> stoppedLists = new ArrayList<>();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @AfterEach
    void close() throws IOException {
        for (RawHttp each : all) {
            each.close();
        }
    }

    @Test
    void server_thousandSlowClients_closesThemAndServesOthers() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup setup = ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx128m");
        ExecutorService threads = Executors.newCachedThreadPool();
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            ServerApi api = server.start();
            for (int i = 0; i < LISTED; i++) {
                assertThat(api.post(ServerApi.MAPS, ServerApi.configMap("big-" + i, "x".repeat(100_000)))
                                .code())
                        .isEqualTo(201);
            }
            assertThat(api.post(ServerApi.MAPS, ServerApi.configMap("small", "x"))
                            .code())
                    .isEqualTo(201);
            long startRevision = api.get(ServerApi.MAPS + "?limit=1").revision();
            connect(api, startRevision);
            Future<?> sending = threads.submit(this::sendSlowly);
            Future<?> reading = threads.submit(this::readSlowly);
            int answered = normalRequests(api, threads);
            assertThat(answered).isEqualTo(NORMAL_CLIENTS * NORMAL_REQUESTS);
            int events = assertClosedAndInOrder(data, startRevision);
            stopped.set(true);
            sending.get(60, TimeUnit.SECONDS);
            reading.get(60, TimeUnit.SECONDS);
            assertThat(server.isAlive()).as(server.errors()).isTrue();
            assertThat(server.errors()).doesNotContain("OutOfMemory");
            assertThat(api.reconnected()
                            .post(ServerApi.MAPS, ServerApi.configMap("afterwards", "x"))
                            .code())
                    .isEqualTo(201);
            reporter.publishEntry(MeasurementText.text(
                    "{} slow clients, {} requests of other clients answered, {} events received late but in order",
                    all.size(),
                    answered,
                    events));
            assertThat(server.stop()).as(server.errors()).isZero();
        } finally {
            stopped.set(true);
            threads.shutdownNow();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    private RawHttp connection(ServerApi api, List<RawHttp> group) throws IOException {
        RawHttp connection = group.size() % SECURED == 0 ? RawHttp.secured(api) : RawHttp.plain(api);
        group.add(connection);
        all.add(connection);
        return connection;
    }

    private void connect(ServerApi api, long startRevision) throws IOException {
        for (int i = 0; i < NON_READING; i++) {
            connection(api, nonReading).head(WATCH + startRevision);
        }
        for (int i = 0; i < SLOW_READING; i++) {
            connection(api, slowReading).head(WATCH + startRevision);
            readSlowly.add(new StringBuilder());
        }
        for (int i = 0; i < STOPPED_LISTS; i++) {
            connection(api, stoppedLists).head("GET " + ServerApi.MAPS);
        }
        for (int i = 0; i < ENDLESS_BODIES; i++) {
            connection(api, endlessBodies)
                    .head("POST " + ServerApi.MAPS, "Content-Type: application/json", "Content-Length: 1000000");
        }
        for (int i = 0; i < SLOW_HEADS; i++) {
            connection(api, slowHeads).send("GET ");
        }
        assertThat(all).hasSize(1_000);
    }

    /** Sends single bytes of heads and bodies until the server closes the connections. */
    private void sendSlowly() {
        List<RawHttp> open = new ArrayList<>(slowHeads);
        open.addAll(endlessBodies);
        while (!open.isEmpty() && !stopped.get()) {
            open.removeIf(each -> {
                try {
                    each.send("x");
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
            pause();
        }
    }

    private void readSlowly() {
        while (!stopped.get()) {
            for (int i = 0; i < SLOW_READING; i++) {
                synchronized (slowReading.get(i)) {
                    try {
                        readSlowly
                                .get(i)
                                .append(stopped.get() ? "" : slowReading.get(i).readByte());
                    } catch (IOException e) {
                        LOG.debug("Connection closed", e);
                    }
                }
            }
            pause();
        }
    }

    private void pause() {
        synchronized (stopped) {
            try {
                TimeUnit.MILLISECONDS.timedWait(stopped, 100);
            } catch (InterruptedException e) {
                stopped.set(true);
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the number of requests with a correct response. */
    private static int normalRequests(ServerApi api, ExecutorService threads) throws Exception {
        AtomicInteger answered = new AtomicInteger();
        List<Callable<Void>> clients = IntStream.range(0, NORMAL_CLIENTS)
                .<Callable<Void>>mapToObj(client -> () -> {
                    // Not the idle connections of the other client, which the server may close at any moment.
                    ServerApi own = client == 0 ? api.secured() : api.reconnected();
                    for (int i = 0; i < NORMAL_REQUESTS; i++) {
                        String name = "n" + client + "-" + i;
                        boolean write = i % 20 == 0;
                        ApiReply reply = write
                                ? own.post(ServerApi.MAPS, ServerApi.configMap(name, "x".repeat(8_000)))
                                : own.get(ServerApi.MAPS + (i % 2 == 0 ? "?limit=1" : "/small"));
                        assertThat(reply.code()).as(reply.text()).isEqualTo(write ? 201 : 200);
                        answered.incrementAndGet();
                    }
                    return null;
                })
                .toList();
        for (Future<Void> each : threads.invokeAll(clients, 8, TimeUnit.MINUTES)) {
            if (!each.isCancelled()) {
                each.get();
            }
        }
        return answered.get();
    }

    /** Asserts that the server closed the slow clients, and that the events of the watchers have no gap. */
    private int assertClosedAndInOrder(Path data, long startRevision) throws IOException {
        assertThat(slowHeads).as("heads that never end").allMatch(RawHttp::isClosed);
        assertThat(endlessBodies).as("bodies that never end").allMatch(RawHttp::isClosed);
        assertThat(stoppedLists).as("lists that are not read").allMatch(RawHttp::isClosed);
        RecordedHistory history = RecordedHistory.read(data);
        List<Long> revisions = history.ofResource("configmaps").stream()
                .map(ObjectVersion::revision)
                .filter(revision -> revision > startRevision)
                .toList();
        int events = 0;
        for (RawHttp each : nonReading) {
            events += assertInOrder("", each, revisions);
        }
        for (int i = 0; i < SLOW_READING; i++) {
            synchronized (slowReading.get(i)) {
                events += assertInOrder(readSlowly.get(i).toString(), slowReading.get(i), revisions);
            }
        }
        return events;
    }

    private static int assertInOrder(String before, RawHttp watch, List<Long> expected) throws IOException {
        watch.setTimeout(60_000);
        List<Long> seen = new ArrayList<>();
        try {
            String rest = before;
            while (seen.size() < expected.size()) {
                int end = rest.indexOf('\n');
                String line = end >= 0 ? rest.substring(0, end) : rest + watch.line();
                rest = end >= 0 ? rest.substring(end + 1) : "";
                if (line.isEmpty() && end < 0 && watch.isAtEnd()) {
                    break;
                }
                JsonNode event = ServerApi.parse(line.strip());
                if (event.has("type")) {
                    seen.add(HistoryObjectReader.revision(event.path("object")));
                }
            }
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            LOG.debug("Connection closed", e);
        }
        assertThat(seen).isEqualTo(expected.subList(0, seen.size()));
        return seen.size();
    }
}
