package dev.mooring.engine;

import static dev.mooring.engine.EngineApi.ACTUAL;
import static dev.mooring.engine.EngineApi.CLAIMS;
import static dev.mooring.engine.EngineApi.DESIRED;
import static dev.mooring.engine.EngineApi.PODS;
import static dev.mooring.engine.EngineApi.VOLUMES;
import static dev.mooring.engine.EngineServer.container;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A hundred Pods at once. */
class ManyPodsTest {
    private static final int PODS_AT_ONCE = 100;

    /** A container takes half a second of a busy machine, and each Pod has two. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    @Test
    @Timeout(900)
    void withTwoVolumesEachAreStartedAndDeletedAndLeaveNothing() throws Exception {
        Path data = directory.resolve("data");
        try (EngineServer server = EngineServer.start(data)) {
            EngineApi api = server.api();
            for (int i = 0; i < PODS_AT_ONCE; i++) {
                make(server, i);
            }
            Eventually.see("all Pods to run", PATIENCE, () -> notRunning(api), List::isEmpty);
            assertThat(server.remains().twins()).isEmpty();
            assertThat(server.remains().containers()).hasSize(2 * PODS_AT_ONCE);

            for (int i = 0; i < PODS_AT_ONCE; i++) {
                assertThat(api.delete(PODS + "/p" + i).code()).isEqualTo(200);
                assertThat(api.delete(CLAIMS + "/c" + i).code()).isEqualTo(200);
            }
            for (String each : List.of(PODS, CLAIMS, VOLUMES, DESIRED, ACTUAL)) {
                Eventually.see(
                        "nothing in " + each, PATIENCE, () -> api.list(each).size(), left -> left == 0);
            }
            server.nothingRemains();
            try (Stream<Path> volumes = Files.walk(data.resolve("volumes"))) {
                assertThat(volumes.filter(each -> each.getFileName().toString().startsWith("pvc-")))
                        .isEmpty();
            }
        }
    }

    private static void make(EngineServer server, int i) {
        server.api()
                .make(
                        CLAIMS,
                        "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'c" + i
                                + "'},'spec':{'storageClassName':'hostPath','accessModes':['ReadWriteOnce'],'resources':{'requests':"
                                + "{'storage':'1Gi'}}}}");
        String container = container(
                "echo p" + i + " > /v/mark; cp /v/mark /m; exec sleep 3600",
                "'volumeMounts':[{'name':'v','mountPath':'/v'},{'name':'m','mountPath':'/m'}]");
        server.makePod("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p" + i
                + "'},'spec':{'terminationGracePeriodSeconds':0,'containers':[" + container
                + "],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c" + i
                + "'}},{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'1Mi'}}]}}");
    }

    private static List<String> notRunning(EngineApi api) {
        return api.list(PODS).stream()
                .filter(each -> !EngineApi.phase(each).equals("Running"))
                .map(ManyPodsTest::inShort)
                .toList();
    }

    private static String inShort(JsonNode pod) {
        return pod.at("/metadata/name").asText() + " " + EngineApi.phase(pod) + " " + EngineApi.state(pod);
    }
}
