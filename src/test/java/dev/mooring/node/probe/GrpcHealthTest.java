package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.node.monitor.NodeControllersFixture;
import dev.mooring.node.volumemanager.WorkContext;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.net.Socket;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests gRPC health probes with a real HTTP/2 server that responds as gRPC servers do. */
class GrpcHealthTest {
    private final Vertx vertx = Vertx.vertx();
    private final ExecutorService threads = WorkContext.newThreads();
    private final ContainerProber prober = new ContainerProber(
            new FakeExecRuntime(),
            new WorkContext(new NodeControllersFixture(""), Clock.systemUTC(), Schedulers.computation(), threads));

    @AfterEach
    void close() throws Exception {
        prober.close();
        threads.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().get(90, TimeUnit.SECONDS);
    }

    /** Starts a health service: "down" is not serving, "hanging" gets no response, "unknown" is not known. */
    private int serve() throws Exception {
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> respond(request, body)));
        return server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(90, TimeUnit.SECONDS)
                .actualPort();
    }

    private static void respond(HttpServerRequest request, Buffer body) {
        String service = body.length() > 7 ? body.getString(7, body.length()) : "";
        boolean valid = request.path().equals("/grpc.health.v1.Health/Check")
                && "application/grpc".equals(request.getHeader("content-type"))
                && body.getInt(1) == body.length() - 5;
        var response = request.response().putHeader("content-type", "application/grpc");
        if (service.equals("hanging")) {
            return;
        }
        if (!valid || service.equals("unknown")) {
            response.putHeader("grpc-status", "5").end();
            return;
        }
        int status = service.equals("down") ? 2 : 1;
        response.write(Buffer.buffer(new byte[] {0, 0, 0, 0, 2, 8, (byte) status}));
        response.putTrailer("grpc-status", "0").end();
    }

    private Prober.ProbeResult probe(String grpc) throws Exception {
        ObjectNode spec = WorldFixture.objects("{name: c, livenessProbe: {timeoutSeconds: "
                        + (grpc.contains("hanging") ? 5 : 60) + ", grpc: " + grpc + "}}")
                .get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        return prober.probe(new Prober.Target(spec, "id", "127.0.0.1"), probe)
                .toCompletableFuture()
                .get(90, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''      | SUCCESS | ''",
                "serving | SUCCESS | ''",
                "down    | FAILURE | service unhealthy (responded with \"NOT_SERVING\")",
                "hanging | FAILURE | timeout: health rpc did not complete within 5s",
                "unknown | FAILURE | error: health rpc probe failed: the server ended the call without a health"
                        + " status; it may not implement grpc.health.v1.Health, or not know the service \"unknown\"",
            })
    void grpcProbe_hasStatusOfHealthService(String service, Prober.ProbeResult.Kind kind, String text)
            throws Exception {
        assertThat(probe("{port: " + serve() + ", service: '" + service + "'}"))
                .isEqualTo(new Prober.ProbeResult(kind, text));
    }

    @Test
    void grpcProbe_longServiceName_succeeds() throws Exception {
        int port = serve();

        assertThat(probe("{port: " + port + ", service: " + "x".repeat(100) + "}"))
                .isEqualTo(Prober.ProbeResult.success());
    }

    @Test
    void grpcProbe_otherServerOrNone_fails() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(FakeProbeServer.FIRST + "SSH-2.0-OpenSSH\r\n")) {
            assertThat(probe("{port: " + server.port() + "}").kind()).isEqualTo(Prober.ProbeResult.Kind.FAILURE);
        }
        try (Socket refusing = FakeProbeServer.refusing()) {
            int port = refusing.getLocalPort();
            assertThat(probe("{port: " + port + "}"))
                    .isEqualTo(Prober.ProbeResult.failure("error: failed to connect service at \"127.0.0.1:" + port
                            + "\": dial tcp 127.0.0.1:" + port + ": connect: connection refused"));
        }
    }
}
