package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares a kubectl session with its recording from Kubernetes 1.35: exit code, output and errors of every command.
 * The commands build on each other and run in order.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GoldenTranscriptTest {
    private static final Path RECORD = Path.of("src/test/resources/kubectl");

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Server server;
    private KubectlShell shell;

    /** A command and its expected result. */
    private record Entry(String command, KubectlShell.Result expected) {
        static Entry of(JsonNode recorded) {
            return new Entry(
                    recorded.get("cmd").asText(),
                    new KubectlShell.Result(
                            recorded.get("rc").asInt(),
                            recorded.get("out").asText(),
                            recorded.get("err").asText()));
        }
    }

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        assumeTrue(KubectlBinary.inPath("bash").isPresent(), "Needs bash in the PATH to run the recorded session");
        Optional<KubectlBinary> kubectl = KubectlBinary.newest();
        assumeTrue(kubectl.isPresent(), "Needs kubectl in the PATH to run the recorded session");
        server = ServerFixture.start(directory.resolve("data"));
        Path session = Files.createDirectory(directory.resolve("session"));
        try (DirectoryStream<Path> manifests = Files.newDirectoryStream(RECORD.resolve("manifests"))) {
            for (Path manifest : manifests) {
                Files.copy(manifest, session.resolve(manifest.getFileName()));
            }
        }
        shell = new KubectlShell(session, kubectl.orElseThrow(), List.of("--kubeconfig=" + server.kubeconfig()));
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> recordedCommand_printsSameAsOnKubernetes() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Entry entry : record()) {
            tests.add(DynamicTest.dynamicTest(
                    String.format("%02d %s", tests.size() + 1, entry.command()), () -> compare(entry)));
        }
        return tests.stream();
    }

    @Test
    void record_hasCommandsOfSession() throws IOException {
        List<String> session = Files.readAllLines(RECORD.resolve("kubectl-session.txt")).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
        assertThat(record()).extracting(Entry::command).isEqualTo(session);
    }

    private void compare(Entry entry) {
        assertThat(masked(shell.run(entry.command()))).isEqualTo(entry.expected());
    }

    /** Mooring's claims have the condition Bound, for kubectl wait; those of Kubernetes have none. */
    private static String withoutBoundCondition(String out) {
        return out.replaceAll("Conditions:\nType .*\n---- .*\nBound True .*\n", "");
    }

    private KubectlShell.Result masked(KubectlShell.Result result) {
        return new KubectlShell.Result(
                result.code(),
                withoutBoundCondition(GoldenText.masked(result.out(), shell.directory())),
                GoldenText.masked(result.err(), shell.directory()));
    }

    private static List<Entry> record() throws IOException {
        JsonNode commands =
                MAPPER.readTree(RECORD.resolve("kubectl-golden.json").toFile());
        return StreamSupport.stream(commands.spliterator(), false)
                .map(Entry::of)
                .toList();
    }
}
