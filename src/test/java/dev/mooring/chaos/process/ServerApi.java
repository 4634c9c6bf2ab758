package dev.mooring.chaos.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Admin client of one server process, without TLS unless {@link #secured()}. Thread-safe. */
final class ServerApi {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String MAPS = "/api/v1/namespaces/default/configmaps";
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final int incarnation;
    private final String url;
    private final String plainUrl;
    private final String token;
    private final Path authority;
    private final HttpClient client;

    /** An HTTP response. {@code body} is missing if it is not JSON. */
    record ApiReply(int code, JsonNode body, String text) {
        long revision() {
            return body.at("/metadata/resourceVersion").asLong();
        }

        String uid() {
            return body.at("/metadata/uid").asText();
        }

        String message() {
            return body.path("message").asText();
        }

        String reason() {
            return body.path("reason").asText();
        }
    }

    ServerApi(int incarnation, String url, String plainUrl, String token, Path authority) {
        this(incarnation, url, plainUrl, token, authority, client(HttpClient::newBuilder));
    }

    private ServerApi(int incarnation, String url, String plainUrl, String token, Path authority, HttpClient client) {
        this.incarnation = incarnation;
        this.url = url;
        this.plainUrl = plainUrl;
        this.token = token;
        this.authority = authority;
        this.client = client;
    }

    private static HttpClient client(Supplier<HttpClient.Builder> builder) {
        return builder.get()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(60))
                .build();
    }

    /** Returns a client of the same server for another user. */
    ServerApi as(String otherToken) {
        return new ServerApi(incarnation, url, plainUrl, otherToken, authority, client);
    }

    /** Returns a client of the same server with connections of its own. */
    ServerApi reconnected() {
        return new ServerApi(incarnation, url, plainUrl, token, authority);
    }

    /** Returns a client of the same server over TLS. */
    ServerApi secured() {
        SSLContext tls = tls();
        return new ServerApi(
                incarnation,
                url,
                url,
                token,
                authority,
                client(() -> HttpClient.newBuilder().sslContext(tls)));
    }

    /** Returns a TLS context that trusts only the CA of the server. */
    SSLContext tls() {
        try (InputStream certificate = Files.newInputStream(authority)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, managers.getTrustManagers(), null);
            return tls;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the number of the server process. */
    int incarnation() {
        return incarnation;
    }

    int port() {
        return URI.create(url).getPort();
    }

    int plainPort() {
        return URI.create(plainUrl).getPort();
    }

    String token() {
        return token;
    }

    ApiReply get(String path) throws IOException {
        return send("GET", path, "", "");
    }

    ApiReply post(String path, String body) throws IOException {
        return send("POST", path, body, "application/json");
    }

    ApiReply put(String path, String body) throws IOException {
        return send("PUT", path, body, "application/json");
    }

    ApiReply merge(String path, String patch) throws IOException {
        return send("PATCH", path, patch, "application/merge-patch+json");
    }

    ApiReply delete(String path, String options) throws IOException {
        return send("DELETE", path, options, options.isEmpty() ? "" : "application/json");
    }

    ApiReply send(String method, String path, String body, String type) throws IOException {
        try {
            HttpResponse<String> answer =
                    client.send(request(method, path, body, type), HttpResponse.BodyHandlers.ofString());
            return new ApiReply(answer.statusCode(), parse(answer.body()), answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Opens a streamed response, such as a watch. */
    HttpResponse<InputStream> open(String path) throws IOException {
        try {
            return client.send(request("GET", path, "", ""), HttpResponse.BodyHandlers.ofInputStream());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the value of a metric without labels. */
    double metric(String name) throws IOException {
        return get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Metric " + name + " not found"));
    }

    private HttpRequest request(String method, String path, String body, String type) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(plainUrl + path))
                .timeout(TIMEOUT)
                .header("Authorization", "Bearer " + token)
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        return request.build();
    }

    static JsonNode parse(String text) {
        try {
            return text.startsWith("{") ? JSON.readTree(text) : MissingNode.getInstance();
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    static String configMap(String name, String value) {
        return "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + name
                + "\"},\"data\":{\"v\":\"" + value + "\"}}";
    }

    static String claim(String name, String value) {
        return "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + name
                + "\",\"labels\":{\"v\":\"" + value + "\"}},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                + "\"resources\":{\"requests\":{\"storage\":\"1Mi\"}}}}";
    }
}
