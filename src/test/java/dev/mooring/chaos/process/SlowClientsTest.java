package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.chaos.process.Api.Reply;
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

/** A thousand clients who are slow at everything, and a few who are not and must not notice. The server has little memory. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("chaos")
class SlowClientsTest {
    private static final Logger LOG = LoggerFactory.getLogger(SlowClientsTest.class);
    private static final int DEAF = 350;
    private static final int SIPPING = 150;
    private static final int SLOW_HEADS = 200;
    private static final int ENDLESS_BODIES = 200;
    private static final int STOPPED_LISTS = 100;

    /** Of each sort one in so many comes over TLS. */
    private static final int SECURED = 20;

    private static final int NORMAL_CLIENTS = 4;
    private static final int NORMAL_REQUESTS = 500;
    private static final int LISTED = 30;
    private static final String WATCH = "GET " + Api.MAPS + "?watch=true&resourceVersion=";

    private static final Map<String, String> SETTINGS = Map.of(
            "api.bodyTimeout", "5s",
            "api.idleTimeout", "5s",
            "api.watchTick", "2s",
            "watch.bufferBytes", "4Mi");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter figures) {
        reporter = figures;
    }

    private final List<RawHttp> all = new ArrayList<>();
    private final List<RawHttp> deaf = new ArrayList<>();
    private final List<RawHttp> sipping = new ArrayList<>();
    private final List<StringBuilder> sipped = new ArrayList<>();
    private final List<RawHttp> slowHeads = new ArrayList<>();
    private final List<RawHttp> endlessBodies = new ArrayList<>();
    private final List<RawHttp> stoppedLists = new ArrayList<>();
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void close() throws IOException {
        for (RawHttp each : all) {
            each.close();
        }
    }

    @Test
    void aThousandSlowClientsAreCutOffAndHoldUpNobody() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup setup = ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx128m");
        ExecutorService threads = Executors.newCachedThreadPool();
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            Api api = server.start();
            for (int i = 0; i < LISTED; i++) {
                assertThat(api.post(Api.MAPS, Api.configMap("big-" + i, "x".repeat(100_000)))
                                .code())
                        .isEqualTo(201);
            }
            assertThat(api.post(Api.MAPS, Api.configMap("small", "x")).code()).isEqualTo(201);
            long began = api.get(Api.MAPS + "?limit=1").revision();
            connect(api, began);
            Future<?> dripping = threads.submit(this::drip);
            Future<?> sips = threads.submit(this::sip);
            int answered = normalRequests(api, threads);
            assertThat(answered).isEqualTo(NORMAL_CLIENTS * NORMAL_REQUESTS);
            int events = cutOff(data, began);
            over.set(true);
            dripping.get(60, TimeUnit.SECONDS);
            sips.get(60, TimeUnit.SECONDS);
            assertThat(server.isAlive()).as(server.errors()).isTrue();
            assertThat(server.errors()).doesNotContain("OutOfMemory");
            assertThat(api.post(Api.MAPS, Api.configMap("afterwards", "x")).code())
                    .isEqualTo(201);
            reporter.publishEntry(Figures.text(
                    "{} slow clients, {} requests of others answered, {} events late but in order",
                    all.size(),
                    answered,
                    events));
            assertThat(server.stop()).as(server.errors()).isZero();
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    private RawHttp connection(Api api, List<RawHttp> sort) throws IOException {
        RawHttp made = sort.size() % SECURED == 0 ? RawHttp.secured(api) : RawHttp.plain(api);
        sort.add(made);
        all.add(made);
        return made;
    }

    private void connect(Api api, long began) throws IOException {
        for (int i = 0; i < DEAF; i++) {
            connection(api, deaf).head(WATCH + began);
        }
        for (int i = 0; i < SIPPING; i++) {
            connection(api, sipping).head(WATCH + began);
            sipped.add(new StringBuilder());
        }
        for (int i = 0; i < STOPPED_LISTS; i++) {
            connection(api, stoppedLists).head("GET " + Api.MAPS);
        }
        for (int i = 0; i < ENDLESS_BODIES; i++) {
            connection(api, endlessBodies)
                    .head("POST " + Api.MAPS, "Content-Type: application/json", "Content-Length: 1000000");
        }
        for (int i = 0; i < SLOW_HEADS; i++) {
            connection(api, slowHeads).send("GET ");
        }
        assertThat(all).hasSize(1_000);
    }

    /** Sends a byte of a head or a body now and then, until the server has had enough. */
    private void drip() {
        List<RawHttp> open = new ArrayList<>(slowHeads);
        open.addAll(endlessBodies);
        while (!open.isEmpty() && !over.get()) {
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

    private void sip() {
        while (!over.get()) {
            for (int i = 0; i < SIPPING; i++) {
                synchronized (sipping.get(i)) {
                    try {
                        sipped.get(i).append(over.get() ? "" : sipping.get(i).sip());
                    } catch (IOException e) {
                        LOG.debug("Cut off", e);
                    }
                }
            }
            pause();
        }
    }

    private void pause() {
        synchronized (over) {
            try {
                TimeUnit.MILLISECONDS.timedWait(over, 100);
            } catch (InterruptedException e) {
                over.set(true);
                Thread.currentThread().interrupt();
            }
        }
    }

    /** How many were answered as they should be. */
    private static int normalRequests(Api api, ExecutorService threads) throws Exception {
        AtomicInteger answered = new AtomicInteger();
        List<Callable<Void>> clients = IntStream.range(0, NORMAL_CLIENTS)
                .<Callable<Void>>mapToObj(client -> () -> {
                    Api own = client == 0 ? api.secured() : api;
                    for (int i = 0; i < NORMAL_REQUESTS; i++) {
                        String name = "n" + client + "-" + i;
                        boolean write = i % 20 == 0;
                        Reply reply = write
                                ? own.post(Api.MAPS, Api.configMap(name, "x".repeat(8_000)))
                                : own.get(Api.MAPS + (i % 2 == 0 ? "?limit=1" : "/small"));
                        assertThat(reply.code()).as(reply.text()).isEqualTo(write ? 201 : 200);
                        answered.incrementAndGet();
                    }
                    return null;
                })
                .toList();
        for (Future<Void> each : threads.invokeAll(clients, 3, TimeUnit.MINUTES)) {
            if (!each.isCancelled()) {
                each.get();
            }
        }
        return answered.get();
    }

    /** All are closed within their patience; what watchers find when they read on after all is complete up to there. */
    private int cutOff(Path data, long began) throws IOException {
        assertThat(slowHeads).as("heads that never end").allMatch(RawHttp::isClosed);
        assertThat(endlessBodies).as("bodies that never end").allMatch(RawHttp::isClosed);
        assertThat(stoppedLists).as("lists that nobody reads").allMatch(RawHttp::isClosed);
        Truth truth = Truth.read(data);
        List<Long> revisions = truth.ofResource("configmaps").stream()
                .map(Version::revision)
                .filter(revision -> revision > began)
                .toList();
        int events = 0;
        for (RawHttp each : deaf) {
            events += inOrder("", each, revisions);
        }
        for (int i = 0; i < SIPPING; i++) {
            synchronized (sipping.get(i)) {
                events += inOrder(sipped.get(i).toString(), sipping.get(i), revisions);
            }
        }
        return events;
    }

    private static int inOrder(String before, RawHttp watch, List<Long> expected) throws IOException {
        watch.patience(20_000);
        List<Long> seen = new ArrayList<>();
        try {
            String rest = before;
            while (seen.size() < expected.size()) {
                int end = rest.indexOf('\n');
                String line = end >= 0 ? rest.substring(0, end) : rest + watch.line();
                rest = end >= 0 ? rest.substring(end + 1) : "";
                if (line.isEmpty() && end < 0 && watch.isOver()) {
                    break;
                }
                JsonNode event = Api.parse(line.strip());
                if (event.has("type")) {
                    seen.add(Reading.revision(event.path("object")));
                }
            }
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            LOG.debug("Ended without ceremony", e);
        }
        assertThat(seen).isEqualTo(expected.subList(0, seen.size()));
        return seen.size();
    }
}
