package dev.mooring.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.mooring.api.tls.Pki;
import dev.mooring.api.tls.ServerCertificate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An HTTPS server that records requests and sends prepared responses in order; its certificate is made by Pki. */
public final class FakeApiServer implements AutoCloseable {
    /** The token in the kubeconfig. */
    public static final String TOKEN = "the-admins-token";

    /** A request that the server received. */
    public record RecordedRequest(String method, String path, String authorization, String contentType, String body) {}

    private record CannedResponse(int code, String body) {}

    private static final char[] PASSWORD = "test".toCharArray();

    private final HttpsServer server;
    private final ServerCertificate certificate;
    private final List<RecordedRequest> requests = new CopyOnWriteArrayList<>();
    private final Queue<CannedResponse> responses = new ArrayDeque<>();

    private FakeApiServer(HttpsServer server, ServerCertificate certificate) {
        this.server = server;
        this.certificate = certificate;
    }

    /** @param directory directory for the server's keys */
    public static FakeApiServer start(Path directory) throws IOException, GeneralSecurityException {
        ServerCertificate certificate = new Pki(directory, Clock.systemUTC(), new SecureRandom())
                .certificateFor(List.of("localhost", "127.0.0.1"));
        HttpsServer https = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(context(certificate.pem())));
        FakeApiServer fake = new FakeApiServer(https, certificate);
        https.createContext("/", fake::handle);
        https.start();
        return fake;
    }

    /** Adds a response for the next request without one; single quotes in the body become double quotes. */
    public FakeApiServer enqueue(int code, String body) {
        synchronized (responses) {
            responses.add(new CannedResponse(code, body.replace('\'', '"')));
        }
        return this;
    }

    public List<RecordedRequest> requests() {
        return List.copyOf(requests);
    }

    public String url() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    public String authorityPem() {
        return certificate.authorityPem();
    }

    /** Writes a kubeconfig for this server. */
    public Path kubeconfig(Path file) throws IOException {
        return Files.writeString(file, kubeconfig(url(), authorityPem(), TOKEN));
    }

    static String kubeconfig(String url, String authorityPem, String token) {
        return """
            apiVersion: v1
            kind: Config
            current-context: here
            contexts:
            - {name: elsewhere, context: {cluster: b, user: b}}
            - {name: here, context: {cluster: a, user: a}}
            clusters:
            - {name: b, cluster: {server: "https://192.0.2.1"}}
            - {name: a, cluster: {server: "%s", certificate-authority-data: %s}}
            users:
            - {name: b, user: {token: other}}
            - {name: a, user: {token: "%s"}}
            """.formatted(
                        url, Base64.getEncoder().encodeToString(authorityPem.getBytes(StandardCharsets.UTF_8)), token);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(new RecordedRequest(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")),
                String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
                body));
        CannedResponse response;
        synchronized (responses) {
            response = responses.isEmpty()
                    ? new CannedResponse(500, "{\"message\":\"no response was enqueued\"}")
                    : responses.remove();
        }
        byte[] bytes = response.body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Location", url() + "/elsewhere");
        exchange.sendResponseHeaders(response.code, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static SSLContext context(String pem) throws GeneralSecurityException, IOException {
        PrivateKey key = KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(
                        Base64.getMimeDecoder().decode(between(pem, "-----BEGIN PRIVATE KEY-----", "-----END"))));
        Collection<? extends Certificate> chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.substring(pem.indexOf("-----BEGIN CERTIFICATE-----"))
                        .getBytes(StandardCharsets.US_ASCII)));
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setKeyEntry("server", key, PASSWORD, chain.toArray(new Certificate[0]));
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        return tls;
    }

    private static String between(String text, String from, String to) {
        int start = text.indexOf(from) + from.length();
        return text.substring(start, text.indexOf(to, start));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
