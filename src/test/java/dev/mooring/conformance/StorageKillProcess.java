package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.HttpsClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server in a process of its own that is killed and started again on the same data, and its clients, who try again until they have an answer.
 * One thread kills and starts; any may send.
 */
final class StorageKillProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (https://\\S+) kubeconfig=.*");
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");

    /** Where the server is; none is there while there is no {@code client}. */
    private record Life(int number, String url, String token, Optional<HttpsClient> client) {
        static Life none(int number) {
            return new Life(number, "", "", Optional.empty());
        }

        HttpResponse<String> send(String path, String method, String body) throws IOException, InterruptedException {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                    .header("Authorization", "Bearer " + token)
                    .header("Content-Type", "application/json")
                    .method(
                            method,
                            body.isEmpty()
                                    ? HttpRequest.BodyPublishers.noBody()
                                    : HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')));
            return client.orElseThrow().send(request);
        }
    }

    private final Path data;
    private final Path errors;
    private final Object changed = new Object();
    private Process process;
    private Life life = Life.none(0);
    private int answered;

    /** @param errors what the servers complain of */
    StorageKillProcess(Path data, Path errors) {
        this.data = data;
        this.errors = errors;
    }

    /** Starts the next one, which is not to be waited for yet. */
    void launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.mooring.Main",
                "server",
                "--listen",
                "127.0.0.1:0",
                "--node",
                "here",
                "--data",
                data.toString()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
        builder.environment().put("MOORING_API_REQUESTSPERSECOND", "1000000");
        builder.environment().put("MOORING_API_REQUESTBURST", "1000000");
        process = builder.redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
    }

    /** Waits until it serves, and lets the clients know. */
    void awaitReady() throws IOException, GeneralSecurityException {
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        Matcher ready = READY.matcher(line == null ? "" : line);
        if (!ready.matches()) {
            throw new IllegalStateException(
                    "Expected the server to be ready, but it said " + line + ": " + Files.readString(errors));
        }
        Matcher token = TOKEN.matcher(Files.readString(data.resolve("kubeconfig")));
        if (!token.find()) {
            throw new IllegalStateException("Expected a token in the kubeconfig, but there is none");
        }
        HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        enter(new Life(life.number() + 1, ready.group(1), token.group(1), Optional.of(client)));
    }

    private void enter(Life next) {
        synchronized (changed) {
            life = next;
            changed.notifyAll();
        }
    }

    /** The life that follows a given one, as soon as there is one. */
    private Life after(int number) throws InterruptedException {
        synchronized (changed) {
            while (life.number() <= number || life.client().isEmpty()) {
                changed.wait();
            }
            return life;
        }
    }

    /** Waits until so many requests have been answered in all; whether that was in time. */
    boolean awaitAnswers(int number, Duration deadline) throws InterruptedException {
        long end = System.nanoTime() + deadline.toNanos();
        synchronized (changed) {
            while (answered < number && end - System.nanoTime() > 0) {
                TimeUnit.NANOSECONDS.timedWait(changed, Math.max(1, end - System.nanoTime()));
            }
            return answered >= number;
        }
    }

    int answers() {
        synchronized (changed) {
            return answered;
        }
    }

    /** Ends it with SIGKILL after a while, wherever it is then. */
    void killAfter(long millis) throws InterruptedException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Expected the server to live, but it ended with " + process.exitValue());
        }
        process.toHandle().destroyForcibly();
        int code = process.waitFor();
        if (code != 137) {
            throw new IllegalStateException("Expected the server to be killed, but it ended with " + code);
        }
        enter(Life.none(life.number()));
    }

    /** Sends a request to one server after the other until one has answered. Creating or deleting may have happened before. */
    void send(StorageKillLoad.Request request) throws InterruptedException {
        Life at = after(0);
        boolean again = false;
        while (true) {
            try {
                HttpResponse<String> answer = at.send(request.path(), request.method(), request.body());
                int code = answer.statusCode();
                boolean done = code < 300
                        || (again && code == 409 && request.method().equals("POST"))
                        || (again && code == 404 && request.method().equals("DELETE"));
                if (!done) {
                    throw new IllegalStateException("Expected " + request + " to be done, but " + answer.body());
                }
                synchronized (changed) {
                    answered++;
                    changed.notifyAll();
                }
                return;
            } catch (IOException e) {
                again = true;
                at = after(at.number());
            }
        }
    }

    /** All objects there are, while nobody kills the server. */
    List<JsonNode> list(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = after(0).send(path, "GET", "");
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("Expected a list, but " + answer.body());
        }
        List<JsonNode> items = new ArrayList<>();
        ApiUnderTest.JSON.readTree(answer.body()).path("items").forEach(items::add);
        return items;
    }

    /** Ends it as an administrator would, and returns what it ended with. */
    int stop() throws InterruptedException {
        process.toHandle().destroy();
        return process.waitFor();
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
        }
    }
}
