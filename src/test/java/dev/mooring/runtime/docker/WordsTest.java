package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.ContainerSpec.Resources;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.EngineInfo;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said to the engine, and what its answers mean, without an engine. */
class WordsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "404 | {\"message\":\"No such container: x\"} | NOT_FOUND | No such container: x",
                "409 | {\"message\":\"Conflict.\\n  The name\\n\"} | CONFLICT | Conflict. The name",
                "400 | {\"message\":\"bad parameter\"} | REFUSED | bad parameter",
                "500 | {\"message\":\"bind source path does not exist: /x\"} | REFUSED | bind source path does not"
                        + " exist: /x",
                "500 | {\"message\":\"port is already allocated\"} | FAILED | port is already allocated",
                "503 | plain text | FAILED | plain text",
                "500 | '' | FAILED | the Docker daemon answered with status 500 and no words",
            })
    void keepsTheEnginesWords(int status, String body, Kind kind, String words) {
        EngineException failure = Failures.of(status, body);

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure).hasMessage(words);
    }

    @Test
    void tellsALostConnectionFromNone() {
        assertThat(Failures.unreachable("unix:///x", new RuntimeException(new IOException("Broken pipe"))))
                .hasMessage("the connection to the Docker daemon at unix:///x was lost");
        assertThat(Failures.unreachable("tcp://h:1", new RuntimeException(new ConnectException("Connection refused"))))
                .hasMessage("cannot connect to the Docker daemon at tcp://h:1: Connection refused."
                        + " Is the docker daemon running?");
        assertThat(Failures.late("manifest for x:1 not found: manifest unknown").kind())
                .isEqualTo(Kind.NOT_FOUND);
        assertThat(Failures.late("no space left on device").kind()).isEqualTo(Kind.FAILED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "docker.sock",
                "unix://relative",
                "ssh://host",
                "npipe:////./pipe/x",
                "tcp://",
                "tcp://h:port",
                "tcp://h:1/x"
            })
    void refusesAnAddressThatCannotBeUsed(String host) {
        assertThatThrownBy(() -> new DockerSettings(host, Optional.empty(), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + host + "\"");
    }

    @Test
    void refusesSettingsThatCannotBeUsed(@TempDir Path directory) {
        assertThatThrownBy(() -> new DockerSettings("unix:///x", Optional.empty(), Duration.ZERO))
                .hasMessageContaining("deadline");
        assertThatThrownBy(() -> new DockerSettings("unix:///x", Optional.of(directory), Duration.ofSeconds(1)))
                .hasMessageContaining("tcp://");
        assertThatThrownBy(() -> new DockerSettings("tcp://h", Optional.of(directory), Duration.ofSeconds(1)))
                .hasMessageContaining(directory.resolve("cert.pem").toString());
    }

    @Test
    void knowsDockersPorts() {
        assertThat(new DockerSettings("tcp://h", Optional.empty(), Duration.ofSeconds(1)).uri())
                .hasToString("tcp://h:2375");
        assertThat(new DockerSettings("unix:///a b", Optional.empty(), Duration.ofSeconds(1))
                        .uri()
                        .getPath())
                .isEqualTo("/a b");
    }

    @Test
    void readsWhatNewEnginesLeave() throws Exception {
        // As Docker 29 tells it: no address but those of the networks.
        ContainerFacts facts =
                FactsReader.container(tree("{'Id':'1','Name':'/n','Created':'2026-01-02T03:04:05.123456789Z',"
                    + "'State':{'Status':'exited','ExitCode':2,'OOMKilled':true,'Error':'','StartedAt':'2026-01-02T03:04:06Z',"
                    + "'FinishedAt':'0001-01-01T00:00:00Z'},'Image':'sha256:0','Config':{'Image':'i','Labels':null},"
                    + "'NetworkSettings':{'Networks':{'bridge':{'IPAddress':'','GlobalIPv6Address':'fd00::2'}}}}"));

        assertThat(facts.address()).isEqualTo("fd00::2");
        assertThat(facts.created()).isEqualTo(Instant.parse("2026-01-02T03:04:05.123456789Z"));
        assertThat(facts.finished()).isEmpty();
        assertThat(facts.outOfMemory()).isTrue();
        assertThat(facts.labels()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "created    | Created                            | CREATED | 0",
                "running    | Up 3 minutes                       | RUNNING | 0",
                "running    | Up 3 minutes (healthy)             | RUNNING | 0",
                "paused     | Up 3 minutes (Paused)              | PAUSED  | 0",
                "restarting | Restarting (1) 3 seconds ago       | RUNNING | 0",
                "exited     | Exited (0) 5 minutes ago           | EXITED  | 0",
                "exited     | Exited (143) Less than a second ago | EXITED | 143",
                "exited     | Exited (?)                         | EXITED  | 137",
                "dead       | Dead                               | EXITED  | 137",
                "removing   | Removal In Progress                | EXITED  | 137",
            })
    void readsAContainerInAList(String state, String status, ContainerFacts.State expected, int exitCode)
            throws Exception {
        ContainerFacts facts = FactsReader.summary(tree("{'Id':'1','Names':['/other/alias','/n'],'Image':'i',"
                + "'ImageID':'sha256:0','Created':1767323045,'Labels':{'a':'b'},'State':'" + state + "','Status':'"
                + status + "','NetworkSettings':{'Networks':{'bridge':{'IPAddress':'10.0.0.7'}}}}"));

        assertThat(facts)
                .isEqualTo(new ContainerFacts(
                        "1",
                        "n",
                        "i",
                        "sha256:0",
                        Map.of("a", "b"),
                        expected,
                        Instant.parse("2026-01-02T03:04:05Z"),
                        Optional.empty(),
                        Optional.empty(),
                        exitCode,
                        false,
                        "",
                        "10.0.0.7"));
    }

    @Test
    void aContainerInAListThatHasLostItsNameIsCalledByItsId() throws Exception {
        assertThat(FactsReader.summary(tree("{'Id':'1','Names':null}")).name()).isEqualTo("1");
    }

    @Test
    void asksForWhatAnEngineCan(@TempDir Path source) throws Exception {
        var spec = new SpecBuilder("n", Map.of()).bind(source, "/d", Access.READ_ONLY_RECURSIVE);

        JsonNode body = CreateBody.of(spec.spec(), engine("1.44", "local"));

        assertThat(body.at("/HostConfig/Mounts/0/BindOptions/ReadOnlyForceRecursive")
                        .asBoolean())
                .isTrue();
        assertThat(body.at("/HostConfig/LogConfig").isMissingNode()).isTrue();
        assertThatThrownBy(() -> CreateBody.of(spec.spec(), engine("1.41", "json-file")))
                .isInstanceOf(EngineException.class);
        JsonNode plain = CreateBody.of(new SpecBuilder("n", Map.of()).spec(), engine("1.41", "syslog"));
        assertThat(plain.at("/HostConfig/LogConfig/Type").asText()).isEqualTo("json-file");
        assertThat(plain.at("/HostConfig/LogConfig/Config/max-size").asText()).isEqualTo("10m");
        assertThat(plain.has("Entrypoint")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1000000000, 100000", "250000000, 25000", "1000000, 1000", "64000000000, 6400000"})
    void aProcessorIsAHundredThousandMicroseconds(long nanos, long quota) throws Exception {
        Resources resources = new Resources(
                OptionalLong.of(nanos),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalLong.empty());

        JsonNode body = CreateBody.of(
                new SpecBuilder("n", Map.of()).resources(resources).spec(), engine("1.41", "json-file"));

        assertThat(body.at("/HostConfig/CpuQuota").asLong()).isEqualTo(quota);
    }

    @Test
    void pauseProgramsAreSmallAndForKnownMachinesOnly() {
        for (String machine : List.of("x86_64", "amd64", "aarch64", "arm64")) {
            byte[] elf = PauseProgram.of(machine).orElseThrow().elf();
            assertThat(elf).hasSize(240).startsWith(0x7F, 'E', 'L', 'F');
        }
        assertThat(PauseProgram.of("riscv64")).isEmpty();
        assertThat(TarLayer.ofProgram("p", new byte[513])).hasSize(5 * 512);
    }

    private static EngineTraits engine(String api, String logs) {
        return new EngineTraits(new EngineInfo("docker", "1", api, "overlay2"), "x86_64", logs);
    }

    private static JsonNode tree(String text) throws IOException {
        return JSON.readTree(text.replace('\'', '"'));
    }
}
