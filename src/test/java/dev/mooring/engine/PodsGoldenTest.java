package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares logs, exit codes, reasons and Events of Pods with a recording from a real kubelet,
 * {@code engine/pods.yaml}. All Pods run at the same time.
 */
@Timeout(180)
class PodsGoldenTest {
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");
    private static final List<String> EVENTS_OF_STARTED_POD = List.of("Created", "Pulled", "Scheduled", "Started");

    @TempDir
    private static Path directory;

    private static MooringServerFixture server;

    private static final Set<String> CREATED = new HashSet<>();

    /** A Pod and its recording. */
    record PodCase(JsonNode record) {
        String name() {
            return record.path("name").asText();
        }

        String after() {
            return record.path("after").asText();
        }

        String phase() {
            return record.path("phase").asText();
        }

        /** Recorded reason; by default that of a Pod that has ended. */
        String reason() {
            return record.path("reason").asText(phase().equals("Succeeded") ? "Completed" : "");
        }

        List<String> events() {
            return record.has("events") ? texts(record.path("events")) : EVENTS_OF_STARTED_POD;
        }

        List<String> warnings() {
            return texts(record.path("warnings"));
        }

        /** Log lines, sorted if their order is not deterministic. */
        String sortedIfUnordered(String logs) {
            return record.path("streams").asText().equals("both")
                    ? logs.lines().sorted().collect(Collectors.joining("\n"))
                    : logs;
        }

        ObjectNode pod() {
            ObjectNode pod = MooringClient.JSON.createObjectNode();
            pod.put("apiVersion", "v1").put("kind", "Pod");
            pod.putObject("metadata")
                    .put("name", name())
                    .<ObjectNode>set(
                            "labels", MooringClient.JSON.createObjectNode().put("app", name()))
                    .set("annotations", MooringClient.JSON.createObjectNode().put("note", "hello"));
            ObjectNode spec = pod.putObject("spec");
            spec.put("restartPolicy", "Never").put("terminationGracePeriodSeconds", 1);
            ObjectNode container = spec.putArray("containers").addObject();
            container.put("name", "c").put("image", "busybox:latest").put("imagePullPolicy", "IfNotPresent");
            container
                    .putArray("command")
                    .add("/bin/sh")
                    .add("-c")
                    .add(record.path("script").asText());
            record.path("pod").properties().forEach(each -> spec.set(each.getKey(), each.getValue()));
            record.path("container").properties().forEach(each -> container.set(each.getKey(), each.getValue()));
            return pod;
        }

        @Override
        public String toString() {
            return name();
        }
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    private static JsonNode record() {
        try (InputStream file = PodsGoldenTest.class.getResourceAsStream("/engine/pods.yaml")) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return new YAMLMapper()
                    .readTree(text.replace("HERE", hostDirectory().toString()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path hostDirectory() {
        return directory.resolve("here");
    }

    static Stream<PodCase> cases() {
        return StreamSupport.stream(record().path("cases").spliterator(), false).map(PodCase::new);
    }

    @BeforeAll
    static void start() throws IOException {
        Files.createDirectory(hostDirectory());
        server = MooringServerFixture.start(directory.resolve("data"));
        for (JsonNode each : record().path("needed")) {
            String kind = each.path("kind").asText();
            server.api().create(MooringClient.collection(kind), each.toString());
        }
        server.api().untilPhase(MooringClient.CLAIMS, "one", "Bound");
        server.api().untilPhase(MooringClient.CLAIMS, "two", "Bound");
        cases().filter(each -> each.after().isEmpty()).forEach(PodsGoldenTest::create);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static void create(PodCase each) {
        if (CREATED.add(each.name())) {
            MooringClient.ClientResponse reply =
                    server.api().send("POST", MooringClient.PODS, each.pod().toString(), "application/json");
            assertThat(reply.code()).as(reply.text()).isEqualTo(201);
            server.remember(reply.body());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void pod_recordedCase_behavesAsOnKubernetes(PodCase podCase) {
        if (!podCase.after().isEmpty()) {
            server.api().untilPhase(MooringClient.PODS, podCase.after(), "Succeeded");
            create(podCase);
        }
        boolean ends = ENDED.contains(podCase.phase());
        JsonNode pod = server.api()
                .until(
                        MooringClient.PODS,
                        podCase.name(),
                        "to reach the recorded state",
                        each -> (ends
                                        ? ENDED.contains(MooringClient.phase(each))
                                        : reason(MooringClient.state(each)).equals(podCase.reason()))
                                && hasRecordedEvents(podCase));
        JsonNode state = MooringClient.state(pod);

        assertThat(MooringClient.phase(pod)).as("phase of %s", pod).isEqualTo(podCase.phase());
        assertThat(reason(state)).as("reason").isEqualTo(podCase.reason());
        assertThat(state.path("terminated").path("message").isMissingNode()).isTrue();
        if (ends) {
            assertThat(podCase.sortedIfUnordered(server.api().logs(podCase.name())))
                    .isEqualTo(podCase.sortedIfUnordered(
                            podCase.record().path("logs").asText()));
            assertThat(state.at("/terminated/exitCode").asInt(-1))
                    .isEqualTo(podCase.record().path("exit").asInt());
        }
        assertThat(reasons(podCase)).containsExactlyElementsOf(podCase.events());
        assertThat(warnings(podCase))
                .allSatisfy(found -> assertThat(podCase.warnings()).anyMatch(found::startsWith));
    }

    /** Reason of a state. A Pod without an image alternates between two reasons, of which one was recorded. */
    private static String reason(JsonNode state) {
        String reason = state.at("/terminated/reason")
                .asText(state.at("/waiting/reason").asText());
        return reason.equals("ImagePullBackOff") ? "ErrImagePull" : reason;
    }

    /** Whether all recorded Events exist; they are written independently of the status. */
    private static boolean hasRecordedEvents(PodCase podCase) {
        List<String> found = warnings(podCase);
        return podCase.warnings().stream()
                        .allMatch(warning -> found.stream().anyMatch(each -> each.startsWith(warning)))
                && reasons(podCase).containsAll(podCase.events());
    }

    private static NavigableSet<String> reasons(PodCase podCase) {
        NavigableSet<String> reasons = new TreeSet<>();
        server.api()
                .events(podCase.name())
                .forEach(each -> reasons.add(each.path("reason").asText()));
        return reasons;
    }

    private static List<String> warnings(PodCase podCase) {
        return server.api().events(podCase.name()).stream()
                .filter(each -> each.path("type").asText().equals("Warning"))
                .map(each -> each.path("message").asText())
                .distinct()
                .toList();
    }
}
