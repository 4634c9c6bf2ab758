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
 * The server program in a process of its own, which is killed and started again on the same data, as an admin sees it. Whoever asks gets an
 * answer, however many lives that takes. One thread.
 */
final class ChaosServer implements AutoCloseable {
    private static final String ADDRESS = "127.0.0.1:17080";
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final Duration STOP = Duration.ofSeconds(60);
    private static final int LAST_WORDS = 20;
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path data;
    private final Path errors;
    private final Map<String, String> settings;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(ANSWER)
            .build();
    private Process process;
    private int lives;

    /** What came back. */
    record Reply(int code, JsonNode body, String text) {}

    /** @param settings by their keys, as in conf/mooring.yaml */
    ChaosServer(Path data, Path errors, Map<String, String> settings) {
        this.data = data;
        this.errors = errors;
        this.settings = Map.copyOf(settings);
    }

    /** Does not wait until it serves. */
    void launch() {
        ProcessBuilder builder = new ProcessBuilder(command());
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
        builder.environment().put("MOORING_API_PLAINLISTEN", ADDRESS);
        settings.forEach((key, value) ->
                builder.environment().put("MOORING_" + key.replace('.', '_').toUpperCase(Locale.ROOT), value));
        try {
            Path none = Files.writeString(errors.resolveSibling("mooring.yaml"), "{}\n");
            builder.command().addAll(List.of("--config", none.toString()));
            process = builder.redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lives++;
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

    /** SIGKILL, and a new life at once. */
    void killAndLaunch() {
        kill();
        launch();
    }

    private void kill() {
        process.destroyForcibly().onExit().join();
    }

    int lives() {
        return lives;
    }

    long pid() {
        return process.pid();
    }

    /** SIGTERM. Answers with what it ended. */
    int stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("Expected the server to end when told to, but it goes on");
        }
        return process.exitValue();
    }

    /** What it has said in all its lives. */
    List<String> said() throws IOException {
        return Files.readAllLines(errors, StandardCharsets.UTF_8);
    }

    private String lastWords() {
        try {
            List<String> all = said();
            return String.join("\n", all.subList(Math.max(0, all.size() - LAST_WORDS), all.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Asks until it is answered; whether an earlier try had an effect is not known then. */
    Reply send(String method, String path, String body) {
        long patience = System.nanoTime() + PATIENCE.toNanos();
        String last = "nothing was tried";
        while (System.nanoTime() - patience < 0) {
            try {
                Reply reply = once(method, path, body);
                if (reply.code() < 500 && reply.code() != 429) {
                    return reply;
                }
                last = reply.text();
            } catch (IOException e) {
                last = e.toString();
            }
            if (!process.isAlive()) {
                throw new AssertionError(
                        "Expected the server to live, but it ended with " + process.exitValue() + ": " + lastWords());
            }
            Pause.millis(100);
        }
        throw new AssertionError("Expected an answer to " + method + ' ' + path + ", but " + last);
    }

    /** Whether it would answer now. */
    boolean answers() {
        try {
            return once("GET", "/livez", "").code() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private Reply once(String method, String path, String body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + ADDRESS + path))
                .header("Authorization", "Bearer " + token())
                .header("Content-Type", body.startsWith("{") ? "application/json" : "application/yaml")
                .timeout(ANSWER)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
            String text = answer.body();
            JsonNode tree = text.startsWith("{") ? JSON.readTree(text) : MissingNode.getInstance();
            return new Reply(answer.statusCode(), tree, text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private String token() throws IOException {
        Matcher found = TOKEN.matcher(Files.readString(data.resolve("kubeconfig")));
        if (!found.find()) {
            throw new IOException("Expected a token in the kubeconfig, but there is none yet");
        }
        return found.group(1);
    }

    /** Once made it may have been made by a try that was not answered. */
    void make(String collection, String yaml) {
        Reply reply = send("POST", collection, yaml);
        if (reply.code() != 201 && reply.code() != 409) {
            throw new AssertionError("Expected to make\n" + yaml + "\nbut " + reply.text());
        }
    }

    void delete(String path) {
        Reply reply = send("DELETE", path, "");
        if (reply.code() != 200 && reply.code() != 202 && reply.code() != 404) {
            throw new AssertionError("Expected to delete " + path + ", but " + reply.text());
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
