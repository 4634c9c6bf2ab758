package dev.mooring.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.cli.Server;
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

/** A server that is being tormented, as a user sees it over HTTPS. Bodies may be written with single quotes. Any thread. */
final class ChaosApi {
    static final String CHAOS = "/apis/mooring.dev/v1/chaos";
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String EVENTS = "/api/v1/namespaces/default/events";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String url;
    private final SSLContext tls;
    private final HttpClient client;
    private final String token;

    /** What came back. */
    record Reply(int code, JsonNode body, String text) {}

    private ChaosApi(String url, SSLContext tls, String token) {
        this.url = url;
        this.tls = tls;
        this.client = HttpClient.newBuilder()
                .sslContext(tls)
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(20))
                .build();
        this.token = token;
    }

    /** As its admin. */
    static ChaosApi of(Server server, Path data) throws IOException, GeneralSecurityException {
        Matcher found = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(server.kubeconfig()));
        if (!found.find()) {
            throw new IllegalStateException("Expected a token in the kubeconfig, but there is none");
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

    /** Somebody else, with a role of his own. */
    ChaosApi as(String name, String spec) throws IOException, GeneralSecurityException {
        String text = "mrg_" + name + "_" + "s".repeat(43);
        String hash = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        Reply made = post(
                "/apis/mooring.dev/v1/tokens",
                "{'kind':'Token','apiVersion':'mooring.dev/v1','metadata':{'name':'" + name + "'},'spec':{'sha256':'"
                        + hash + "'," + spec + "}}");
        if (made.code() != 201) {
            throw new IllegalStateException(made.text());
        }
        return new ChaosApi(url, tls, text);
    }

    Reply get(String path) throws IOException {
        return send("GET", path, "");
    }

    Reply post(String path, String body) throws IOException {
        return send("POST", path, body);
    }

    Reply chaos(String action, String body) throws IOException {
        return post(CHAOS + '/' + action, body);
    }

    /** What the report says of a verticle. */
    JsonNode verticle(String name) throws IOException {
        for (JsonNode each : get(CHAOS).body().path("verticles")) {
            if (each.path("name").asText().equals(name)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    /** Asks until the answer is as it should be; the time limit of the test is the only one. Nobody to answer is no answer. */
    Reply until(String path, Predicate<Reply> holds) {
        while (true) {
            try {
                Reply reply = get(path);
                if (holds.test(reply)) {
                    return reply;
                }
            } catch (IOException e) {
                // The API itself is being started again.
            }
        }
    }

    Reply send(String method, String path, String body) throws IOException {
        try {
            HttpResponse<String> answer = client.send(request(method, path, body), BodyHandlers.ofString());
            JsonNode json = answer.body().startsWith("{") ? JSON.readTree(answer.body()) : MissingNode.getInstance();
            return new Reply(answer.statusCode(), json, answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The lines of a watch, until the server ends it or is gone. */
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
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
    }
}
