package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.cli.ContainerDoor;
import dev.mooring.cli.ContainerDoor.Attempt;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.docker.stream.DockerStreams;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/** kubectl's logs, exec, attach and cp on containers of a real engine; the Pods around them are laid down by hand. */
@Timeout(120)
class KubectlContainersTest {
    private static final int ABORTED = 127;

    @TempDir
    private static Path data;

    private static final Map<String, String> IDS = new ConcurrentHashMap<>();
    private static final List<String> MADE = new ArrayList<>();
    private static RealEngineApi engine;
    private static DockerStreams streams;
    private static ContainerDoor door;
    private static ContainerServer server;

    /** What a line of bash left behind. */
    private record Result(int code, String out, String err) {}

    @BeforeAll
    static void start() throws Exception {
        RealEngine real = RealEngine.shared();
        engine = new RealEngineApi(real.socket());
        streams = new DockerStreams(real.host(), Optional.empty());
        door = new ContainerDoor(ContainerServer.NODE, streams, KubectlContainersTest::find, 16);
        server = new ContainerServer(data, door, Duration.ofSeconds(60));
        if (bash("command -v kubectl script").code() != 0) {
            throw new TestAbortedException("there is no kubectl here, or no script to give it a terminal");
        }
        String old = container("echo before; exit 3");
        engine.post("/containers/" + old + "/wait", "");
        pod(
                "talks",
                container("for i in 1 2 3 4; do echo line $i; done; sleep 0.5; echo wrong >&2; sleep 1000"),
                old,
                false);
        pod("chats", container("i=0; while true; do i=$((i+1)); echo line $i; sleep 0.2; done"), "", false);
        pod("listens", container("while read word; do echo heard $word; done; sleep 1000"), "", false);
        pod("quiet", container("sleep 1000"), "", false);
        pod("shell", container("stty -echo; while read word; do echo heard $word; done; sleep 1000", true), "", true);
        String ended = container("echo the end; exit 0");
        engine.post("/containers/" + ended + "/wait", "");
        pod("ended", ended, "", false);
        server.status(
                "ended",
                "{'phase':'Succeeded','containerStatuses':["
                        + ContainerServer.containerStatus(
                                        "c", "'terminated':{'exitCode':0,'containerID':'docker://" + ended + "'}", "")
                                .replace("id-c", ended)
                        + "]}");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            door.close();
            streams.close();
        }
        MADE.forEach(id -> engine.delete("/containers/" + id + "?force=1"));
    }

    private static Optional<ContainerFacts> find(String podUid, String container, Attempt attempt) {
        return Optional.ofNullable(IDS.get(podUid + attempt))
                .map(id -> new ContainerFacts(
                        id,
                        id,
                        "busybox",
                        "",
                        Map.of(),
                        ContainerFacts.State.RUNNING,
                        Instant.EPOCH,
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        false,
                        "",
                        ""));
    }

    private static String container(String script) {
        return container(script, false);
    }

    private static String container(String script, boolean terminal) {
        String spec = "{\"Image\":\"busybox:latest\",\"Entrypoint\":[\"sh\",\"-c\",\"" + script
                + "\"],\"OpenStdin\":true,\"Tty\":" + terminal
                + ",\"HostConfig\":{\"NetworkMode\":\"none\"},\"Labels\":{\"mooring-api-test\":\"1\"}}";
        RealEngineApi.Reply made = engine.post("/containers/create", spec);
        assertThat(made.code()).as(made.text()).isEqualTo(201);
        String id = made.body().path("Id").asText();
        MADE.add(id);
        assertThat(engine.post("/containers/" + id + "/start", "").code()).isEqualTo(204);
        return id;
    }

    private static void pod(String name, String id, String previous, boolean terminal) {
        String spec = "{'nodeName':'testhost','containers':[{'name':'c','image':'busybox','stdin':true,'tty':"
                + terminal + "}]}";
        String last = previous.isEmpty() ? "" : "'terminated':{'exitCode':3,'containerID':'docker://" + previous + "'}";
        String status = ContainerServer.containerStatus("c", "'running':{'startedAt':'2026-01-01T00:00:00Z'}", last);
        String uid =
                server.pod(name, spec, "{'phase':'Running','containerStatuses':[" + status.replace("id-c", id) + "]}");
        IDS.put(uid + Attempt.CURRENT, id);
        if (!previous.isEmpty()) {
            IDS.put(uid + Attempt.PREVIOUS, previous);
        }
    }

    private static Result bash(String line) throws IOException, InterruptedException {
        Path out = Files.createTempFile(data, "out", "");
        Path err = Files.createTempFile(data, "err", "");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", line)
                .directory(data.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("KUBECONFIG", server.kubeconfig().toString());
        builder.environment().put("HOME", data.toString());
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return new Result(ABORTED, Files.readString(out), "too slow; " + Files.readString(err));
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static String ok(String line) throws IOException, InterruptedException {
        Result result = bash(line);
        assertThat(result.code()).as(line + ": " + result).isZero();
        return result.out();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
        kubectl logs talks --tail=2 | sort                       ; line 4,wrong,
        kubectl logs talks --limit-bytes=8                         ; line 1,l
        kubectl logs talks -p                                      ; before,
        kubectl logs talks --since=1h | grep -c line              ; 4,
        kubectl logs ended                                         ; the end,
        kubectl logs -f ended                                      ; the end,
        """)
    void showsLogs(String line, String expected) throws Exception {
        assertThat(ok(line)).isEqualTo(expected.replace(',', '\n'));
    }

    @Test
    void showsTimesAsTheKubeletDoes() throws Exception {
        assertThat(ok("kubectl logs ended --timestamps"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z the end\n");
        assertThat(ok("kubectl logs talks --since-time=2100-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void followsALogUntilNobodyReadsIt() throws Exception {
        assertThat(ok("kubectl logs -f chats | head -n 2")).isEqualTo("line 1\nline 2\n");
        Result cut = bash("timeout 3 kubectl logs -f talks --tail=1");
        assertThat(cut.code()).isEqualTo(124);
    }

    @Test
    void runsCommands() throws Exception {
        Result failed = bash("kubectl exec quiet -- sh -c 'echo out; echo err >&2; exit 7'");
        assertThat(failed).isEqualTo(new Result(7, "out\n", "err\ncommand terminated with exit code 7\n"));
        assertThat(ok("printf 'a\\nb\\n' | kubectl exec -i quiet -- wc -l").trim())
                .isEqualTo("2");
        assertThat(ok("kubectl exec quiet -- echo $(seq 300)").split(" ")).hasSize(300);
        Result unknown = bash("kubectl exec quiet -- no-such-command");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.err())
                .contains("error: Internal error occurred: error executing command in container: ")
                .contains("no-such-command");
    }

    @Test
    void carriesMuchInBothDirections() throws Exception {
        ok("head -c 20000000 /dev/urandom > much; kubectl exec -i quiet -- cat < much > back; cmp much back");
    }

    @Test
    void hasATerminal() throws Exception {
        assertThat(ok("stty cols 97 rows 31 2>/dev/null; script -qec 'stty cols 97 rows 31; kubectl exec -it"
                        + " quiet -- sh -c \"sleep 1; tty; stty size\"' /dev/null"))
                .contains("/dev/pts/")
                .contains("31 97");
    }

    @Test
    void joinsContainers() throws Exception {
        assertThat(ok("(echo one; sleep 2) | timeout -s INT 20 kubectl attach -i listens -q | head -n 1"))
                .isEqualTo("heard one\n");
        assertThat(ok("(sleep 1; echo two; sleep 3) | script -qec 'timeout -s INT --foreground 8 kubectl"
                        + " attach -it shell -q' /dev/null | grep -m 1 -o 'heard two'"))
                .isEqualTo("heard two\n");
    }

    @Test
    void copiesBothWays() throws Exception {
        ok("mkdir -p tree/sub; seq 100000 > tree/sub/numbers; echo hi > tree/greeting; kubectl cp tree"
                + " quiet:/tmp/there");
        assertThat(ok("kubectl exec quiet -- sh -c 'tail -n 1 /tmp/there/sub/numbers'"))
                .isEqualTo("100000\n");
        ok("kubectl cp quiet:/tmp/there here && diff -r tree here");
    }

    @Test
    void saysWhatIsWrong() throws Exception {
        assertThat(bash("kubectl logs none").err()).contains("error from server (NotFound): pods \"none\" not found");
        assertThat(bash("kubectl logs quiet -p").err())
                .contains("Error from server (BadRequest): previous terminated container \"c\" in pod \"quiet\" not"
                        + " found");
        server.pod(
                "coming",
                ContainerServer.spec("c"),
                "{'phase':'Pending','containerStatuses':["
                        + ContainerServer.containerStatus("c", "'waiting':{'reason':'ContainerCreating'}", "") + "]}");
        assertThat(bash("kubectl logs coming").err())
                .contains("container \"c\" in pod \"coming\" is waiting to start: ContainerCreating");
        assertThat(bash("kubectl exec coming -- true").err())
                .contains("container not found (\"c\"): it is not running, it is waiting to start: ContainerCreating");
        assertThat(bash("KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false kubectl exec quiet -- true")
                        .err())
                .contains("use kubectl 1.30 or newer");
        server.pod(
                "alien", ContainerServer.spec("c"), ContainerServer.running("c").replace("id-c", MADE.get(0)));
        assertThat(bash("kubectl exec alien -- true").err()).contains("container not found (\"c\")");
        assertThat(bash("kubectl logs alien").err())
                .contains("unable to retrieve container logs for docker://" + MADE.get(0));
    }
}
