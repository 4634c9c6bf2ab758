package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
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
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/**
 * A synchronous client of the server's API. Each request returns a response or throws a {@link MooringException} with
 * an exit code. Trusts only the certificate authority of the kubeconfig, and follows no redirects, so that the token is
 * sent nowhere else. Thread-safe.
 */
public final class ApiClient {
    private static final String JSON = "application/json";
    private static final int PAGE = 500;
    private static final int FIRST_ERROR = 300;

    /** A file name without directories. */
    private static final Pattern FILE_NAME = Pattern.compile("filename=\"([A-Za-z0-9_-][A-Za-z0-9._-]*)\"");

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

    /**
     * A file that the server sends.
     *
     * @param name as the server suggests it; "" if it does not
     */
    public record Download(String name, InputStream content) {}

    /** Starts to receive a file. The timeout applies until its first byte. */
    public Download download(String path) {
        HttpResponse<InputStream> response = exchange(request(path).GET(), HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() >= FIRST_ERROR) {
            try (InputStream body = response.body()) {
                throw refused(response.statusCode(), parse(new String(body.readAllBytes(), StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw unreachable(e);
            }
        }
        String disposition =
                response.headers().firstValue("Content-Disposition").orElse("");
        Matcher name = FILE_NAME.matcher(disposition);
        return new Download(name.find() ? name.group(1) : "", response.body());
    }

    /**
     * Sends a GET request for another representation.
     *
     * @param accept the media types
     */
    public ObjectNode get(String path, String accept) {
        return send(request(path).setHeader("Accept", accept).GET());
    }

    /** Returns all items of a list, following pagination. */
    public List<ObjectNode> list(String path) {
        List<ObjectNode> items = new ArrayList<>();
        for (ObjectNode page : pages(path, JSON)) {
            for (JsonNode item : page.path("items")) {
                if (item instanceof ObjectNode object) {
                    items.add(object);
                }
            }
        }
        return items;
    }

    /** Returns all pages of a list, at least one. */
    public List<ObjectNode> pages(String path, String accept) {
        List<ObjectNode> pages = new ArrayList<>();
        String next = "";
        do {
            String page = path + (path.contains("?") ? '&' : '?') + "limit=" + PAGE
                    + (next.isEmpty() ? "" : "&continue=" + URLEncoder.encode(next, StandardCharsets.UTF_8));
            ObjectNode answer = get(page, accept);
            pages.add(answer);
            next = answer.path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
        return pages;
    }

    public ObjectNode create(String path, ObjectNode object) {
        return send(request(path).header("Content-Type", JSON).POST(BodyPublishers.ofString(object.toString())));
    }

    public ObjectNode replace(String path, ObjectNode object) {
        return send(request(path).header("Content-Type", JSON).PUT(BodyPublishers.ofString(object.toString())));
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
                .header("Accept", JSON)
                .header("Authorization", "Bearer " + access.token());
    }

    /**
     * Sends a GET request whose response is a stream of JSON lines, such as a watch, and passes each line as it arrives.
     * Returns when the server ends the stream or the consumer returns false.
     *
     * @throws MooringException if the request fails, or the stream contains an error
     */
    public void stream(String path, Predicate<ObjectNode> consumer) {
        HttpResponse<InputStream> response = exchange(request(path).GET(), HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            if (response.statusCode() >= FIRST_ERROR) {
                throw refused(response.statusCode(), parse(lines.lines().collect(Collectors.joining("\n"))));
            }
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode event = parse(line);
                if (event.path("type").asText().equals("ERROR")) {
                    JsonNode status = event.path("object");
                    throw refused(status.path("code").asInt(), status);
                }
                if (event instanceof ObjectNode object && !consumer.test(object)) {
                    return;
                }
            }
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private ObjectNode send(HttpRequest.Builder request) {
        HttpResponse<String> response = exchange(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
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

    private <T> HttpResponse<T> exchange(HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
        try {
            return http.send(request.build(), handler);
        } catch (IOException e) {
            throw unreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MooringException(ExitCode.FAILED, "Interrupted while waiting for a response", e);
        }
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
