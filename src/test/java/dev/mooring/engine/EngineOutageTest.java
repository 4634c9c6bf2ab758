package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.ACTUAL;
import static dev.mooring.engine.MooringClient.CLAIMS;
import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringClient.VOLUMES;
import static dev.mooring.engine.MooringServerFixture.container;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.RealEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests Pods while the container engine is down, and after it is back. */
@Timeout(240)
class EngineOutageTest {
    private static final String NODES = "/api/v1/nodes";

    @TempDir
    private Path directory;

    private RealEngine engine;
    private MooringServerFixture server;
    private MooringClient api;

    @BeforeEach
    void start() {
        engine = RealEngine.own();
        server = MooringServerFixture.start(directory.resolve("data"), engine, Map.of());
        api = server.api();
        api.create(CLAIMS, """
            {'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'starts'},'spec':{'storageClassName':'hostPath',
             'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}
            """);
        createPod("before");
        api.untilPhase(PODS, "before", "Running");
    }

    /** Creates a Pod that writes a line to its volume at each start. */
    private void createPod(String name) {
        String container = container(
                "echo " + name + " >> /v/starts; exec sleep 3600", "'volumeMounts':[{'name':'v','mountPath':'/v'}]");
        server.createPod("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
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

    private JsonNode readyCondition() {
        for (JsonNode each : api.object(NODES, "testhost").at("/status/conditions")) {
            if (each.path("type").asText().equals("Ready")) {
                return each;
            }
        }
        return MooringClient.JSON.missingNode();
    }

    private void awaitReady(String status) {
        Eventually.await(
                "the node's condition Ready to be " + status,
                this::readyCondition,
                each -> each.path("status").asText().equals(status));
    }

    private Path startsFile() {
        String volume =
                api.untilPhase(CLAIMS, "starts", "Bound").at("/spec/volumeName").asText();
        return Path.of(api.object(VOLUMES, volume).at("/spec/hostPath/path").asText())
                .resolve("starts");
    }

    /** Lines of a file; none if it does not exist. */
    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void pods_engineStopped_keepStatusAndRestartWithEngine() {
        Path starts = startsFile();
        Eventually.await("its first start", () -> lines(starts), List.of("before")::equals);
        engine.stop();
        awaitReady("False");
        assertThat(readyCondition().path("message").asText()).isNotBlank();
        assertThat(MooringClient.phase(api.object(PODS, "before"))).isEqualTo("Running");
        createPod("meanwhile");
        assertThat(MooringClient.phase(api.object(PODS, "meanwhile"))).isEqualTo("Pending");

        engine.start();
        awaitReady("True");
        api.untilPhase(PODS, "meanwhile", "Running");
        JsonNode restarted = api.until(
                PODS,
                "before",
                "to be started again",
                each -> each.at("/status/containerStatuses/0/restartCount").asInt() == 1
                        && MooringClient.state(each).has("running"));
        assertThat(MooringClient.phase(restarted)).isEqualTo("Running");
        assertThat(server.leftovers().duplicateContainers()).isEmpty();
        // A container counts as running shortly before its process writes its line.
        assertThat(Eventually.await("three starts", () -> lines(starts), found -> found.size() >= 3))
                .containsExactlyInAnyOrder("before", "before", "meanwhile");

        api.remove(PODS, "before");
        api.remove(PODS, "meanwhile");
        server.assertNoLeftovers();
    }

    @Test
    void pod_deletedWhileEngineIsDown_isRemovedOnceEngineIsBack() {
        engine.kill();
        awaitReady("False");
        assertThat(api.delete(PODS + "/before").code()).isEqualTo(200);
        assertThat(api.list(ACTUAL))
                .as("volumes of containers that may still run")
                .hasSize(1);
        assertThat(api.object(PODS, "before").isMissingNode()).isFalse();

        engine.start();
        api.untilGone(PODS, "before");
        server.assertNoLeftovers();
    }
}
