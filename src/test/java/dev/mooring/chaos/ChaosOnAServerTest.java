package dev.mooring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.chaos.ChaosApi.ChaosReply;
import dev.mooring.cli.Cli;
import dev.mooring.model.Event;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the chaos API over HTTPS: authorization, validation, the effect of each fault, its record, and its end. */
@Timeout(300)
class ChaosOnAServerTest {
    @TempDir
    private static Path data;

    private static Server server;
    private static ChaosApi api;

    @BeforeAll
    static void start() throws Exception {
        server = ServerFixture.start(data, Map.of("chaos.enabled", "true"));
        api = ChaosApi.of(server, data);
    }

    @AfterAll
    static void stop() {
        assertThat(server.close()).isTrue();
    }

    @Test
    void chaosApi_notEnabled_returns404(@TempDir Path other) throws Exception {
        Server plain = ServerFixture.start(other);
        try {
            ChaosApi admin = ChaosApi.of(plain, other);
            String unknown = admin.get("/apis/mooring.dev/v1/nothing").text();
            for (ChaosReply reply : List.of(admin.get(ChaosApi.CHAOS), admin.chaos("kill", "{'verticle':'binder'}"))) {
                assertThat(reply.code()).isEqualTo(404);
                assertThat(reply.text()).isEqualTo(unknown);
            }
            assertThat(admin.get("/metrics").text()).doesNotContain("mooring_chaos");
            assertThat(admin.get("/readyz?verbose").text()).doesNotContain("chaos");
        } finally {
            plain.close();
        }
    }

