package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * HTTPS client of a server, in this process or another, that creates Pods and watches their volumes. Bodies may be
 * written with single quotes. Thread-safe.
 */
final class NodeApiClient {
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
    static final String SECRETS = "/api/v1/namespaces/default/secrets";
    static final String EVENTS = "/api/v1/namespaces/default/events";
    static final String VOLUMES = "/api/v1/persistentvolumes";
    static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    static final String ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments";
    static final String OPERATIONS = "/apis/mooring.dev/v1/volumeoperations";
    static final String DESIRED = "/apis/mooring.dev/v1/desiredvolumes";
    static final String ACTUAL = "/apis/mooring.dev/v1/actualvolumes";

    static final ObjectMapper JSON = new ObjectMapper();

    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");

    private final HttpClient client;
    private final String url;
    private final String token;

    private NodeApiClient(HttpClient client, String url, String token) {
        this.client = client;
        this.url = url;
        this.token = token;
    }

    /** @param data data directory of the server, with its kubeconfig and CA certificate */
    static NodeApiClient at(String url, Path data) {
        try {
            Matcher found = TOKEN.matcher(Files.readString(data.resolve("kubeconfig")));
            assertThat(found.find()).as("kubeconfig has a token").isTrue();
            HttpClient client = HttpClient.newBuilder()
                    .sslContext(trusting(data.resolve("pki/ca.crt")))
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(60))
                    .build();
            return new NodeApiClient(client, url, found.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
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

    private HttpRequest request(String method, String path, String body, String type) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", type)
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
    }

    HttpResponse<String> send(String method, String path, String body) throws IOException {
        String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
        try {
            return client.send(request(method, path, body, type), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private JsonNode sendOk(String method, String path, String body) {
        try {
            HttpResponse<String> answer = send(method, path, body);
            assertThat(answer.statusCode())
                    .as("%s %s %s: %s", method, path, body, answer.body())
                    .isBetween(200, 202);
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        }
    }

    JsonNode get(String path) {
        return sendOk("GET", path, "");
    }

    JsonNode create(String path, String body) {
        return sendOk("POST", path, body);
    }

    void merge(String path, String patch) {
        sendOk("PATCH", path, patch);
    }

    void delete(String path) {
        sendOk("DELETE", path, "");
    }

    /** Lists and watches the objects below a path; a query selects some of them. */
    NodeWatch watch(String path) {
        JsonNode list = get(path);
        String revision = list.at("/metadata/resourceVersion").asText();
        String query = (path.indexOf('?') < 0 ? "?" : "&") + "watch=true&resourceVersion=" + revision;
        try {
            HttpResponse<InputStream> answer =
                    client.send(request("GET", path + query, "", "application/json"), BodyHandlers.ofInputStream());
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            return new NodeWatch(path, list.path("items"), answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException(path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the object satisfies the predicate, and returns it. */
    JsonNode until(String path, String name, Predicate<JsonNode> holds) {
        try (NodeWatch watch = watch(path + "?fieldSelector=metadata.name=" + name)) {
            watch.await(
                    name + " to satisfy the condition",
                    seen -> seen.get(name).filter(holds).isPresent());
            return watch.get(name).orElseThrow();
        }
    }

    void untilGone(String path, String name) {
        try (NodeWatch watch = watch(path + "?fieldSelector=metadata.name=" + name)) {
            watch.await(name + " to be deleted", seen -> seen.get(name).isEmpty());
        }
    }
}
