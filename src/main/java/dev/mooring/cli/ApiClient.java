package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/**
 * A synchronous client of the server's API. Each request returns a response or throws a {@link MooringException} with
 * an exit code. Trusts only the certificate authority of the kubeconfig, and follows no redirects, so that the token is
 * sent nowhere else. Thread-safe.
 */
public final class ApiClient {
    private static final int PAGE = 500;
    private static final int FIRST_ERROR = 300;

    private final ServerAccess access;
    private final Duration timeout;
    private final HttpClient http;

    /**
     * Creates a client.
     *
     * @param timeout for connecting and for each response
     */
    public ApiClient(ServerAccess access, Duration timeout) {
        this.access = access;
        this.timeout = timeout;
        this.http = HttpClient.newBuilder()
                .sslContext(trusting(access))
                .connectTimeout(timeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .build();
    }

    /**
     * Sends a GET request.
     *
     * @param path with its query, as in {@code /api/v1/pods?limit=1}
     */
    public ObjectNode get(String path) {
        return send(request(path).GET());
    }

    /** Returns all items of a list, following pagination. */
    public List<ObjectNode> list(String path) {
        List<ObjectNode> items = new ArrayList<>();
        String next = "";
        do {
            String page = path + (path.contains("?") ? '&' : '?') + "limit=" + PAGE
                    + (next.isEmpty() ? "" : "&continue=" + URLEncoder.encode(next, StandardCharsets.UTF_8));
            ObjectNode answer = get(page);
            for (JsonNode item : answer.path("items")) {
                if (item instanceof ObjectNode object) {
                    items.add(object);
                }
            }
            next = answer.path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
        return items;
    }

    public ObjectNode create(String path, ObjectNode object) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(object.toString())));
    }

    public ObjectNode replace(String path, ObjectNode object) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(object.toString())));
    }

    /** Sends a merge patch. */
    public ObjectNode patch(String path, ObjectNode changes) {
        return send(request(path)
                .header("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(changes.toString())));
    }

    public ObjectNode delete(String path) {
        return send(request(path).DELETE());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(access.server().toString().replaceFirst("/+$", "") + path))
                .timeout(timeout)
                .header("Accept", "application/json")
                .header("Authorization", "Bearer " + access.token());
    }

    private ObjectNode send(HttpRequest.Builder request) {
        HttpResponse<String> response;
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw unreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MooringException(ExitCode.FAILED, "Interrupted while waiting for a response", e);
        }
        JsonNode body = parse(response.body());
        if (response.statusCode() >= FIRST_ERROR) {
            throw refused(response.statusCode(), body);
        }
        if (body instanceof ObjectNode object) {
            return object;
        }
        throw new MooringException(
                ExitCode.FAILED,
                "The response of " + access.server()
                        + " is not a JSON object; next: check that a Mooring server listens there");
    }

    private static JsonNode parse(String body) {
        try {
            return Json.MAPPER.readTree(body);
        } catch (JsonProcessingException e) {
            return Json.MAPPER.missingNode();
        }
    }

    private MooringException refused(int code, JsonNode status) {
        String reason = status.path("reason").asText("");
        String text = status.path("message").asText("");
        String message = "Error from server" + (reason.isEmpty() ? "" : " (" + reason + ")") + ": "
                + (text.isEmpty() ? "HTTP status " + code : text);
        return switch (code) {
            case 401 ->
                new MooringException(
                        ExitCode.FAILED,
                        message + "; next: the token in " + access.file()
                                + " is not, or no longer, valid: use another kubeconfig, or ask for a new token");
            case 404, 410 -> new MooringException(ExitCode.NOT_FOUND, message);
            case 409 -> new MooringException(ExitCode.CONFLICT, message);
            case 408, 504 -> new MooringException(ExitCode.TIMEOUT, message);
            default -> new MooringException(ExitCode.FAILED, message);
        };
    }

    private MooringException unreachable(IOException cause) {
        String failure = "Cannot reach the server at " + access.server() + ": ";
        if (cause instanceof HttpTimeoutException) {
            return new MooringException(
                    ExitCode.TIMEOUT,
                    failure + "no response within " + timeout.toSeconds() + " s; next: check its log",
                    cause);
        }
        if (cause instanceof ConnectException) {
            return new MooringException(
                    ExitCode.FAILED, failure + "nothing accepts connections there; next: make run", cause);
        }
        if (cause instanceof SSLException) {
            return new MooringException(
                    ExitCode.FAILED,
                    failure + "its certificate is not trusted by " + access.file() + " (" + cause.getMessage()
                            + "); next: use the kubeconfig that this server wrote",
                    cause);
        }
        return new MooringException(ExitCode.FAILED, failure + "the connection failed: " + cause.getMessage(), cause);
    }

    private static SSLContext trusting(ServerAccess access) {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (Certificate certificate : CertificateFactory.getInstance("X.509")
                    .generateCertificates(
                            new ByteArrayInputStream(access.authorityPem().getBytes(StandardCharsets.UTF_8)))) {
                trusted.setCertificateEntry("authority-" + count++, certificate);
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, managers.getTrustManagers(), null);
            return tls;
        } catch (GeneralSecurityException | IOException e) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "Cannot read the certificate authority in " + access.file() + ": " + e.getMessage()
                            + "; next: use the kubeconfig that the server wrote",
                    e);
        }
    }

    @Override
    public String toString() {
        return "client of " + access;
    }
}
