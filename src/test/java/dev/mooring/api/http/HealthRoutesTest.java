package dev.mooring.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HealthRoutesTest {
    private final Vertx vertx = Vertx.vertx();
    private final HealthChecks checks = new HealthChecks();
    private HttpServer server;

    @BeforeEach
    void serve() {
        Router router = Router.router(vertx);
        new HealthRoutes(
                        checks, request -> request.response().setStatusCode(404).end())
                .mount(router);
        server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .await();
    }

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void readyz_checkFails_listsChecksWithoutVerbose() throws Exception {
        checks.add(HealthCheck.ready("disk", () -> HealthCheck.HealthResult.failing("it is full")));

        HttpResponse<String> response = get("/readyz");

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).isEqualTo("[+]ping ok\n[-]disk failed: it is full\nreadyz check failed\n");
        assertThat(get("/healthz").statusCode()).isEqualTo(500);
    }

    @Test
    void livez_onlyReadinessCheckFails_returns200() throws Exception {
        checks.add(HealthCheck.ready("disk", () -> HealthCheck.HealthResult.failing("it is full")));

        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertThat(get("/livez/disk").statusCode()).isEqualTo(404);
    }

    @Test
    void livezAndReadyz_livenessCheckFails_return500() throws Exception {
        checks.add(HealthCheck.live("loop", () -> HealthCheck.HealthResult.failing("it is blocked")));

        assertThat(get("/livez").statusCode()).isEqualTo(500);
        assertThat(get("/readyz").statusCode()).isEqualTo(500);
    }

    @Test
    void readyz_singleCheckInPath_returnsOnlyItsResult() throws Exception {
        checks.add(HealthCheck.ready("disk", () -> HealthCheck.HealthResult.failing("it is full")));

        assertThat(get("/readyz/ping").body()).isEqualTo("ok");
        assertThat(get("/readyz/disk").statusCode()).isEqualTo(500);
        assertThat(get("/readyz/disk").body()).isEqualTo("[-]disk failed: it is full\n");
    }

    @Test
    void readyz_degradedCheck_passesWhileHealthzFails() throws Exception {
        checks.add(HealthCheck.ready("binder", () -> HealthCheck.HealthResult.degraded("it keeps dying")));

        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        assertThat(get("/readyz").body()).isEqualTo("ok");
        assertThat(get("/readyz?verbose").body())
                .isEqualTo("[+]ping ok\n[-]binder degraded: it keeps dying\nreadyz check passed\n");
        assertThat(get("/readyz/binder").statusCode()).isEqualTo(500);
        assertThat(get("/livez").body()).isEqualTo("ok");
        assertThat(get("/healthz").statusCode()).isEqualTo(500);
        assertThat(get("/healthz").body()).endsWith("healthz check failed\n");
    }

    @Test
    void readyz_failingCheckExcluded_passes() throws Exception {
        checks.add(HealthCheck.ready("disk", () -> HealthCheck.HealthResult.failing("it is full")));

        assertThat(get("/readyz?exclude=disk").body()).isEqualTo("ok");
        assertThat(get("/readyz?verbose&exclude=disk").body())
                .isEqualTo("[+]ping ok\n[+]disk excluded: ok\nreadyz check passed\n");
    }

    @Test
    void readyz_checkThrows_fails() throws Exception {
        checks.add(HealthCheck.ready("odd", () -> {
            throw new IllegalStateException("oops");
        }));

        assertThat(get("/readyz").statusCode()).isEqualTo(500);
        assertThat(checks.problemOf("odd"))
                .hasValueSatisfying(problem -> assertThat(problem).contains("oops"));
    }

    @Test
    void healthChecks_duplicateName_throws() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checks.add(HealthCheck.live("ping", HealthCheck.HealthResult::ok)));
    }

    private HttpResponse<String> get(String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.actualPort() + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
