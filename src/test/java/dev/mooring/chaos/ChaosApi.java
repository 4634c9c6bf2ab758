package dev.mooring.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.server.Server;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** HTTPS client of one user for a server under fault injection. Bodies may use single quotes. Thread-safe. */
final class ChaosApi {
    static final String CHAOS = "/apis/mooring.dev/v1/chaos";
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String EVENTS = "/api/v1/namespaces/default/events";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String url;
    private final SSLContext tls;
    private final HttpClient client;
    private final String token;

    /** An HTTP response. */
    record ChaosReply(int code, JsonNode body, String text) {}

    private ChaosApi(String url, SSLContext tls, String token) {
        this.url = url;
        this.tls = tls;
        this.client = HttpClient.newBuilder()
                .sslContext(tls)
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(60))
                .build();
        this.token = token;
    }

    /** Returns a client of the admin. */
    static ChaosApi of(Server server, Path data) throws IOException, GeneralSecurityException {
        Matcher found = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(server.kubeconfig()));
        if (!found.find()) {
            throw new IllegalStateException("The kubeconfig has no token");
        }
        return new ChaosApi(server.url(), trusting(data.resolve("pki/ca.crt")), found.group(1));
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
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    /** Creates a token with the given spec and returns a client that uses it. */
    ChaosApi as(String name, String spec) throws IOException, GeneralSecurityException {
        String text = "mrg_" + name + "_" + "s".repeat(43);
        String hash = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        ChaosReply created = post(
                "/apis/mooring.dev/v1/tokens",
                "{'kind':'Token','apiVersion':'mooring.dev/v1','metadata':{'name':'" + name + "'},'spec':{'sha256':'"
                        + hash + "'," + spec + "}}");
        if (created.code() != 201) {
            throw new IllegalStateException(created.text());
        }
        return new ChaosApi(url, tls, text);
    }

    ChaosReply get(String path) throws IOException {
        return send("GET", path, "");
    }

    ChaosReply post(String path, String body) throws IOException {
        return send("POST", path, body);
    }

    ChaosReply chaos(String action, String body) throws IOException {
        return post(CHAOS + '/' + action, body);
    }

    /** Returns the entry of a verticle in the report; missing if there is none. */
    JsonNode verticle(String name) throws IOException {
        for (JsonNode each : get(CHAOS).body().path("verticles")) {
            if (each.path("name").asText().equals(name)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    /**
     * Repeats a GET until the response satisfies the condition. A failed connection counts as an unsatisfied condition.
     * Only the timeout of the test limits it.
     */
    ChaosReply until(String path, Predicate<ChaosReply> holds) {
        while (true) {
            try {
                ChaosReply reply = get(path);
                if (holds.test(reply)) {
                    return reply;
                }
            } catch (IOException e) {
                // The API verticle is being restarted.
            }
        }
    }

    ChaosReply send(String method, String path, String body) throws IOException {
        try {
            HttpResponse<String> reply = client.send(request(method, path, body), BodyHandlers.ofString());
            JsonNode json = reply.body().startsWith("{") ? JSON.readTree(reply.body()) : MissingNode.getInstance();
            return new ChaosReply(reply.statusCode(), json, reply.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the lines of a watch, until the server ends it or the connection is lost. */
    Stream<JsonNode> watch(String path) throws IOException {
        try {
            return client.send(request("GET", path, ""), BodyHandlers.ofLines())
                    .body()
                    .map(ChaosApi::parse);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofMinutes(3))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
    }
}
