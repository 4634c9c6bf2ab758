package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.Watching;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Watchers that do not read. */
@Timeout(60)
class LimitsWatchTest {
    private static final String MAPS = DEFAULT + "/configmaps";
    private static final int EVENTS = 300;
    private static final int EVENT_BYTES = 100_000;

    @Test
    void aWatcherThatDoesNotReadHoldsUpNobodyAndMissesNothing(@TempDir Path data) throws IOException {
        Map<String, String> flags = Map.of("watch.bufferEvents", "16", "watch.bufferBytes", "64Ki");
        try (ApiUnderTest api = ApiUnderTest.start(data, flags);
                LimitsSocket stalled = LimitsSocket.open(api);
                Watching reader = api.watch(MAPS)) {
            stalled.head("GET " + MAPS + "?watch=true");
            assertThat(stalled.line()).startsWith("HTTP/1.1 200");
            assertThat(api.post(MAPS, configMap("a")).code()).isEqualTo(201);
            assertThat(reader.nextName()).isEqualTo("ADDED a");
            String text = "x".repeat(EVENT_BYTES);
            for (int i = 0; i < EVENTS; i++) {
                Reply changed = api.merge(MAPS + "/a", "{'data':{'a':'" + i + text + "'}}");
                assertThat(changed.code()).isEqualTo(200);
                assertThat(reader.nextInShort()).isEqualTo("MODIFIED a@" + changed.revision());
            }
            int events = 0;
            while (events < EVENTS + 1) { // late, but complete
                String line = stalled.line();
                if (line.startsWith("{\"type\":\"")) {
                    events++;
                }
            }
        }
    }

    @Test
    void aWatcherThatDoesNotReadCostsNoMemory(@TempDir Path data) throws IOException {
        Map<String, String> flags = Map.of("watch.bufferEvents", "16", "watch.bufferBytes", "64Ki");
        try (ApiUnderTest api = ApiUnderTest.start(data, flags);
                LimitsSocket stalled = LimitsSocket.open(api)) {
            assertThat(api.post(MAPS, configMap("a")).code()).isEqualTo(201);
            stalled.head("GET " + MAPS + "?watch=true");
            assertThat(stalled.line()).startsWith("HTTP/1.1 200");
            long before = usedAfterCollection();
            String text = "x".repeat(EVENT_BYTES);
            for (int i = 0; i < EVENTS; i++) {
                assertThat(api.merge(MAPS + "/a", "{'data':{'a':'" + i + text + "'}}")
                                .code())
                        .isEqualTo(200);
            }
            assertThat(usedAfterCollection() - before).isLessThan(EVENTS * EVENT_BYTES / 3);
        }
    }

    @Test
    void aWatcherThatNeverReadsIsSentAway(@TempDir Path data) throws IOException {
        try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("api.watchTick", "1s"));
                LimitsSocket stalled = LimitsSocket.open(api)) {
            assertThat(api.post(MAPS, configMap("a")).code()).isEqualTo(201);
            stalled.head("GET " + MAPS + "?watch=true&resourceVersion=" + api.revision());
            assertThat(stalled.line()).startsWith("HTTP/1.1 200");
            String text = "x".repeat(500_000);
            int written = 0;
            while (!api.get("/metrics").text().contains("mooring_http_watches 0.0")) {
                assertThat(api.merge(MAPS + "/a", "{'data':{'a':'" + written + text + "'}}")
                                .code())
                        .isEqualTo(200);
                written++;
            }
            assertThat(stalled.drain()).isPositive(); // and it ends
        }
    }

    @Test
    void bookmarksTellHowFarAQuietWatchHasCome(@TempDir Path data) {
        try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("api.watchTick", "1s"));
                Watching marked = api.watch(
                        MAPS + "?allowWatchBookmarks=true&timeoutSeconds=30&resourceVersion=" + api.revision());
                Watching plain = api.watch(MAPS + "?timeoutSeconds=30&resourceVersion=" + api.revision())) {
            long other = api.post("/api/v1/namespaces", ApiUnderTest.namespace("other"))
                    .revision();
            String event = marked.nextInShort();
            assertThat(event).startsWith("BOOKMARK ");
            long mark = Long.parseLong(event.substring(event.indexOf('@') + 1));
            assertThat(mark).isGreaterThanOrEqualTo(other);
            try (Watching resumed = api.watch(MAPS + "?resourceVersion=" + mark)) {
                long made = api.post(MAPS, configMap("a")).revision();
                assertThat(resumed.nextInShort()).isEqualTo("ADDED a@" + made);
                assertThat(marked.nextInShort()).isEqualTo("ADDED a@" + made);
                assertThat(plain.nextInShort()).isEqualTo("ADDED a@" + made);
            }
        }
    }

    private static long usedAfterCollection() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
