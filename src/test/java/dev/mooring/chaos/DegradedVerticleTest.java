package dev.mooring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.ChaosApi.Reply;
import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import dev.mooring.cli.supervise.ChildSpec;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A verticle that dies again and again: everybody can see it, it is tried ever more seldom, and the API does not mind. */
@Timeout(120)
class DegradedVerticleTest {
    private static final int DEATHS = 5;

    @TempDir
    private Path data;

    @Test
    void degradesItsPartVisiblyAndNeverTheApi() throws Exception {
        Server server = TestServers.start(data);
        try {
            ChaosApi api = ChaosApi.of(server, data);
            List<Long> starts = new CopyOnWriteArrayList<>();
            server.supervisor().supervise(ChildSpec.part("doomed", supervision -> new VerticleBase() {
                @Override
                public Future<?> start() {
                    starts.add(System.nanoTime());
                    return Future.failedFuture(new IllegalStateException("no luck"));
                }
            }));

            Reply ready =
                    api.until("/readyz?verbose", reply -> reply.text().contains("died " + DEATHS + " times in a row"));
            assertThat(ready.code()).isEqualTo(200);
            assertThat(ready.text())
                    .contains("[-]verticle-doomed degraded: no luck; died " + DEATHS + " times in a row; next try at ")
                    .endsWith("readyz check passed\n");
            assertThat(api.get("/livez").text()).isEqualTo("ok");
            assertThat(api.get("/readyz").text()).isEqualTo("ok");
            assertThat(api.get("/healthz").code()).isEqualTo(500);
            assertThat(api.get("/readyz/verticle-doomed").code()).isEqualTo(500);
            assertThat(api.get("/metrics").text())
                    .contains("mooring_verticle_up{verticle=\"doomed\"} 0.0")
                    .containsPattern("mooring_verticle_deaths_in_a_row\\{verticle=\"doomed\"} [5-9]\\.0");
            String events = api.get(ChaosApi.EVENTS).text();
            assertThat(events)
                    .contains("\"reason\":\"VerticleDied\"")
                    .contains("verticle doomed died and is started again: no luck")
                    .contains("\"reason\":\"VerticleDegraded\"");

            // 100 ms, doubled each time, give or take a fifth.
            for (int i = 1; i < DEATHS; i++) {
                long waited = (starts.get(i) - starts.get(i - 1)) / 1_000_000;
                assertThat(waited).as("before start " + (i + 1)).isGreaterThanOrEqualTo((80L << (i - 1)) - 5);
            }
            assertThat(api.post(ChaosApi.CLAIMS, """
                {'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'c'},'spec':{'storageClassName':'','accessModes':['ReadWriteOnce'],
                 'resources':{'requests':{'storage':'1Gi'}}}}\
                """).code()).isEqualTo(201);
        } finally {
            assertThat(server.close()).isTrue();
        }
    }
}
