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

/** Pods see, say and end as they did with a real kubelet: the record is {@code engine/pods.yaml}. All of them run at the same time. */
@Timeout(180)
class PodsGoldenTest {
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");
    private static final List<String> EVENTS_OF_ONE_THAT_RAN = List.of("Created", "Pulled", "Scheduled", "Started");

    @TempDir
    private static Path directory;

    private static EngineServer server;

    private static final Set<String> MADE = new HashSet<>();

    /** One Pod and what was recorded of it. */
    record Case(JsonNode record) {
        String name() {
            return record.path("name").asText();
        }

        String after() {
            return record.path("after").asText();
        }

        String phase() {
            return record.path("phase").asText();
        }

        /** Those that are not written down are those of every Pod that came to an end. */
        String reason() {
            return record.path("reason").asText(phase().equals("Succeeded") ? "Completed" : "");
        }

        List<String> events() {
            return record.has("events") ? texts(record.path("events")) : EVENTS_OF_ONE_THAT_RAN;
        }

        List<String> warnings() {
            return texts(record.path("warnings"));
        }

        /** Lines in an order of their own if theirs is left to chance. */
        String inOrder(String logs) {
            return record.path("streams").asText().equals("both")
                    ? logs.lines().sorted().collect(Collectors.joining("\n"))
                    : logs;
        }

        ObjectNode pod() {
            ObjectNode pod = EngineApi.JSON.createObjectNode();
            pod.put("apiVersion", "v1").put("kind", "Pod");
            pod.putObject("metadata")
                    .put("name", name())
                    .<ObjectNode>set("labels", EngineApi.JSON.createObjectNode().put("app", name()))
                    .set("annotations", EngineApi.JSON.createObjectNode().put("note", "hello"));
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
            return new YAMLMapper().readTree(text.replace("HERE", here().toString()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path here() {
        return directory.resolve("here");
    }

    static Stream<Case> cases() {
        return StreamSupport.stream(record().path("cases").spliterator(), false).map(Case::new);
    }

    @BeforeAll
    static void start() throws IOException {
        Files.createDirectory(here());
        server = EngineServer.start(directory.resolve("data"));
        for (JsonNode each : record().path("needed")) {
            String kind = each.path("kind").asText();
            server.api().make(EngineApi.collection(kind), each.toString());
        }
        server.api().untilPhase(EngineApi.CLAIMS, "one", "Bound");
        server.api().untilPhase(EngineApi.CLAIMS, "two", "Bound");
        cases().filter(each -> each.after().isEmpty()).forEach(PodsGoldenTest::make);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static void make(Case each) {
        if (MADE.add(each.name())) {
            EngineApi.Reply reply =
                    server.api().send("POST", EngineApi.PODS, each.pod().toString(), "application/json");
            assertThat(reply.code()).as(reply.text()).isEqualTo(201);
            server.remember(reply.body());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void seesWhatItSeesOnKubernetes(Case wanted) {
        if (!wanted.after().isEmpty()) {
            server.api().untilPhase(EngineApi.PODS, wanted.after(), "Succeeded");
            make(wanted);
        }
        boolean ends = ENDED.contains(wanted.phase());
        JsonNode pod = server.api()
                .until(
                        EngineApi.PODS,
                        wanted.name(),
                        "to come so far",
                        each -> ends ? ENDED.contains(EngineApi.phase(each)) : isStuck(wanted));
        JsonNode state = EngineApi.state(pod);

        assertThat(EngineApi.phase(pod)).as("phase of %s", pod).isEqualTo(wanted.phase());
        assertThat(reason(state)).as("reason").isEqualTo(wanted.reason());
        assertThat(state.path("terminated").path("message").isMissingNode()).isTrue();
        if (ends) {
            assertThat(wanted.inOrder(server.api().logs(wanted.name())))
                    .isEqualTo(wanted.inOrder(wanted.record().path("logs").asText()));
            assertThat(state.at("/terminated/exitCode").asInt(-1))
                    .isEqualTo(wanted.record().path("exit").asInt());
        }
        assertThat(reasons(wanted)).containsExactlyElementsOf(wanted.events());
        assertThat(warnings(wanted)).hasSameSizeAs(wanted.warnings());
    }

    /** Of the two that a Pod without an image has in turn, one was recorded. */
    private static String reason(JsonNode state) {
        String reason = state.at("/terminated/reason")
                .asText(state.at("/waiting/reason").asText());
        return reason.equals("ImagePullBackOff") ? "ErrImagePull" : reason;
    }

    private static boolean isStuck(Case wanted) {
        List<String> told = warnings(wanted);
        return wanted.warnings().stream().allMatch(warning -> told.stream().anyMatch(each -> each.startsWith(warning)))
                && reasons(wanted).containsAll(wanted.events());
    }

    private static NavigableSet<String> reasons(Case wanted) {
        NavigableSet<String> reasons = new TreeSet<>();
        server.api()
                .events(wanted.name())
                .forEach(each -> reasons.add(each.path("reason").asText()));
        return reasons;
    }

    private static List<String> warnings(Case wanted) {
        return server.api().events(wanted.name()).stream()
                .filter(each -> each.path("type").asText().equals("Warning"))
                .map(each -> each.path("message").asText())
                .distinct()
                .toList();
    }
}
