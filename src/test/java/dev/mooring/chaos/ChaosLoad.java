package dev.mooring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.chaos.ChaosApi.ChaosReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Load with one thread that creates claims and matching volumes, and one that watches claims. Both retry requests that
 * get no response. Records the acknowledged claims and the claims seen by the watch.
 */
final class ChaosLoad implements AutoCloseable {
    private static final String VOLUMES = "/api/v1/persistentvolumes";

    private final ChaosApi api;
    private final Thread writer;
    private final Thread watcher;
    private final CountDownLatch writerStopped = new CountDownLatch(1);
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final List<String> seen = new ArrayList<>();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean watcherStopped;

    private ChaosLoad(ChaosApi api, String revision) {
        this.api = api;
        this.writer = new Thread(this::write, "chaos-writer");
        this.watcher = new Thread(() -> watch(revision), "chaos-watcher");
        for (Thread each : List.of(writer, watcher)) {
            each.setDaemon(true);
            each.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
        }
    }

    static ChaosLoad begin(ChaosApi api) throws IOException {
        // Read before anything is created, so that the watch reports every claim as ADDED.
        String revision =
                api.get(ChaosApi.CLAIMS).body().at("/metadata/resourceVersion").asText();
        assertThat(revision).isNotEmpty();
        ChaosLoad load = new ChaosLoad(api, revision);
        load.watcher.start();
        load.writer.start();
        return load;
    }

    private void write() {
        for (int i = 0; writerStopped.getCount() > 0; i++) {
            create(
                    VOLUMES,
                    "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'v" + i
                            + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],"
                            + "'storageClassName':'manual','hostPath':{'path':'/tmp/chaos-none'},"
                            + "'claimRef':{'namespace':'default','name':'c" + i + "'}}}");
            create(
                    ChaosApi.CLAIMS,
                    "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'c" + i
                            + "'},'spec':{'storageClassName':'manual','accessModes':['ReadWriteOnce'],"
                            + "'resources':{'requests':{'storage':'1Gi'}}}}");
            acknowledged.incrementAndGet();
        }
    }

    /** Creates an object, with retries. A conflict means that the response to an earlier attempt was lost. */
    private void create(String path, String body) {
        while (true) {
            try {
                ChaosReply reply = api.post(path, body);
                if (reply.code() == 201 || reply.code() == 409) {
                    return;
                }
                assertThat(reply.code()).as(reply.text()).isIn(429, 500, 503, 504);
            } catch (IOException e) {
                // The API verticle is being restarted.
            }
        }
    }

    private void watch(String from) {
        String revision = from;
        while (!watcherStopped) {
            try {
                revision = follow(revision);
            } catch (IOException | UncheckedIOException e) {
                // Resumes at the last revision.
            }
        }
    }

    private String follow(String from) throws IOException {
        String revision = from;
        try (Stream<JsonNode> lines =
                api.watch(ChaosApi.CLAIMS + "?watch=true&timeoutSeconds=2&resourceVersion=" + from)) {
            for (Iterator<JsonNode> each = lines.iterator(); each.hasNext(); ) {
                JsonNode event = each.next();
                if (event.path("type").asText().equals("ADDED")) {
                    synchronized (seen) {
                        seen.add(event.at("/object/metadata/name").asText());
                        seen.notifyAll();
                    }
                }
                assertThat(event.path("type").asText()).as(event.toString()).isNotEqualTo("ERROR");
                revision = event.at("/object/metadata/resourceVersion").asText(revision);
            }
        } catch (UncheckedIOException e) {
            // The connection was lost; the events received so far count.
            return revision;
        }
        return revision;
    }

    int acknowledged() {
        return acknowledged.get();
    }

    /** Stops the writer; asserts that every claim exists, is bound, and was seen by the watch once and in order. */
    void finishAndVerify(String description) throws Exception {
        writerStopped.countDown();
        writer.join(); // the time limit of the test interrupts it
        assertThat(failures).as(description).isEmpty();
        int count = acknowledged.get();
        assertThat(count).as(description).isPositive();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            expected.add("c" + i);
        }
        JsonNode claims = api.until(ChaosApi.CLAIMS, reply -> allBound(reply.body(), count))
                .body();
        List<String> names = new ArrayList<>();
        claims.path("items").forEach(each -> names.add(each.at("/metadata/name").asText()));
        assertThat(names).as(description).containsExactlyInAnyOrderElementsOf(expected);
        synchronized (seen) {
            while (seen.size() < count && watcher.isAlive()) {
                seen.wait(1_000);
            }
        }
        watcherStopped = true;
        assertThat(failures).as(description).isEmpty();
        synchronized (seen) {
            assertThat(seen).as(description).containsExactlyElementsOf(expected);
        }
    }

    private static boolean allBound(JsonNode claims, int count) {
        int bound = 0;
        for (JsonNode each : claims.path("items")) {
            bound += each.at("/status/phase").asText().equals("Bound") ? 1 : 0;
        }
        return bound >= count;
    }

    @Override
    public void close() {
        writerStopped.countDown();
        watcherStopped = true;
    }
}
