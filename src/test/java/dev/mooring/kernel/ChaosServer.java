package dev.mooring.kernel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.Main;
import java.io.IOException;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server process, which tests kill and restart on the same data, with a client of its admin. The client repeats a
 * request until it gets a response, across restarts. One thread.
 */
final class ChaosServer implements AutoCloseable {
    private static final String ADDRESS = "127.0.0.1:17080";
    private static final Duration RETRY_TIMEOUT = Duration.ofMinutes(4);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final int LOG_TAIL_LINES = 20;
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path data;
    private final Path errors;
    private final Map<String, String> settings;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(RESPONSE_TIMEOUT)
            .build();
    private Process process;
    private int starts;

    /** An HTTP response. */
    record ServerResponse(int code, JsonNode body, String text) {}

    /** @param settings by their keys, as in conf/mooring.yaml */
    ChaosServer(Path data, Path errors, Map<String, String> settings) {
        this.data = data;
        this.errors = errors;
        this.settings = Map.copyOf(settings);
    }

    /** Starts the process without waiting until it is ready. */
    void launch() {
        ProcessBuilder builder = new ProcessBuilder(command());
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
        builder.environment().put("MOORING_API_PLAINLISTEN", ADDRESS);
        settings.forEach((key, value) ->
                builder.environment().put("MOORING_" + key.replace('.', '_').toUpperCase(Locale.ROOT), value));
        try {
            Path emptyConfiguration = Files.writeString(errors.resolveSibling("mooring.yaml"), "{}\n");
            builder.command().addAll(List.of("--config", emptyConfiguration.toString()));
            process = builder.redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        starts++;
    }

    private List<String> command() {
        String temporary = System.getProperty("java.io.tmpdir");
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-Xmx160m",
                "-Xss512k",
                "-Djava.io.tmpdir=" + temporary,
                "-Djna.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "server",
                "--listen",
                "127.0.0.1:0",
                "--node",
                "here",
                "--data",
                data.toString()));
    }

    /** Sends SIGKILL and starts a new process at once. */
    void killAndLaunch() {
        kill();
        launch();
    }

    private void kill() {
        process.destroyForcibly().onExit().join();
    }

    int starts() {
        return starts;
    }

    long pid() {
        return process.pid();
    }

    /** Sends SIGTERM; returns the exit code. */
    int stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("The server did not end after SIGTERM");
        }
        return process.exitValue();
    }

    /** Returns stderr of all processes so far. */
    List<String> output() throws IOException {
        return Files.readAllLines(errors, StandardCharsets.UTF_8);
    }

    private String logTail() {
        try {
            List<String> all = output();
            return String.join("\n", all.subList(Math.max(0, all.size() - LOG_TAIL_LINES), all.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Repeats a request until it gets a response; an earlier attempt may have taken effect. */
    ServerResponse send(String method, String path, String body) {
        long deadline = System.nanoTime() + RETRY_TIMEOUT.toNanos();
        String last = "no attempt was made";
        while (System.nanoTime() - deadline < 0) {
            try {
                ServerResponse reply = sendOnce(method, path, body);
                if (reply.code() < 500 && reply.code() != 429) {
                    return reply;
                }
                last = reply.text();
            } catch (IOException e) {
                last = e.toString();
            }
            if (!process.isAlive()) {
                throw new AssertionError(
                        "The server ended unexpectedly with " + process.exitValue() + ": " + logTail());
            }
            Polling.millis(100);
        }
        throw new AssertionError("No response to " + method + ' ' + path + ": " + last);
    }

    /** Returns whether the server responds now. */
    boolean isResponding() {
        try {
            return sendOnce("GET", "/livez", "").code() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private ServerResponse sendOnce(String method, String path, String body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + ADDRESS + path))
                .header("Authorization", "Bearer " + token())
                .header("Content-Type", body.startsWith("{") ? "application/json" : "application/yaml")
                .timeout(RESPONSE_TIMEOUT)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            String text = response.body();
            JsonNode tree = text.startsWith("{") ? JSON.readTree(text) : MissingNode.getInstance();
            return new ServerResponse(response.statusCode(), tree, text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private String token() throws IOException {
        Matcher found = TOKEN.matcher(Files.readString(data.resolve("kubeconfig")));
        if (!found.find()) {
            throw new IOException("The kubeconfig has no token yet");
        }
        return found.group(1);
    }

    /** Creates an object. A conflict means that an earlier attempt without a response created it. */
    void create(String collection, String yaml) {
        ServerResponse reply = send("POST", collection, yaml);
        if (reply.code() != 201 && reply.code() != 409) {
            throw new AssertionError("Failed to create\n" + yaml + "\n" + reply.text());
        }
    }

    void delete(String path) {
        ServerResponse reply = send("DELETE", path, "");
        if (reply.code() != 200 && reply.code() != 202 && reply.code() != 404) {
            throw new AssertionError("Failed to delete " + path + ": " + reply.text());
        }
    }

    List<JsonNode> list(String collection) {
        List<JsonNode> found = new ArrayList<>();
        send("GET", collection, "").body().path("items").forEach(found::add);
        return found;
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }
}
