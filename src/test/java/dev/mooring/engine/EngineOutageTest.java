package dev.mooring.engine;

import static dev.mooring.engine.EngineApi.ACTUAL;
import static dev.mooring.engine.EngineApi.CLAIMS;
import static dev.mooring.engine.EngineApi.PODS;
import static dev.mooring.engine.EngineApi.VOLUMES;
import static dev.mooring.engine.EngineServer.container;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.RealEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The engine goes, and comes back. */
@Timeout(240)
class EngineOutageTest {
    private static final String NODES = "/api/v1/nodes";

    @TempDir
    private Path directory;

    private RealEngine engine;
    private EngineServer server;
    private EngineApi api;

    @BeforeEach
    void start() {
        engine = RealEngine.own();
        server = EngineServer.start(directory.resolve("data"), engine, Map.of());
        api = server.api();
        api.make(CLAIMS, """
            {'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'starts'},'spec':{'storageClassName':'hostPath',
             'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}
            """);
        makePod("before");
        api.untilPhase(PODS, "before", "Running");
    }

    /** Writes a line to the volume at each start. */
    private void makePod(String name) {
        String container = container(
                "echo " + name + " >> /v/starts; exec sleep 3600", "'volumeMounts':[{'name':'v','mountPath':'/v'}]");
        server.makePod("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
                + "'},'spec':{'terminationGracePeriodSeconds':1,'containers':[" + container
                + "],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'starts'}}]}}");
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        if (engine != null) {
            engine.close();
        }
    }

    private JsonNode ready() {
        for (JsonNode each : api.object(NODES, "testhost").at("/status/conditions")) {
            if (each.path("type").asText().equals("Ready")) {
                return each;
            }
        }
        return EngineApi.JSON.missingNode();
    }

    private void awaitReady(String status) {
        Eventually.see(
                "the node's Ready to be " + status,
                this::ready,
                each -> each.path("status").asText().equals(status));
    }

    private Path starts() {
        String volume =
                api.untilPhase(CLAIMS, "starts", "Bound").at("/spec/volumeName").asText();
        return Path.of(api.object(VOLUMES, volume).at("/spec/hostPath/path").asText())
                .resolve("starts");
    }

    @Test
    void podsStayAsTheyWereKnownAndGoOnAfterwards() {
        Path starts = starts();
        Eventually.see("its first start", () -> Files.exists(starts), exists -> exists);
        engine.stop();
        awaitReady("False");
        assertThat(ready().path("message").asText()).isNotBlank();
        assertThat(EngineApi.phase(api.object(PODS, "before"))).isEqualTo("Running");
        makePod("meanwhile");
        assertThat(EngineApi.phase(api.object(PODS, "meanwhile"))).isEqualTo("Pending");

        engine.start();
        awaitReady("True");
        api.untilPhase(PODS, "meanwhile", "Running");
        JsonNode again = api.until(
                PODS,
                "before",
                "to be started again",
                each -> each.at("/status/containerStatuses/0/restartCount").asInt() == 1
                        && EngineApi.state(each).has("running"));
        assertThat(EngineApi.phase(again)).isEqualTo("Running");
        assertThat(server.remains().twins()).isEmpty();
        assertThat(starts)
                .content()
                .satisfies(text -> assertThat(text.lines()).containsExactlyInAnyOrder("before", "before", "meanwhile"));

        api.remove(PODS, "before");
        api.remove(PODS, "meanwhile");
        server.nothingRemains();
    }

    @Test
    void aPodThatIsDeletedMeanwhileGoesWhenItsContainersCan() {
        engine.kill();
        awaitReady("False");
        assertThat(api.delete(PODS + "/before").code()).isEqualTo(200);
        assertThat(api.list(ACTUAL)).as("who knows what still runs").hasSize(1);
        assertThat(api.object(PODS, "before").isMissingNode()).isFalse();

        engine.start();
        api.untilGone(PODS, "before");
        server.nothingRemains();
    }
}
