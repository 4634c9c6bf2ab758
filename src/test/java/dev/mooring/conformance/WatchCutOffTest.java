package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests reads and watches of revisions that retention has removed. */
@Timeout(180)
class WatchCutOffTest {
    static final Map<String, String> SHORT_MEMORY = Map.of(
            "without", "control,node", // their events would change the oldest revision during a test
            "watch.bufferEvents", "16",
            "watch.bufferBytes", "64Ki",
            "log.segmentBytes", "64Ki",
            "log.batch.maxBytes", "64Ki",
            "log.snapshot.everyBytes", "64Ki",
            "log.snapshot.every", "1s",
            "log.retention.maxBytes", "1Mi");

    @TempDir
    private static Path data;

    private static ApiUnderTest api;
    private static String token;
    private static long early;

    @BeforeAll
    static void start() throws IOException {
        api = ApiUnderTest.start(data, SHORT_MEMORY);
        assertThat(api.post(DEFAULT + "/configmaps", configMap("a")).code()).isEqualTo(201);
        assertThat(api.post(DEFAULT + "/configmaps", configMap("b")).code()).isEqualTo(201);
        early = api.revision();
        Reply page = api.get(DEFAULT + "/configmaps?limit=1");
        token = page.body().at("/metadata/continue").asText();
        assertThat(token).isNotEmpty();
        cutOff(api, early);
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    /** Writes until retention has removed a revision from the log. */
    static void cutOff(ApiUnderTest api, long revision) throws IOException {
        String text = "x".repeat(60_000);
        api.post(DEFAULT + "/configmaps", configMap("big"));
        for (int i = 0; api.server().stateStore().history().oldest() <= revision; i++) {
            Reply written = api.mergePatch(DEFAULT + "/configmaps/big", "{'data':{'a':'" + i + text + "'}}");
            assertThat(written.code()).isEqualTo(200);
        }
    }

    @Test
    void watch_fromRemovedRevision_endsWithExpiredError() {
        try (TestWatch watch = api.watch(DEFAULT + "/configmaps?resourceVersion=" + early)) {
            assertThat(watch.code()).isEqualTo(200);
            JsonNode error = watch.next();
            assertThat(error.path("type").asText()).isEqualTo("ERROR");
            assertThat(error.at("/object/kind").asText()).isEqualTo("Status");
            assertThat(error.at("/object/code").asInt()).isEqualTo(410);
            assertThat(error.at("/object/reason").asText()).isEqualTo("Expired");
            assertThat(error.at("/object/message").asText()).startsWith("too old resource version: ");
            assertThat(watch.next().isMissingNode()).isTrue();
        }
    }

    @Test
    void continueToken_ofRemovedRevision_isExpired() {
        Reply expired = api.get(DEFAULT + "/configmaps?limit=1&continue=" + token);

        assertThat(expired.code()).isEqualTo(410);
        assertThat(expired.reason()).isEqualTo("Expired");
    }

    @Test
    void read_atRemovedRevision_isExpired() {
        for (String query : new String[] {"at=" + early, "resourceVersionMatch=Exact&resourceVersion=" + early}) {
            Reply expired = api.get(DEFAULT + "/configmaps?" + query);
            assertThat(expired.code()).as(query).isEqualTo(410);
            assertThat(expired.reason()).as(query).isEqualTo("Expired");
        }
        assertThat(api.get(DEFAULT + "/configmaps/a?at=" + early).code()).isEqualTo(410);
        assertThat(api.get(DEFAULT + "/configmaps?resourceVersion=" + early).code())
                .isEqualTo(200);
    }

    @Test
    void oldestRevision_readAndWatched_isAvailable() throws IOException {
        long oldest;
        Reply list;
        String next;
        do { // until retention did not remove the revision meanwhile
            oldest = api.server().stateStore().history().oldest();
            list = api.get(DEFAULT + "/configmaps?at=" + oldest);
            try (TestWatch watch = api.watch(DEFAULT + "/configmaps?resourceVersion=" + oldest)) {
                next = watch.nextSummary();
            }
        } while (api.server().stateStore().history().oldest() != oldest);
        assertThat(list.code()).as(list.text()).isEqualTo(200);
        assertThat(list.body().path("items")).hasSizeGreaterThanOrEqualTo(3);
        assertThat(next).isEqualTo("MODIFIED big@" + (oldest + 1));
    }
}
