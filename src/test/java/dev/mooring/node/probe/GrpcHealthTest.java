package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.node.usage.LookoutBench;
import dev.mooring.node.work.WorkParts;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gRPC health protocol, with a real HTTP/2 server that answers as gRPC servers do. */
class GrpcHealthTest {
    private final Vertx vertx = Vertx.vertx();
    private final ExecutorService threads = WorkParts.newThreads();
    private final Checks checks = new Checks(
            new FakeExec(), new WorkParts(new LookoutBench(""), Clock.systemUTC(), Schedulers.computation(), threads));

    @AfterEach
    void close() throws Exception {
        checks.close();
        threads.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().get(90, TimeUnit.SECONDS);
    }

    /** A health service: "serving" is, "down" is not, "hanging" does not answer, and others are not known. */
    private int serve() throws Exception {
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)));
        return server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(90, TimeUnit.SECONDS)
                .actualPort();
    }

    private static void answer(HttpServerRequest request, Buffer body) {
        String service = body.length() > 7 ? body.getString(7, body.length()) : "";
        boolean asked = request.path().equals("/grpc.health.v1.Health/Check")
                && "application/grpc".equals(request.getHeader("content-type"))
                && body.getInt(1) == body.length() - 5;
        var response = request.response().putHeader("content-type", "application/grpc");
        if (service.equals("hanging")) {
            return;
        }
        if (!asked || service.equals("unknown")) {
            response.putHeader("grpc-status", "5").end();
            return;
        }
        int status = service.equals("down") ? 2 : 1;
        response.write(Buffer.buffer(new byte[] {0, 0, 0, 0, 2, 8, (byte) status}));
        response.putTrailer("grpc-status", "0").end();
    }

    private Answer ask(String grpc) throws Exception {
        ObjectNode spec = Worlds.objects("{name: c, livenessProbe: {timeoutSeconds: "
                        + (grpc.contains("hanging") ? 5 : 60) + ", grpc: " + grpc + "}}")
                .get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        return checks.check(new Checker.Target(spec, "id", "127.0.0.1"), probe)
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
    void believesWhatTheServiceSaysOfItself(String service, Answer.Kind kind, String text) throws Exception {
        assertThat(ask("{port: " + serve() + ", service: '" + service + "'}")).isEqualTo(new Answer(kind, text));
    }

    @Test
    void aServiceWithALongNameIsAskedToo() throws Exception {
        int port = serve();

        assertThat(ask("{port: " + port + ", service: " + "x".repeat(100) + "}"))
                .isEqualTo(Answer.success());
    }

    @Test
    void saysWhenNobodyOrSomebodyElseIsThere() throws Exception {
        int port;
        try (CannedServer server = new CannedServer(CannedServer.FIRST + "SSH-2.0-OpenSSH\r\n")) {
            port = server.port();
            assertThat(ask("{port: " + port + "}").kind()).isEqualTo(Answer.Kind.FAILURE);
        }
        assertThat(ask("{port: " + port + "}"))
                .isEqualTo(Answer.failure("error: failed to connect service at \"127.0.0.1:" + port
                        + "\": dial tcp 127.0.0.1:" + port + ": connect: connection refused"));
    }
}
