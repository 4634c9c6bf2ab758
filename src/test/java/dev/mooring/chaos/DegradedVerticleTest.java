package dev.mooring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.ChaosApi.ChaosReply;
import dev.mooring.server.ChildSpec;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a verticle that fails repeatedly: it is reported and restarted with growing delays, and the API works. */
@Timeout(300)
class DegradedVerticleTest {
    private static final int DEATHS = 5;

    @TempDir
    private Path data;

    @Test
    void optionalVerticle_failsRepeatedly_isReportedAsDegradedAndApiStaysReady() throws Exception {
        Server server = ServerFixture.start(data);
        try {
            ChaosApi api = ChaosApi.of(server, data);
            List<Long> starts = new CopyOnWriteArrayList<>();
            server.supervisor().supervise(ChildSpec.optional("failing", supervision -> new VerticleBase() {
                @Override
                public Future<?> start() {
                    starts.add(System.nanoTime());
                    return Future.failedFuture(new IllegalStateException("refused"));
                }
            }));

            // A busy machine may miss a certain number of deaths between two requests.
            Pattern degraded = Pattern.compile("\\[-]verticle-failing degraded: refused; died ([" + DEATHS
                    + "-9]|[1-9][0-9]+) times in a row; next try at ");
            ChaosReply ready = api.until(
                    "/readyz?verbose", reply -> degraded.matcher(reply.text()).find());
            assertThat(ready.code()).isEqualTo(200);
            assertThat(ready.text()).endsWith("readyz check passed\n");
            assertThat(api.get("/livez").text()).isEqualTo("ok");
            assertThat(api.get("/readyz").text()).isEqualTo("ok");
            assertThat(api.get("/healthz").code()).isEqualTo(500);
            assertThat(api.get("/readyz/verticle-failing").code()).isEqualTo(500);
            assertThat(api.get("/metrics").text())
                    .contains("mooring_verticle_up{verticle=\"failing\"} 0.0")
                    .containsPattern(
                            "mooring_verticle_deaths_in_a_row\\{verticle=\"failing\"} ([5-9]|[1-9][0-9]+)\\.0");
            // Events are recorded asynchronously.
            api.until(
                    ChaosApi.EVENTS,
                    reply -> reply.text().contains("\"reason\":\"VerticleDied\"")
                            && reply.text().contains("verticle failing died and is being restarted: refused")
                            && reply.text().contains("\"reason\":\"VerticleDegraded\""));

            // The delay starts at 100 ms and doubles each time, with a jitter of 20 %.
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
