package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.docker.DockerStreams;
import dev.mooring.server.LocalContainerAccess;
import dev.mooring.server.LocalContainerAccess.ContainerInstance;
import dev.mooring.testing.ConditionPoller;
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

/** Runs kubectl logs, exec, attach and cp against containers of a real engine; the test writes their Pods directly. */
@Timeout(600)
class KubectlContainersTest {
    private static final int ABORTED = 127;

    @TempDir
    private static Path data;

    private static final Map<String, String> IDS = new ConcurrentHashMap<>();
    private static final List<String> CREATED = new ArrayList<>();
    private static RealEngineApi engine;
    private static DockerStreams streams;
    private static LocalContainerAccess containerAccess;
    private static ContainerServerFixture server;

    /** Exit code and output of a bash command line. */
    private record Result(int code, String out, String err) {}

    @BeforeAll
    static void start() throws Exception {
        RealEngine real = RealEngine.shared();
        engine = new RealEngineApi(real.socket());
        streams = new DockerStreams(real.host(), Optional.empty());
        containerAccess =
                new LocalContainerAccess(ContainerServerFixture.NODE, streams, KubectlContainersTest::find, 16);
        server = new ContainerServerFixture(data, containerAccess, Duration.ofSeconds(60));
        if (bash("command -v kubectl script").code() != 0) {
            throw new TestAbortedException("kubectl or script (for a terminal) is not installed");
        }
        String old = container("echo before; exit 3");
        engine.post("/containers/" + old + "/wait", "");
        String talks = container("exec 2>&1; for i in 1 2 3 4; do echo line $i; done; echo wrong; sleep 1000");
        pod("talks", talks, old, false);
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
                        + ContainerServerFixture.containerStatus(
                                        "c", "'terminated':{'exitCode':0,'containerID':'docker://" + ended + "'}", "")
                                .replace("id-c", ended)
                        + "]}");
        ConditionPoller.until(() -> engine.get("/containers/" + talks + "/logs?stdout=1&stderr=1")
                .text()
                .contains("wrong"));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            containerAccess.close();
            streams.close();
        }
        CREATED.forEach(id -> engine.delete("/containers/" + id + "?force=1"));
    }

    private static Optional<ContainerFacts> find(String podUid, String container, ContainerInstance attempt) {
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
        RealEngineApi.EngineReply created = engine.post("/containers/create", spec);
        assertThat(created.code()).as(created.text()).isEqualTo(201);
        String id = created.body().path("Id").asText();
        CREATED.add(id);
        assertThat(engine.post("/containers/" + id + "/start", "").code()).isEqualTo(204);
        return id;
    }

    private static void pod(String name, String id, String previous, boolean terminal) {
        String spec = "{'nodeName':'testhost','containers':[{'name':'c','image':'busybox','stdin':true,'tty':"
                + terminal + "}]}";
        String last = previous.isEmpty() ? "" : "'terminated':{'exitCode':3,'containerID':'docker://" + previous + "'}";
        String status =
                ContainerServerFixture.containerStatus("c", "'running':{'startedAt':'2026-01-01T00:00:00Z'}", last);
        String uid =
                server.pod(name, spec, "{'phase':'Running','containerStatuses':[" + status.replace("id-c", id) + "]}");
        IDS.put(uid + ContainerInstance.CURRENT, id);
        if (!previous.isEmpty()) {
            IDS.put(uid + ContainerInstance.PREVIOUS, previous);
        }
    }

    private static Process launch(String line, Path out, Path err) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", line)
                .directory(data.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("KUBECONFIG", server.kubeconfig().toString());
        builder.environment().put("HOME", data.toString());
        return builder.start();
    }

    private static Result bash(String line) throws IOException, InterruptedException {
        Path out = Files.createTempFile(data, "out", "");
        Path err = Files.createTempFile(data, "err", "");
        Process process = launch(line, out, err);
        if (!process.waitFor(180, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return new Result(ABORTED, Files.readString(out), "timed out; " + Files.readString(err));
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Runs a bash command line until its output contains a text or it ends; returns the output. */
    private static String outputUntil(String text, String line) throws Exception {
        Path out = Files.createTempFile(data, "out", "");
        Process process = launch(line, out, Files.createTempFile(data, "err", ""));
        try {
            ConditionPoller.until(() -> Files.readString(out).contains(text) || !process.isAlive());
        } finally {
            List<ProcessHandle> children = process.descendants().toList();
            process.destroyForcibly();
            children.forEach(ProcessHandle::destroyForcibly);
        }
        return Files.readString(out);
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
    void logs_options_printsExpectedLines(String line, String expected) throws Exception {
        assertThat(ok(line)).isEqualTo(expected.replace(',', '\n'));
    }

    @Test
    void logs_timestamps_usesFormatOfKubelet() throws Exception {
        assertThat(ok("kubectl logs ended --timestamps"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z the end\n");
        assertThat(ok("kubectl logs talks --since-time=2100-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void logs_follow_runsUntilClientStops() throws Exception {
        assertThat(ok("kubectl logs -f chats | head -n 2")).isEqualTo("line 1\nline 2\n");
        Result cut = bash("timeout 3 kubectl logs -f talks --tail=1");
        assertThat(cut.code()).isEqualTo(124);
    }

    @Test
    void exec_command_returnsOutputAndExitCode() throws Exception {
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
    void exec_largeInput_isReturnedUnchanged() throws Exception {
        ok("head -c 20000000 /dev/urandom > much; kubectl exec -i quiet -- cat < much > back; cmp much back");
    }

    @Test
    void exec_tty_hasTerminalOfClientSize() throws Exception {
        // The client sends its size after the command has started.
        assertThat(ok("stty cols 97 rows 31 2>/dev/null; script -qec 'stty cols 97 rows 31; kubectl exec -it quiet --"
                        + " sh -c \"until stty size | grep -q 31; do sleep 0.1; done; tty; stty size\"' /dev/null"))
                .contains("/dev/pts/")
                .contains("31 97");
    }

    @Test
    void attach_withAndWithoutTty_exchangesInputAndOutput() throws Exception {
        assertThat(outputUntil("heard one\n", "while echo one; do sleep 1; done | kubectl attach -i listens -q"))
                .startsWith("heard one\n");
        assertThat(outputUntil(
                        "heard two",
                        "while echo two; do sleep 1; done | script -qec 'kubectl attach -it shell -q' /dev/null"))
                .contains("heard two");
    }

    @Test
    void cp_directory_copiesToAndFromContainer() throws Exception {
        ok("mkdir -p tree/sub; seq 100000 > tree/sub/numbers; echo hi > tree/greeting; kubectl cp tree"
                + " quiet:/tmp/there");
        assertThat(ok("kubectl exec quiet -- sh -c 'tail -n 1 /tmp/there/sub/numbers'"))
                .isEqualTo("100000\n");
        ok("kubectl cp quiet:/tmp/there here && diff -r tree here");
    }

    @Test
    void logsAndExec_containerUnavailable_printsReason() throws Exception {
        assertThat(bash("kubectl logs none").err()).contains("error from server (NotFound): pods \"none\" not found");
        assertThat(bash("kubectl logs quiet -p").err())
                .contains("Error from server (BadRequest): previous terminated container \"c\" in pod \"quiet\" not"
                        + " found");
        server.pod(
                "coming",
                ContainerServerFixture.spec("c"),
                "{'phase':'Pending','containerStatuses':["
                        + ContainerServerFixture.containerStatus("c", "'waiting':{'reason':'ContainerCreating'}", "")
                        + "]}");
        assertThat(bash("kubectl logs coming").err())
                .contains("container \"c\" in pod \"coming\" is waiting to start: ContainerCreating");
        assertThat(bash("kubectl exec coming -- true").err())
                .contains("container not found (\"c\"): it is not running, it is waiting to start: ContainerCreating");
        assertThat(bash("KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false kubectl exec quiet -- true")
                        .err())
                .contains("use kubectl 1.30 or newer");
        server.pod(
                "alien",
                ContainerServerFixture.spec("c"),
                ContainerServerFixture.running("c").replace("id-c", CREATED.get(0)));
        assertThat(bash("kubectl exec alien -- true").err()).contains("container not found (\"c\")");
        assertThat(bash("kubectl logs alien").err())
                .contains("unable to retrieve container logs for docker://" + CREATED.get(0));
    }
}
