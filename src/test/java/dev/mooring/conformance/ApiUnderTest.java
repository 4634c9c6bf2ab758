package dev.mooring.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.HostInspector;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * HTTPS client of a running server with the token of one user. Bodies may be written with single quotes. The instance
 * returned by {@code start} owns the server and must be closed; instances for other users share the server.
 */
final class ApiUnderTest implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String CORE = "/api/v1";
    static final String DEFAULT = "/api/v1/namespaces/default";

    private final Path data;
    private final Server server;
    private final SSLContext tls;
    private final HttpClient client;
    private final String token;

    /** Response of the server. {@code body} is a missing node if the response is not JSON. */
    record Reply(int code, JsonNode body, HttpHeaders headers, String text) {
        String name() {
            return body.path("metadata").path("name").asText();
        }

        long revision() {
            return body.path("metadata").path("resourceVersion").asLong();
        }

        String message() {
            return body.path("message").asText();
        }

        String reason() {
            return body.path("reason").asText();
        }

        String header(String name) {
            return headers.firstValue(name).orElse("");
        }
    }

    private ApiUnderTest(Path data, Server server, SSLContext tls, HttpClient client, String token) {
        this.data = data;
        this.server = server;
        this.tls = tls;
        this.client = client;
        this.token = token;
    }

    static ApiUnderTest start(Path data) {
        return start(data, Map.of());
    }

    static ApiUnderTest start(Path data, Map<String, String> flags) {
        return start(data, flags, Clock.systemUTC());
    }

    /** @param clock clock of the server */
    static ApiUnderTest start(Path data, Map<String, String> flags, Clock clock) {
        Server server = ServerFixture.start(data, flags, clock);
        try {
            SSLContext tls = trusting(data.resolve("pki/ca.crt"));
            return new ApiUnderTest(data, server, tls, client(tls, HttpClient.Version.HTTP_2), adminToken(server));
        } catch (IOException | GeneralSecurityException e) {
            server.close();
            throw new IllegalStateException(e);
        }
    }

    private static HttpClient client(SSLContext tls, HttpClient.Version version) {
        return HttpClient.newBuilder()
                .sslContext(tls)
                .version(version)
                .connectTimeout(Duration.ofSeconds(60))
                .build();
    }

    private static SSLContext trusting(Path authority) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream certificate = Files.newInputStream(authority)) {
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, managers.getTrustManagers(), null);
        return tls;
    }

    private static String adminToken(Server server) throws IOException {
        Matcher found = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(server.kubeconfig()));
        if (!found.find()) {
            throw new IllegalStateException("No token in the kubeconfig");
        }
        return found.group(1);
    }

    Server server() {
        return server;
    }

    SSLContext tls() {
        return tls;
    }

    int port() {
        return URI.create(server.url()).getPort();
    }

    String token() {
        return token;
    }

    /** Returns a client of the same server with another token; "" sends no token. */
    ApiUnderTest withToken(String other) {
        return new ApiUnderTest(data, server, tls, client, other);
    }

    /** Returns a client of the same server and user that opens its own connections. */
    ApiUnderTest withVersion(HttpClient.Version version) {
        return new ApiUnderTest(data, server, tls, client(tls, version), token);
    }

    /** Creates a Token with a spec such as {@code "role": "view"} and returns its clear text. */
    String createToken(String name, String spec) {
        String text = "mrg_" + name + "_" + "s".repeat(43);
        try {
            String hash = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
            Reply created = post(
                    "/apis/mooring.dev/v1/tokens",
                    "{'kind':'Token','apiVersion':'mooring.dev/v1','metadata':{'name':'" + name
                            + "'},'spec':{'sha256':'" + hash + "'," + spec + "}}");
            if (created.code() != 201) {
                throw new IllegalStateException(created.text());
            }
            return text;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    Reply get(String path, String... headers) {
        return send("GET", path, "", headers);
    }

    Reply post(String path, String body) {
        return send("POST", path, body, "Content-Type", "application/json");
    }

    Reply put(String path, String body) {
        return send("PUT", path, body, "Content-Type", "application/json");
    }

    Reply mergePatch(String path, String patch) {
        return send("PATCH", path, patch, "Content-Type", "application/merge-patch+json");
    }

    Reply delete(String path) {
        return send("DELETE", path, "");
    }

    long revision() {
        return server.stateStore().ledger().world().revision();
    }

    /** @param headers names and values in turn */
    Reply send(String method, String path, String body, String... headers) {
        try {
            HttpResponse<String> answer =
                    client.send(request(method, path, body, headers), HttpResponse.BodyHandlers.ofString());
            return new Reply(answer.statusCode(), parse(answer.body()), answer.headers(), answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .timeout(Duration.ofSeconds(90))
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }

    private static JsonNode parse(String text) {
        try {
            return text.startsWith("{") ? JSON.readTree(text) : MissingNode.getInstance();
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    HttpClient client() {
        return client;
    }

    /** Starts a watch; the path may have a query, without {@code watch}. */
    TestWatch watch(String path, String... headers) {
        String separator = path.indexOf('?') < 0 ? "?" : "&";
        try {
            HttpResponse<InputStream> answer = client.send(
                    request("GET", path + separator + "watch=true", "", headers),
                    HttpResponse.BodyHandlers.ofInputStream());
            return new TestWatch(answer);
        } catch (IOException e) {
            throw new UncheckedIOException(path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** An open watch. Reading blocks until an event arrives; only the timeout of the test limits it. */
    static final class TestWatch implements AutoCloseable {
        private final HttpResponse<InputStream> answer;
        private final BufferedReader lines;

        private TestWatch(HttpResponse<InputStream> answer) {
            this.answer = answer;
            this.lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
        }

        int code() {
            return answer.statusCode();
        }

        String header(String name) {
            return answer.headers().firstValue(name).orElse("");
        }

        /** Reads the next event; a missing node once the server has ended the watch. */
        JsonNode next() {
            try {
                String line = lines.readLine();
                return line == null ? MissingNode.getInstance() : JSON.readTree(line);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Reads the next event as {@code TYPE name@revision}; "" at the end. */
        String nextSummary() {
            JsonNode event = next();
            JsonNode metadata = event.path("object").path("metadata");
            return event.isMissingNode()
                    ? ""
                    : event.path("type").asText() + " " + metadata.path("name").asText() + "@"
                            + metadata.path("resourceVersion").asText();
        }

        /** Reads the next event as {@code TYPE name}; "" at the end. */
        String nextName() {
            String event = nextSummary();
            int at = event.indexOf('@');
            return at < 0 ? event : event.substring(0, at);
        }

        @Override
        public void close() {
            try {
                answer.body().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static String configMap(String name) {
        return configMap(name, "a", "1");
    }

    static String configMap(String name, String key, String value) {
        return "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'" + name + "'},'data':{'" + key + "':'"
                + value + "'}}";
    }

    static String labelled(String name, String labels) {
        return "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'" + name + "','labels':" + labels + "}}";
    }

    static String namespace(String name) {
        return "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'" + name + "'}}";
    }

    @Override
    public void close() {
        server.close();
        // Remaining Pods keep their volumes mounted: without an unmount, deleting the directory would delete the
        // volumes' data.
        new HostInspector(data).cleanUp();
    }
}
