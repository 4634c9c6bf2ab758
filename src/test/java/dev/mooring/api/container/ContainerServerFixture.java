package dev.mooring.api.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.api.ApiLimits;
import dev.mooring.api.HealthChecks;
import dev.mooring.api.MemoryLimits;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.auth.AuditLog;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.http.ApiContext;
import dev.mooring.api.http.ApiCore;
import dev.mooring.api.http.ApiMetrics;
import dev.mooring.api.http.ApiVerticle;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.IdGenerator;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.tls.Kubeconfig;
import dev.mooring.api.tls.Pki;
import dev.mooring.api.tls.ServerCertificate;
import dev.mooring.api.tls.TokenFile;
import dev.mooring.api.types.Schemas;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * A real HTTPS server with a {@link ContainerAccess} of the test. Tests write Pods and their statuses directly. It runs
 * next to an ordinary server, on the same event log.
 */
final class ContainerServerFixture implements AutoCloseable {
    static final String NODE = "testhost";
    static final String PODS = "/api/v1/namespaces/default/pods";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String HOST = "127.0.0.1";

    /** Maximum number of concurrent log, exec and attach streams. */
    static final int STREAMS = 64;

    private final Server server;
    private final Vertx vertx;
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ApiContext.BoundPort port = new ApiContext.BoundPort(0);
    private final Path kubeconfig;
    private final String token;
    private final HttpClientAgent http1;
    private final HttpClientAgent http2;
    private final WebSocketClient sockets;
    private final Path auditFile;
    private final AuditLog audit;

    /** A response of the server. */
    record Reply(int code, MultiMap headers, String text) {
        JsonNode json() {
            try {
                return JSON.readTree(text);
            } catch (IOException e) {
                throw new UncheckedIOException(text, e);
            }
        }

        String message() {
            return json().path("message").asText();
        }
    }

    ContainerServerFixture(Path data, ContainerAccess access, Duration tick) throws IOException {
        this.server = ServerFixture.start(data, Map.of("without", "control,node,pods"));
        this.vertx = Server.newVertx();
        Clock clock = Clock.systemUTC();
        SecureRandom random = new SecureRandom();
        ServerCertificate certificate =
                new Pki(data.resolve("pki"), clock, random).certificateFor(List.of("localhost", HOST, "::1", NODE));
        IdGenerator ids = new IdGenerator() {
            @Override
            public String uid() {
                return UUID.randomUUID().toString();
            }

            @Override
            public String nameSuffix() {
                return "abcde";
            }
        };
        this.auditFile = data.resolve("containers-audit.log");
        this.audit = new AuditLog(AuditLog.AuditLevel.METADATA, auditFile, 1 << 20, 2, System::nanoTime, meters);
        ApiCore core = ApiCore.of(
                        server.stateStore(),
                        new KindTable(Schemas.ofThisProgram(), clock),
                        TokenFile.load(data.resolve("pki/tokens.json")),
                        limits(tick),
                        new RateLimit.RateLimitSettings(1000, 1000, 10),
                        new ApiCore.ApiDependencies(
                                clock,
                                System::nanoTime,
                                random,
                                ids,
                                meters,
                                PodPolicy.DENY_ALL,
                                Optional.of(audit),
                                MemoryLimits.DEFAULT),
                        VersionInfo.ofThisBuild())
                .with(new ApiCore.ApiServices(
                        access, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));
        ApiContext context = new ApiContext(
                HOST,
                port,
                Optional.empty(),
                certificate,
                core,
                new HealthChecks(),
                new ApiMetrics(meters),
                VersionInfo.ofThisBuild());
        vertx.deployVerticle(new ApiVerticle(context)).await();
        this.token = new Kubeconfig(server.kubeconfig()).token().orElseThrow();
        this.kubeconfig = data.resolve("containers.kubeconfig");
        new Kubeconfig(kubeconfig).ensure("https://" + HOST + ":" + port.number(), certificate.authorityPem(), token);
        HttpClientOptions secured = new HttpClientOptions()
                .setSsl(true)
                .setTrustAll(true)
                .setVerifyHost(false)
                .setDefaultHost(HOST)
                .setDefaultPort(port.number());
        this.http1 = vertx.createHttpClient(secured);
        this.http2 = vertx.createHttpClient(
                new HttpClientOptions(secured).setUseAlpn(true).setProtocolVersion(HttpVersion.HTTP_2));
        this.sockets = vertx.createWebSocketClient(new WebSocketClientOptions()
                .setSsl(true)
                .setTrustAll(true)
                .setVerifyHost(false)
                .setMaxConnections(100)
                .setMaxFrameSize(1024 * 1024)
                .setDefaultHost(HOST)
                .setDefaultPort(port.number()));
    }

