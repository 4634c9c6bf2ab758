package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of requests to the engine and of the interpretation of its responses, without an engine. */
class DockerMessagesTest {
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
                "500 | '' | FAILED | the Docker daemon responded with status 500 and no message",
            })
    void error_response_keepsTheEngineMessage(int status, String body, Kind kind, String message) {
        EngineException failure = DockerErrors.of(status, body);

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure).hasMessage(message);
    }

    @Test
    void unreachable_lostConnection_isDistinguishedFromNoConnection() {
        assertThat(DockerErrors.unreachable("unix:///x", new RuntimeException(new IOException("Broken pipe"))))
                .hasMessage("the connection to the Docker daemon at unix:///x was lost");
        assertThat(DockerErrors.unreachable(
                        "tcp://h:1", new RuntimeException(new ConnectException("Connection refused"))))
                .hasMessage("cannot connect to the Docker daemon at tcp://h:1: Connection refused."
                        + " Is the docker daemon running?");
        assertThat(DockerErrors.unreachable(
                        "unix:///x", new RuntimeException(new SocketException("Permission denied"))))
                .hasMessage(
                        "cannot connect to the Docker daemon at unix:///x: permission denied. Add the user that runs"
                            + " Mooring to the group of the socket (`usermod -aG docker USER`, then log in again), or"
                            + " run Mooring as root");
        assertThat(DockerErrors.ofStream("manifest for x:1 not found: manifest unknown")
                        .kind())
                .isEqualTo(Kind.NOT_FOUND);
        assertThat(DockerErrors.ofStream("no space left on device").kind()).isEqualTo(Kind.FAILED);
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
    void settings_invalidHost_isRejected(String host) {
        assertThatThrownBy(() -> new DockerSettings(host, Optional.empty(), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + host + "\"");
    }

    @Test
    void settings_invalidDeadlineOrTlsFiles_areRejected(@TempDir Path directory) {
        assertThatThrownBy(() -> new DockerSettings("unix:///x", Optional.empty(), Duration.ZERO))
                .hasMessageContaining("deadline");
        assertThatThrownBy(() -> new DockerSettings("unix:///x", Optional.of(directory), Duration.ofSeconds(1)))
                .hasMessageContaining("tcp://");
        assertThatThrownBy(() -> new DockerSettings("tcp://h", Optional.of(directory), Duration.ofSeconds(1)))
                .hasMessageContaining(directory.resolve("cert.pem").toString());
    }

    @Test
    void settings_tcpHostWithoutPort_usesDockersDefaultPort() {
        assertThat(new DockerSettings("tcp://h", Optional.empty(), Duration.ofSeconds(1)).uri())
                .hasToString("tcp://h:2375");
        assertThat(new DockerSettings("unix:///a b", Optional.empty(), Duration.ofSeconds(1))
                        .uri()
                        .getPath())
                .isEqualTo("/a b");
    }

    @Test
    void containerFacts_inspectOfDocker29_readsAddressFromNetworks() throws Exception {
        // The format of Docker 29, which has addresses only in the networks.
        ContainerFacts facts =
                FactsReader.container(tree("{'Id':'1','Name':'/n','Created':'2026-01-02T03:04:05.123456789Z',"
                    + "'State':{'Status':'exited','ExitCode':2,'OOMKilled':true,'Error':'','StartedAt':'2026-01-02T03:04:06Z',"
                    + "'FinishedAt':'0001-01-01T00:00:00Z'},'Image':'sha256:0','Config':{'Image':'i','Labels':null},"
                    + "'NetworkSettings':{'Networks':{'bridge':{'IPAddress':'','GlobalIPv6Address':'fd00::2'}}}}"));

        assertThat(facts.address()).isEqualTo("fd00::2");
        assertThat(facts.created()).isEqualTo(Instant.parse("2026-01-02T03:04:05.123456789Z"));
        assertThat(facts.finished()).isEmpty();
        assertThat(facts.oomKilled()).isTrue();
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
    void containerFacts_summary_readsStateAndExitCode(
            String state, String status, ContainerFacts.State expected, int exitCode) throws Exception {
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
    void containerFacts_summaryWithoutName_usesTheId() throws Exception {
        assertThat(FactsReader.summary(tree("{'Id':'1','Names':null}")).name()).isEqualTo("1");
    }

    @Test
    void createBody_dependsOnEngineCapabilities(@TempDir Path source) throws Exception {
        var spec = new SpecBuilder("n", Map.of()).bind(source, "/d", MountAccess.READ_ONLY_RECURSIVE);

        JsonNode body = CreateContainerBody.of(spec.spec(), engine("1.44", "local"));

        assertThat(body.at("/HostConfig/Mounts/0/BindOptions/ReadOnlyForceRecursive")
                        .asBoolean())
                .isTrue();
        assertThat(body.at("/HostConfig/LogConfig").isMissingNode()).isTrue();
        assertThatThrownBy(() -> CreateContainerBody.of(spec.spec(), engine("1.41", "json-file")))
                .isInstanceOf(EngineException.class);
        JsonNode plain = CreateContainerBody.of(new SpecBuilder("n", Map.of()).spec(), engine("1.41", "syslog"));
        assertThat(plain.at("/HostConfig/LogConfig/Type").asText()).isEqualTo("json-file");
        assertThat(plain.at("/HostConfig/LogConfig/Config/max-size").asText()).isEqualTo("10m");
        assertThat(plain.has("Entrypoint")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1000000000, 100000", "250000000, 25000", "1000000, 1000", "64000000000, 6400000"})
    void createBody_cpuLimit_isAQuotaPerHundredMilliseconds(long nanos, long quota) throws Exception {
        ContainerResources resources = new ContainerResources(
                OptionalLong.of(nanos),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalLong.empty());

        JsonNode body = CreateContainerBody.of(
                new SpecBuilder("n", Map.of()).resources(resources).spec(), engine("1.41", "json-file"));

        assertThat(body.at("/HostConfig/CpuQuota").asLong()).isEqualTo(quota);
    }

    @ParameterizedTest
    @CsvSource({"PRIVATE, ''", "HOST_TO_CONTAINER, rslave", "BIDIRECTIONAL, rshared"})
    void createBody_privateMount_omitsPropagation(Propagation propagation, String mode) throws Exception {
        var spec = new SpecBuilder("n", Map.of()).bind(Path.of("/"), "/d", MountAccess.READ_WRITE, propagation);

        JsonNode body = CreateContainerBody.of(spec.spec(), engine("1.41", "json-file"));

        assertThat(body.at("/HostConfig/Mounts/0/BindOptions/Propagation").asText(""))
                .isEqualTo(mode);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name=seccomp,profile=default;name=selinux | [label=level:s0:c0,c1, label=type:spc_t,"
                        + " no-new-privileges]",
                "name=apparmor;name=seccomp,profile=default | [no-new-privileges]",
            })
    void createBody_engineWithoutSeLinux_omitsSeLinuxLabels(String options, String expected) throws Exception {
        ObjectNode info = JSON.createObjectNode();
        List.of(options.split(";")).forEach(info.putArray("SecurityOptions")::add);
        Security security = new Security(
                "",
                List.of(),
                false,
                false,
                false,
                List.of(),
                List.of(),
                Seccomp.DEFAULT,
                false,
                Map.of("level", "s0:c0,c1", "type", "spc_t"));

        JsonNode body = CreateContainerBody.of(
                new SpecBuilder("n", Map.of()).security(security).spec(), EngineCapabilities.read(info, "1.41"));

        TreeSet<String> sent = new TreeSet<>();
        body.at("/HostConfig/SecurityOpt").forEach(each -> sent.add(each.asText()));
        assertThat(sent).hasToString(expected);
    }

    @Test
    void createBody_pidsLimit_isSent() throws Exception {
        ContainerResources resources = new ContainerResources(
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.of(4096),
                OptionalInt.empty(),
                OptionalLong.empty());

        JsonNode limited = CreateContainerBody.of(
                new SpecBuilder("n", Map.of()).resources(resources).spec(), engine("1.41", "json-file"));
        JsonNode plain = CreateContainerBody.of(new SpecBuilder("n", Map.of()).spec(), engine("1.41", "json-file"));

        assertThat(limited.at("/HostConfig/PidsLimit").asLong()).isEqualTo(4096);
        assertThat(plain.at("/HostConfig/PidsLimit").isMissingNode()).isTrue();
    }

    @Test
    void pauseProgram_existsForKnownArchitecturesAndIsSmall() {
        for (String machine : List.of("x86_64", "amd64", "aarch64", "arm64")) {
            byte[] elf = PauseProgram.of(machine).orElseThrow().elf();
            assertThat(elf).hasSize(240).startsWith(0x7F, 'E', 'L', 'F');
        }
        assertThat(PauseProgram.of("riscv64")).isEmpty();
        assertThat(PauseImage.TarLayer.ofProgram("p", new byte[513])).hasSize(5 * 512);
    }

    private static EngineCapabilities engine(String api, String logs) {
        return new EngineCapabilities(
                new ContainerRuntime.EngineInfo("docker", "1", api, "overlay2"), "x86_64", logs, false);
    }

    private static JsonNode tree(String text) throws IOException {
        return JSON.readTree(text.replace('\'', '"'));
    }
}
