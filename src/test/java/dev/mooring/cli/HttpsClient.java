package dev.mooring.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A TLS client that trusts a single certificate authority and verifies host names. */
public final class HttpsClient {
    private final SSLContext tls;
    private final HttpClient client;

    private HttpsClient(SSLContext tls, HttpClient.Version version) {
        this.tls = tls;
        this.client = HttpClient.newBuilder()
                .sslContext(tls)
                .version(version)
                .connectTimeout(Duration.ofSeconds(60))
                .build();
    }

    public static HttpsClient trusting(Path authority, HttpClient.Version version)
            throws IOException, GeneralSecurityException {
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
        return new HttpsClient(tls, version);
    }

    public HttpResponse<String> get(String url) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url)));
    }

    public HttpResponse<String> get(String url, String token) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token));
    }

    public HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Sends the request verbatim and returns everything the server sends until it closes the connection. */
    public String raw(String host, int port, String request) throws IOException {
        try (SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(host, port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