    @Test
    void chaosApi_enabled_appearsInMetricsReadinessAndReport() throws IOException {
        assertThat(api.get("/metrics").text()).contains("mooring_chaos_enabled 1.0");
        assertThat(api.get("/readyz?verbose").text()).contains("]chaos ").contains("]verticle-chaos ");
        assertThat(api.get(ChaosApi.CHAOS).body().path("node").asText()).isEqualTo("testhost");
        assertThat(api.verticle("binder").path("state").asText()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"view, ''", "edit, '\"namespaces\":[\"*\"],'"})
    void chaosApi_userIsNotAdmin_returns403(String role, String more) throws Exception {
        ChaosApi other = api.as("chaos-" + role, more + "'user':'erin','role':'" + role + "'");
        assertThat(other.get(ChaosApi.CHAOS).code()).isEqualTo(403);
        ChaosReply refused = other.chaos("kill", "{'verticle':'binder'}");
        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.body().path("message").asText())
                .startsWith("chaos.mooring.dev \"kill\" is forbidden: User \"erin\" cannot create resource \"chaos\" in"
                        + " API group \"mooring.dev\" at the cluster scope: it has role \"" + role + "\"; ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kill | {'verticle':'bindr'} | 404 | node-status",
                "kill | {} | 400 | verticle is required",
                "kill | {'verticle':'binder','force':true} | 400 | \"force\"",
                "pause | {'verticle':'binder','forSeconds':601} | 400 | from 0.001 to 600",
                "pause | {'verticle':'chaos'} | 400 | ends the pauses of the others",
                "fail-next-mounts | {'count':0} | 400 | from 1 to 1000",
                "fail-next-mounts | {'count':1,'node':'elsewhere'} | 404 | testhost",
                "hang-server | {'server':''} | 400 | server must be a string",
                "monkey | {'only':['unknown']} | 404 | unknown",
                "monkey | {'everySeconds':0.001} | 400 | everySeconds",
                "explode | {} | 404 | fail-next-mounts, hang-server, kill, monkey, pause, stop",
            })
    void chaosApi_invalidRequest_returnsError(String action, String body, int code, String message) throws IOException {
        ChaosReply reply = api.chaos(action, body);
        assertThat(reply.code()).as(reply.text()).isEqualTo(code);
        assertThat(reply.body().path("message").asText()).contains(message);
    }

    @Test
    void kill_runningVerticle_isRestartedAndRecorded() throws Exception {
        long before = api.verticle("expander").path("restarts").asLong();
        long revision = server.stateStore().ledger().world().revision();
        ChaosReply done = api.chaos("kill", "{'verticle':'expander'}");
        assertThat(done.code()).as(done.text()).isEqualTo(200);
        assertThat(done.body().path("recorded").asBoolean()).isTrue();

        api.until(ChaosApi.CHAOS, reply -> isUp(reply, "expander", before + 1));
        assertThat(api.verticle("expander").path("lastCause").asText()).contains("on purpose by admin");
        assertThat(history(revision)).contains("ChaosVerticleKilled by admin");
        // The Events of the Node are recorded after the death, asynchronously.
        ConditionPoller.until(() -> nodeEventReasons().containsAll(List.of("ChaosVerticleKilled", "VerticleDied")));
    }

    @Test
    void chaosCommand_killAndList_printResultAndState() throws Exception {
        assertThat(mooring("chaos", "kill", "claim-protection"))
                .startsWith("0 Done: verticle claim-protection was killed");
        api.until(ChaosApi.CHAOS, reply -> isUp(reply, "claim-protection", 1));
        assertThat(mooring("chaos", "list")).startsWith("0 ").containsPattern("claim-protection +up +1");
        assertThat(mooring("chaos", "kill", "unknown")).startsWith("3 ").contains("binder");
    }

    /** Runs a command; returns its exit code and output. */
    private static String mooring(String... args) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Map<String, String> environment = Map.of(
                "NO_COLOR", "1", "MOORING_KUBECONFIG", server.kubeconfig().toString());
        int code = new Cli(ServerFixture.ambient(environment, printed, printed)).run(args);
        return code + " " + printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void pause_runningVerticle_endsWithoutCountingAsRestart() throws Exception {
        long before = api.verticle("reclaimer").path("restarts").asLong();
        assertThat(api.chaos("pause", "{'verticle':'reclaimer','forSeconds':600}")
                        .code())
                .isEqualTo(200);
        assertThat(api.verticle("reclaimer").path("state").asText()).isEqualTo("paused");
        assertThat(api.get("/readyz?verbose").text())
                .contains("[-]verticle-reclaimer degraded: paused until ")
                .endsWith("readyz check passed\n");
        assertThat(api.chaos("kill", "{'verticle':'reclaimer'}").code()).isEqualTo(409);

        // Starts the pause anew: a short one from the beginning could end before the requests above.
        assertThat(api.chaos("pause", "{'verticle':'reclaimer','forSeconds':0.1}")
                        .code())
                .isEqualTo(200);
        api.until(ChaosApi.CHAOS, reply -> isUp(reply, "reclaimer", before));
        assertThat(api.verticle("reclaimer").path("restarts").asLong()).isEqualTo(before);
    }

    @Test
    void failNextMounts_podWithVolume_mountsAfterTheArmedFailures() throws Exception {
        assertThat(api.chaos("fail-next-mounts", "{'count':2,'reason':'a test fault'}")
                        .code())
                .isEqualTo(200);
        assertThat(api.get("/readyz/chaos").text()).contains("[-]chaos degraded: 2 volume set-ups will fail");
        ChaosReply made = api.post(
                "/api/v1/namespaces/default/pods",
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'affected'},'spec':{'nodeName':'testhost','containers':"
                    + "[{'name':'c','image':'x','volumeMounts':[{'name':'e','mountPath':'/e'}]}],"
                    + "'volumes':[{'name':'e','emptyDir':{}}],'automountServiceAccountToken':false}}");
        assertThat(made.code()).as(made.text()).isEqualTo(201);

        ChaosReply mounted = api.until(
                "/apis/mooring.dev/v1/actualvolumes",
                reply -> reply.text().contains("\"state\":\"Mounted\"")
                        && reply.text().contains("empty-dir"));
        assertThat(mounted.code()).isEqualTo(200);
        // Events are recorded asynchronously.
        api.until(
                ChaosApi.EVENTS,
                reply -> reply.text().contains("FailedMount") && reply.text().contains("a test fault"));
        assertThat(api.get(ChaosApi.CHAOS).body().path("faults").toString()).doesNotContain("fail-next-mounts");
    }

    @Test
    void hangServer_isReportedUntilItEnds() throws Exception {
        assertThat(api.chaos("hang-server", "{'server':'NAS.example','forSeconds':0.5}")
                        .code())
                .isEqualTo(200);
        api.until(ChaosApi.CHAOS, reply -> !reply.text().contains("nas.example"));
        assertThat(api.chaos("hang-server", "{'server':'nas2','forSeconds':600}")
                        .code())
                .isEqualTo(200);
        assertThat(api.get("/readyz/chaos").text()).contains("server nas2 hangs until");
        assertThat(api.get(ChaosApi.CHAOS).body().path("faults").toString()).contains("\"server\":\"nas2\"");
    }

    @Test
    void stop_activeFaults_endsAllOfThem() throws Exception {
        api.chaos("hang-server", "{'server':'nas3','forSeconds':600}");
        api.chaos("monkey", "{'everySeconds':60,'forSeconds':600,'seed':7}");
        api.chaos("pause", "{'verticle':'expiry','forSeconds':600}");
        assertThat(faults()).contains("hang-server nas3", "monkey 7", "pause expiry");

        assertThat(api.chaos("stop", "").code()).isEqualTo(200);
        assertThat(faults()).isEmpty();
        api.until(ChaosApi.CHAOS, reply -> isUp(reply, "expiry", 0));
    }

    @Test
    void chaosVerticle_killed_disarmsItsFaults() throws Exception {
        api.chaos("hang-server", "{'server':'nas4','forSeconds':600}");
        assertThat(api.chaos("kill", "{'verticle':'chaos'}").code()).isEqualTo(200);
        api.until(ChaosApi.CHAOS, reply -> isUp(reply, "chaos", 1));
        assertThat(faults()).doesNotContain("hang-server nas4");
    }

    private static boolean isUp(ChaosReply report, String verticle, long restarts) {
        for (JsonNode each : report.body().path("verticles")) {
            if (each.path("name").asText().equals(verticle)) {
                return each.path("state").asText().equals("up")
                        && each.path("restarts").asLong() >= restarts;
            }
        }
        return false;
    }

    private static Set<String> faults() throws IOException {
        Set<String> faults = new TreeSet<>();
        for (JsonNode each : api.get(ChaosApi.CHAOS).body().path("faults")) {
            faults.add(each.path("fault").asText() + " "
                    + each.path("server")
                            .asText(each.path("verticle")
                                    .asText(each.path("seed").asText())));
        }
        return faults;
    }

    private static List<String> nodeEventReasons() throws IOException {
        List<String> reasons = new ArrayList<>();
        for (JsonNode each : api.get(ChaosApi.EVENTS).body().path("items")) {
            if (each.at("/involvedObject/kind").asText().equals("Node")) {
                reasons.add(each.path("reason").asText());
            }
        }
        return reasons;
    }

    /** Returns types and actors of the events after a revision. */
    private static List<String> history(long after) throws IOException {
        List<String> events = new ArrayList<>();
        try (var reader = server.stateStore().log().read(after + 1)) {
            for (var batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                for (Event each : batch.get().events()) {
                    events.add(each.type() + " by " + each.actor());
                }
            }
        }
        return events;
    }
}