    private static ApiLimits limits(Duration tick) {
        // No test waits for these; a slow machine must not reach them, nor must a pause between two requests.
        Duration timeout = Duration.ofMinutes(10);
        return new ApiLimits(10, STREAMS, 1000, 50, timeout, timeout, timeout, tick);
    }

    Path kubeconfig() {
        return kubeconfig;
    }

    /** Returns the audit log. */
    Path auditFile() {
        return auditFile;
    }

    int connections() {
        return (int) meters.get("mooring.http.connections").gauge().value();
    }

    /**
     * Creates a Pod and returns its UID.
     *
     * @param spec JSON with single quotes
     * @param status JSON with single quotes; empty for none
     */
    String pod(String name, String spec, String status) {
        String manifest = "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" + name + "'},'spec':" + spec + "}";
        Reply created = send(HttpMethod.POST, PODS, manifest, "Content-Type", "application/json");
        if (created.code() != 201) {
            throw new IllegalStateException(created.text());
        }
        if (!status.isEmpty()) {
            status(name, status);
        }
        return created.json().path("metadata").path("uid").asText();
    }

    void status(String name, String status) {
        Reply patched = send(
                HttpMethod.PATCH,
                PODS + "/" + name + "/status",
                "{'status':" + status + "}",
                "Content-Type",
                "application/merge-patch+json");
        if (patched.code() != 200) {
            throw new IllegalStateException(patched.text());
        }
    }

    /** Creates a Pod whose containers all run; the ID of each is docker://id-NAME. */
    void runningPod(String name, String... containers) {
        pod(name, spec(containers), running(containers));
    }

    static String spec(String... containers) {
        StringBuilder spec = new StringBuilder();
        for (String each : containers) {
            spec.append(spec.length() == 0 ? "" : ",").append("{'name':'" + each + "','image':'busybox'}");
        }
        return "{'nodeName':'" + NODE + "','containers':[" + spec + "]}";
    }

    static String running(String... containers) {
        StringBuilder all = new StringBuilder();
        for (String each : containers) {
            all.append(all.length() == 0 ? "" : ",")
                    .append(containerStatus(each, "'running':{'startedAt':'2026-01-01T00:00:00Z'}", ""));
        }
        return "{'phase':'Running','containerStatuses':[" + all + "]}";
    }

    static String containerStatus(String name, String state, String lastState) {
        return "{'name':'" + name
                + "','ready':true,'restartCount':0,'image':'busybox','imageID':'','containerID':'docker://id-" + name
                + "','state':{" + state + "},'lastState':{" + lastState + "}}";
    }

    Reply get(String path) {
        return send(HttpMethod.GET, path, "");
    }

    Reply send(HttpMethod method, String path, String body, String... headers) {
        return request(
                http1,
                method,
                path,
                body,
                response -> response.body()
                        .map(text -> new Reply(response.statusCode(), response.headers(), text.toString())),
                headers);
    }

    /** Returns the paused response as soon as it begins; the caller reads its body. */
    HttpClientResponse startRequest(HttpVersion version, String path) {
        return request(
                version == HttpVersion.HTTP_2 ? http2 : http1,
                HttpMethod.GET,
                path,
                "",
                response -> Future.succeededFuture(response.pause()));
    }

    /** @param read called as soon as the response begins, because a short response may end before a later call */
    private <T> T request(
            HttpClientAgent client,
            HttpMethod method,
            String path,
            String body,
            Function<HttpClientResponse, Future<T>> read,
            String... headers) {
        RequestOptions options = new RequestOptions().setMethod(method).setURI(path);
        options.putHeader("Authorization", "Bearer " + token);
        for (int i = 0; i < headers.length; i += 2) {
            options.putHeader(headers[i], headers[i + 1]);
        }
        return client.request(options)
                .compose(request -> {
                    Future<T> result = request.response().compose(read);
                    return request.end(Buffer.buffer(body.replace('\'', '"'))).compose(v -> result);
                })
                .await();
    }

    /** Returns an unconnected socket; register its handlers before {@link #connect}, so that no message is lost. */
    ClientWebSocket socket() {
        return sockets.webSocket();
    }

    /** Connects; throws an UpgradeRejectedException if the server refuses. */
    void connect(ClientWebSocket socket, String path, String... protocols) {
        WebSocketConnectOptions options = new WebSocketConnectOptions().setURI(path);
        options.putHeader("Authorization", "Bearer " + token);
        options.setSubProtocols(List.of(protocols));
        socket.connect(options).await();
    }

    @Override
    public void close() {
        vertx.close().await();
        audit.close();
        server.close();
    }
}
