package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.CLAIMS;
import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringClient.VOLUMES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the files in {@code manifests} do what their comments say, on a real engine. */
@Timeout(180)
class ManifestsOnEngineTest {
    @TempDir
    private static Path directory;

    private static MooringServerFixture server;
    private static MooringClient api;

    @BeforeAll
    static void start() {
        server = MooringServerFixture.start(directory.resolve("data"));
        api = server.api();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @AfterEach
    void removeEverything() {
        for (String each : List.of(PODS, CLAIMS, VOLUMES)) {
            names(each).forEach(name -> api.remove(each, name));
        }
        server.assertNoLeftovers();
    }

    private static List<String> names(String path) {
        return api.list(path).stream()
                .map(each -> each.at("/metadata/name").asText())
                .toList();
    }

    private static String text(String manifest) throws IOException {
        return Files.readString(Path.of("manifests", manifest));
    }

    private static void apply(String manifest) throws IOException {
        server.apply(text(manifest));
    }

    private static String[] documents(String manifest) throws IOException {
        return text(manifest).split("(?m)^---$");
    }

    private static Path volumeOf(String claim) {
        String volume =
                api.untilPhase(CLAIMS, claim, "Bound").at("/spec/volumeName").asText();
        return Path.of(api.object(VOLUMES, volume).at("/spec/hostPath/path").asText());
    }

    @Test
    void quickStart_podRecreated_keepsData() throws IOException {
        apply("quick-start.yaml");
        api.untilPhase(PODS, "writer", "Succeeded");
        assertThat(api.logs("writer").lines()).hasSize(1);

        api.remove(PODS, "writer");
        server.apply(documents("quick-start.yaml")[1]);
        api.untilPhase(PODS, "writer", "Succeeded");
        assertThat(api.logs("writer").lines()).hasSize(2);
    }

    @Test
    void minik8sPod_withItsClaims_runsWithTheirVolumes() throws IOException {
        apply("minik8s/pod-claims-only.yaml");
        apply("minik8s/claim-named.yaml");
        apply("minik8s/claim-dynamic.yaml");
        JsonNode pod = api.untilPhase(PODS, "pod-pvc-only-test", "Running");

        JsonNode mounts = server.docker()
                .get("/containers/"
                        + server.containerOf(pod.at("/metadata/uid").asText())
                                .path("Id")
                                .asText()
                        + "/json")
                .body()
                .path("Mounts");
        assertThat(mounts.findValuesAsText("Destination")).contains("/data", "/named");
        assertThat(volumeOf("pvc-dynamic-test")).isDirectory();
        assertThat(volumeOf("pvc-specific-test")).isDirectory();
    }

    @Test
    void blockVolume_inPod_hasItsSizeAndOwner() throws IOException {
        apply("block.yaml");
        api.untilPhase(PODS, "archivist", "Running");
        List<String> logLines = Eventually.await(
                "two lines", () -> api.logs("archivist").lines().toList(), lines -> lines.size() == 2);

        assertThat(Integer.parseInt(logLines.get(0))).isBetween(48, 64);
        assertThat(logLines.get(1)).isEqualTo("1000:1000");
    }

    @Test
    void configMapAndSecret_inPod_areFilesAndVariables() throws IOException {
        apply("config.yaml");
        api.untilPhase(PODS, "configured", "Succeeded");

        assertThat(api.logs("configured"))
                .isEqualTo("hello ann at default\ncolour = blue\nsize = 3\n400 /etc/credentials/password\n");
    }

    @Test
    void localClaim_withoutPod_waitsForFirstConsumer() throws IOException {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        String[] documents = documents("local-wait.yaml");
        for (int i = 0; i < 3; i++) {
            server.apply(documents[i].replace("/srv/disks/one", disk.toString()));
        }
        api.untilPhase(VOLUMES, "disk-one", "Available");
        Eventually.await(
                "an Event that the claim waits",
                () -> api.events("fast"),
                events -> events.stream()
                        .anyMatch(each -> each.path("reason").asText().equals("WaitForFirstConsumer")));
        assertThat(MooringClient.phase(api.object(CLAIMS, "fast"))).isEqualTo("Pending");

        server.apply(documents[3]);
        api.untilPhase(PODS, "fast-user", "Succeeded");
        assertThat(api.logs("fast-user")).isEqualTo("kept\n");
        assertThat(disk.resolve("mark")).hasContent("kept");
        assertThat(api.object(CLAIMS, "fast").at("/spec/volumeName").asText()).isEqualTo("disk-one");
    }

    @Test
    void webServer_withInitContainerAndHooks_servesAndCleansUp() throws Exception {
        apply("web.yaml");
        JsonNode pod = api.until(
                PODS,
                "web",
                "to be ready",
                each -> each.at("/status/containerStatuses/0/ready").asBoolean());

        assertThat(api.logs("web", "?container=fill")).isEqualTo("filled\n");
        assertThat(pod.at("/status/initContainerStatuses/0/state/terminated/reason")
                        .asText())
                .isEqualTo("Completed");
        HttpResponse<String> page = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://" + pod.at("/status/podIP").asText() + ":8080/"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(page.body()).isEqualTo("welcome aboard\n");

        Path pages = volumeOf("pages");
        assertThat(pages.resolve("index.html")).exists();
        // On a busy machine the hook may take longer than the grace period of remove().
        assertThat(api.delete(PODS + "/web?gracePeriodSeconds=40").code()).isEqualTo(200);
        Eventually.await(
                "preStop to remove the page", () -> Files.exists(pages.resolve("index.html")), found -> !found);
        api.remove(PODS, "web");
    }

    @Test
    void demoVolume_writtenByOnePod_isReadByNext() throws IOException {
        apply("demo/claim.yaml");
        apply("demo/writer.yaml");
        api.untilPhase(PODS, "letter-writer", "Running");
        String letter =
                Eventually.await("a letter", () -> api.logs("letter-writer"), each -> each.startsWith("Dear reader"));
        api.remove(PODS, "letter-writer");

        apply("demo/reader.yaml");
        api.untilPhase(PODS, "letter-reader", "Succeeded");
        assertThat(api.logs("letter-reader")).isEqualTo(letter);
    }

    @Test
    void demoDisk_filled_isFullAtItsSize() throws IOException {
        apply("demo/disk.yaml");
        apply("demo/filler.yaml");
        api.untilPhase(PODS, "filler", "Running");
        String full = Eventually.await("a full disk", () -> api.logs("filler"), each -> each.endsWith("\n"));

        assertThat(full).matches("full with (4\\d|5\\d|6[0-4]) MiB: No space left on device\n");
    }
}
