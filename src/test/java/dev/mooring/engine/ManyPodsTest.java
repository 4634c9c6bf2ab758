package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.ACTUAL;
import static dev.mooring.engine.MooringClient.CLAIMS;
import static dev.mooring.engine.MooringClient.DESIRED;
import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringClient.VOLUMES;
import static dev.mooring.engine.MooringServerFixture.container;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a hundred Pods at the same time. */
class ManyPodsTest {
    private static final int PODS_AT_ONCE = 100;

    /** A container takes half a second on a busy machine, and each Pod has two. */
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    @Test
    @Timeout(900)
    void pods_manyWithTwoVolumesEach_startAndAreDeletedWithoutLeftovers() throws Exception {
        Path data = directory.resolve("data");
        try (MooringServerFixture server = MooringServerFixture.start(data)) {
            MooringClient api = server.api();
            for (int i = 0; i < PODS_AT_ONCE; i++) {
                createPodAndClaim(server, i);
            }
            Eventually.await("all Pods to run", TIMEOUT, () -> notRunning(api), List::isEmpty);
            assertThat(server.leftovers().duplicateContainers()).isEmpty();
            assertThat(server.leftovers().containers()).hasSize(2 * PODS_AT_ONCE);

            for (int i = 0; i < PODS_AT_ONCE; i++) {
                assertThat(api.delete(PODS + "/p" + i).code()).isEqualTo(200);
                assertThat(api.delete(CLAIMS + "/c" + i).code()).isEqualTo(200);
            }
            for (String each : List.of(PODS, CLAIMS, VOLUMES, DESIRED, ACTUAL)) {
                Eventually.await(
                        "nothing in " + each, TIMEOUT, () -> api.list(each).size(), left -> left == 0);
            }
            server.assertNoLeftovers();
            assertThat(data.resolve("volumes")).isDirectory();
            assertThat(server.leftovers().host().names("volumes"))
                    .noneMatch(each -> Path.of(each).getFileName().toString().startsWith("pvc-"));
        }
    }

    private static void createPodAndClaim(MooringServerFixture server, int i) {
        server.api()
                .create(
                        CLAIMS,
                        "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'c" + i
                                + "'},'spec':{'storageClassName':'hostPath','accessModes':['ReadWriteOnce'],'resources':{'requests':"
                                + "{'storage':'1Gi'}}}}");
        String container = container(
                "echo p" + i + " > /v/mark; cp /v/mark /m; exec sleep 3600",
                "'volumeMounts':[{'name':'v','mountPath':'/v'},{'name':'m','mountPath':'/m'}]");
        server.createPod("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p" + i
                + "'},'spec':{'terminationGracePeriodSeconds':0,'containers':[" + container
                + "],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c" + i
                + "'}},{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'1Mi'}}]}}");
    }

    private static List<String> notRunning(MooringClient api) {
        return api.list(PODS).stream()
                .filter(each -> !MooringClient.phase(each).equals("Running"))
                .map(ManyPodsTest::summary)
                .toList();
    }

    private static String summary(JsonNode pod) {
        return pod.at("/metadata/name").asText() + " " + MooringClient.phase(pod) + " " + MooringClient.state(pod);
    }
}
