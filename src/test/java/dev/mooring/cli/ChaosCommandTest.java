package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of {@code mooring chaos}: the requests it sends, how it prints responses, and the arguments it rejects. */
@Timeout(60)
class ChaosCommandTest {
    private static final String DONE = "{'message':'it was done','recorded':true}";

    @TempDir
    private Path directory;

    private FakeApiServer server;
    private Path kubeconfig;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void start() throws Exception {
        server = FakeApiServer.start(directory);
        kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
            apiVersion: v1
            kind: Config
            current-context: m
            contexts: [{name: m, context: {cluster: m, user: m}}]
            clusters: [{name: m, cluster: {server: "%s", certificate-authority-data: %s}}]
            users: [{name: m, user: {token: t}}]
            """.formatted(
                        server.url(),
                        Base64.getEncoder().encodeToString(server.authorityPem().getBytes(StandardCharsets.UTF_8))));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kill binder | /kill {'verticle':'binder'}",
                "pause binder | /pause {'verticle':'binder','forSeconds':10.0}",
                "pause --for 500ms | /pause {'verticle':'all','forSeconds':0.5}",
                "fail-next-mounts 3 | /fail-next-mounts {'count':3,'forSeconds':600.0}",
                "fail-next-mounts 3 --node n --reason x --for 1m | /fail-next-mounts"
                        + " {'count':3,'forSeconds':60.0,'node':'n','reason':'x'}",
                "hang-server nas | /hang-server {'server':'nas','forSeconds':30.0}",
                "monkey | /monkey {'everySeconds':2.0,'forSeconds':60.0}",
                "monkey --every 1s --for 5s --only a,b --seed 7 | /monkey"
                        + " {'everySeconds':1.0,'forSeconds':5.0,'only':['a','b'],'seed':7}",
                "stop | /stop {}"
            })
    void chaosCommand_validArguments_sendsOneRequest(String typed, String expected) {
        server.enqueue(200, DONE);
        assertThat(run(typed)).as(errors()).isZero();
        assertThat(server.requests())
                .singleElement()
                .satisfies(request -> assertThat(request.method() + " " + request.path() + " " + request.body())
                        .isEqualTo("POST /apis/mooring.dev/v1/chaos" + expected.replace('\'', '"')));
        assertThat(errors()).isEqualToIgnoringNewLines("Done: it was done");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | Missing command; expected one of list, kill, pause",
                "kill | VERTICLE",
                "pause binder --for soon | --for must be a positive duration such as 500ms, 30s or 5m, got \"soon\"",
                "monkey --every 0s | --every must be a positive duration",
                "fail-next-mounts many | many",
                "hang-server | SERVER"
            })
    void chaosCommand_invalidArguments_failsWithoutRequest(String typed, String message) {
        assertThat(run(typed)).isEqualTo(2);
        assertThat(errors()).contains(message);
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void chaosCommand_serverWithoutFaultInjection_namesTheSetting() {
        server.enqueue(404, "{'reason':'NotFound','message':'the server could not find the requested resource'}");
        assertThat(run("kill binder")).isEqualTo(1);
        assertThat(errors()).contains("chaos.enabled: true").contains("MOORING_CHAOS_ENABLED=true");
    }

    @Test
    void chaosKill_unknownVerticle_printsTheServersMessage() {
        server.enqueue(404, "{'reason':'NotFound','message':'Verticle x not found; expected one of a, b'}");
        assertThat(run("kill x")).isEqualTo(3);
        assertThat(errors()).contains("expected one of a, b");
    }

    @Test
    void chaosKill_actionNotYetRecorded_warnsThatHistoryLacksIt() {
        server.enqueue(200, "{'message':'it was done','recorded':false}");
        assertThat(run("kill ledger")).isZero();
        assertThat(errors()).contains("Not recorded in the history yet");
    }

    @Test
    void chaosStatus_printsVerticlesAndArmedFaults() {
        server.enqueue(200, """
            {'verticles':[{'name':'ledger','state':'up','restarts':0,'deathsInARow':0},
             {'name':'binder','state':'waiting','restarts':4,'deathsInARow':4,'until':'2031-05-06T07:08:09Z','lastCause':'a\\u001bb'}],
             'faults':[{'fault':'hang-server','server':'nas','until':'2031-05-06T07:08:39Z'}]}\
            """);
        assertThat(run("status")).as(errors()).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
            VERTICLE   STATE     RESTARTS   DEATHS IN A ROW   UNTIL                  LAST CAUSE
            ledger     up        0          0
            binder     waiting   4          4                 2031-05-06T07:08:09Z   a b
            armed: hang-server server=nas until=2031-05-06T07:08:39Z
            """);
    }

    private int run(String typed) {
        String[] args = ("chaos " + typed).trim().split(" ", -1);
        ProcessEnvironment environment =
                ServerFixture.ambient(Map.of("NO_COLOR", "1", "MOORING_KUBECONFIG", kubeconfig.toString()), out, err);
        return new Cli(environment).run(args);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
