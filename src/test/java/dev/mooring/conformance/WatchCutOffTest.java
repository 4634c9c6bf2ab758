package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.Watching;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was kept and is no longer: revisions that retention has cut off. */
@Timeout(60)
class WatchCutOffTest {
    static final Map<String, String> SHORT_MEMORY = Map.of(
            "without", "control,node", // whose events would move what is kept while it is looked at
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

    /** Writes until the log has forgotten a revision. */
    static void cutOff(ApiUnderTest api, long revision) throws IOException {
        String text = "x".repeat(60_000);
        api.post(DEFAULT + "/configmaps", configMap("big"));
        for (int i = 0; api.server().spine().history().oldest() <= revision; i++) {
            Reply written = api.merge(DEFAULT + "/configmaps/big", "{'data':{'a':'" + i + text + "'}}");
            assertThat(written.code()).isEqualTo(200);
        }
    }

    @Test
    void aWatchFromThereEndsWithAnErrorThatMeansListAgain() {
        try (Watching watch = api.watch(DEFAULT + "/configmaps?resourceVersion=" + early)) {
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
    void aPageFromThereIsGone() {
        Reply gone = api.get(DEFAULT + "/configmaps?limit=1&continue=" + token);

        assertThat(gone.code()).isEqualTo(410);
        assertThat(gone.reason()).isEqualTo("Expired");
    }

    @Test
    void readsOfItAreGone() {
        for (String query : new String[] {"at=" + early, "resourceVersionMatch=Exact&resourceVersion=" + early}) {
            Reply gone = api.get(DEFAULT + "/configmaps?" + query);
            assertThat(gone.code()).as(query).isEqualTo(410);
            assertThat(gone.reason()).as(query).isEqualTo("Expired");
        }
        assertThat(api.get(DEFAULT + "/configmaps/a?at=" + early).code()).isEqualTo(410);
        assertThat(api.get(DEFAULT + "/configmaps?resourceVersion=" + early).code())
                .isEqualTo(200);
    }

    @Test
    void theOldestRevisionThatIsKeptCanBeReadAndWatched() throws IOException {
        long oldest = api.server().spine().history().oldest();
        Reply list = api.get(DEFAULT + "/configmaps?at=" + oldest);
        assertThat(list.code()).as(list.text()).isEqualTo(200);
        assertThat(list.body().path("items")).hasSizeGreaterThanOrEqualTo(3);
        try (Watching watch = api.watch(DEFAULT + "/configmaps?resourceVersion=" + oldest)) {
            assertThat(watch.nextInShort()).isEqualTo("MODIFIED big@" + (oldest + 1));
        }
    }
}
