package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests watches whose client does not read. */
@Timeout(180)
class LimitsWatchTest {
    private static final String MAPS = DEFAULT + "/configmaps";
    private static final int EVENTS = 300;
    private static final int EVENT_BYTES = 100_000;

    @Test
    void watch_clientStalled_delaysNoOtherWatchAndLosesNoEvent(@TempDir Path data) throws IOException {
        Map<String, String> flags =
                Map.of("watch.bufferEvents", "16", "watch.bufferBytes", "64Ki", "without", "control");
        try (ApiUnderTest api = ApiUnderTest.start(data, flags);
                Http1Socket stalled = Http1Socket.open(api);
                TestWatch reader = api.watch(MAPS)) {
            stalled.head("GET " + MAPS + "?watch=true");
            assertThat(stalled.line()).startsWith("HTTP/1.1 200");
            assertThat(api.post(MAPS, configMap("a")).code()).isEqualTo(201);
            assertThat(reader.nextName()).isEqualTo("ADDED a");
            String text = "x".repeat(EVENT_BYTES);
            for (int i = 0; i < EVENTS; i++) {
                Reply changed = api.mergePatch(MAPS + "/a", "{'data':{'a':'" + i + text + "'}}");
                assertThat(changed.code()).isEqualTo(200);
                assertThat(reader.nextSummary()).isEqualTo("MODIFIED a@" + changed.revision());
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
    void watch_clientStalled_usesNoServerMemory(@TempDir Path data) throws IOException {
        Map<String, String> flags =
                Map.of("watch.bufferEvents", "16", "watch.bufferBytes", "64Ki", "without", "control");
        try (ApiUnderTest api = ApiUnderTest.start(data, flags);
                Http1Socket stalled = Http1Socket.open(api)) {
            assertThat(api.post(MAPS, configMap("a")).code()).isEqualTo(201);
            stalled.head("GET " + MAPS + "?watch=true");
            assertThat(stalled.line()).startsWith("HTTP/1.1 200");
            long before = usedAfterCollection();
            String text = "x".repeat(EVENT_BYTES);
            for (int i = 0; i < EVENTS; i++) {
                assertThat(api.mergePatch(MAPS + "/a", "{'data':{'a':'" + i + text + "'}}")
                                .code())
                        .isEqualTo(200);
            }
            assertThat(usedAfterCollection() - before).isLessThan(EVENTS * EVENT_BYTES / 3);
        }
    }

    @Test
    void watch_clientNeverReads_isClosed(@TempDir Path data) throws IOException {
        try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("api.watchTick", "1s"));
                Http1Socket stalled = Http1Socket.open(api)) {
            assertThat(api.post(MAPS, configMap("a")).code()).isEqualTo(201);
            stalled.head("GET " + MAPS + "?watch=true&resourceVersion=" + api.revision());
            assertThat(stalled.line()).startsWith("HTTP/1.1 200");
            String text = "x".repeat(500_000);
            int written = 0;
            while (!api.get("/metrics").text().contains("mooring_http_watches 0.0")) {
                assertThat(api.mergePatch(MAPS + "/a", "{'data':{'a':'" + written + text + "'}}")
                                .code())
                        .isEqualTo(200);
                written++;
            }
            assertThat(stalled.drain()).isPositive(); // and it ends
        }
    }

    @Test
    void watch_withoutEvents_receivesBookmarkToResumeFrom(@TempDir Path data) {
        // Without controllers, which create a ConfigMap some time after the start.
        try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("api.watchTick", "1s", "without", "control"));
                TestWatch marked = api.watch(
                        MAPS + "?allowWatchBookmarks=true&timeoutSeconds=120&resourceVersion=" + api.revision());
                TestWatch plain = api.watch(MAPS + "?timeoutSeconds=120&resourceVersion=" + api.revision())) {
            long other = api.post("/api/v1/namespaces", ApiUnderTest.namespace("other"))
                    .revision();
            long mark = bookmark(marked);
            while (mark < other) { // from before the last write
                mark = bookmark(marked);
            }
            try (TestWatch resumed = api.watch(MAPS + "?resourceVersion=" + mark)) {
                long created = api.post(MAPS, configMap("a")).revision();
                assertThat(resumed.nextSummary()).isEqualTo("ADDED a@" + created);
                String event = marked.nextSummary();
                while (event.startsWith("BOOKMARK ")) { // another tick
                    event = marked.nextSummary();
                }
                assertThat(event).isEqualTo("ADDED a@" + created);
                assertThat(plain.nextSummary()).isEqualTo("ADDED a@" + created);
            }
        }
    }

    /** Reads the next event, which must be a bookmark, and returns its revision. */
    private static long bookmark(TestWatch watch) {
        String event = watch.nextSummary();
        assertThat(event).startsWith("BOOKMARK ");
        return Long.parseLong(event.substring(event.indexOf('@') + 1));
    }

    /** Used heap; the minimum after several collections, because other threads allocate meanwhile. */
    private static long usedAfterCollection() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
