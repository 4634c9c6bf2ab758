package dev.mooring.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.cli.ServerAccess;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A client that creates objects one after another and watches. Its own cost is the same on both sides of every
 * comparison.
 */
final class BenchmarkApiClient {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ServerAccess access;
    private final HttpClient client;

    BenchmarkApiClient(ServerAccess access) throws IOException, GeneralSecurityException {
        this.access = access;
        this.client = HttpClient.newBuilder()
                .sslContext(trusting(access.authorityPem()))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    private static SSLContext trusting(String authorityPem) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(authorityPem.getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, managers.getTrustManagers(), null);
        return tls;
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(URI.create(access.server() + path))
                .header("Authorization", "Bearer " + access.token())
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
    }

    void create(String path, String body) throws IOException, InterruptedException {
        send("POST", path, body);
    }

    void delete(String path) throws IOException, InterruptedException {
        send("DELETE", path, "");
    }

    private void send(String method, String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(request(method, path, body), BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IOException(method + ' ' + path + " failed: " + response.body());
        }
    }

    /** Starts a watch, which a separate thread reads until it is closed. */
    AutoCloseable watch(String path, Consumer<JsonNode> events) throws IOException, InterruptedException {
        HttpResponse<InputStream> response =
                client.send(request("GET", path + "?watch=true", ""), BodyHandlers.ofInputStream());
        Thread reader = RunningLedger.daemon(() -> read(response.body(), events), "bench-volume-watch");
        reader.start();
        return response.body();
    }

    private static void read(InputStream body, Consumer<JsonNode> events) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                events.accept(JSON.readTree(line));
            }
        } catch (IOException ignored) {
            // closed
        }
    }
}
