package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.HttpsClient;
import dev.mooring.testing.HostInspector;
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
 * Server in its own process that is killed and restarted on the same data. Requests are retried until the server
 * answers. One thread kills and starts; any thread may send.
 */
final class StorageKillProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (https://\\S+) kubeconfig=.*");
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");

    /** Address of a running server, and a client for it; no {@code client} while no server runs. */
    private record ServerInstance(int number, String url, String token, Optional<HttpsClient> client) {
        static ServerInstance none(int number) {
            return new ServerInstance(number, "", "", Optional.empty());
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
    private ServerInstance instance = ServerInstance.none(0);
    private int answered;

    /** @param errors file for the stderr of the servers */
    StorageKillProcess(Path data, Path errors) {
        this.data = data;
        this.errors = errors;
    }

    /** Starts the next process without waiting until it is ready. */
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

    /** Waits until the server is ready, and wakes waiting senders. */
    void awaitReady() throws IOException, GeneralSecurityException {
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        Matcher ready = READY.matcher(line == null ? "" : line);
        if (!ready.matches()) {
            throw new IllegalStateException(
                    "Server is not ready; it printed " + line + ": " + Files.readString(errors));
        }
        Matcher token = TOKEN.matcher(Files.readString(data.resolve("kubeconfig")));
        if (!token.find()) {
            throw new IllegalStateException("No token in the kubeconfig");
        }
        HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        publishInstance(new ServerInstance(instance.number() + 1, ready.group(1), token.group(1), Optional.of(client)));
    }

    private void publishInstance(ServerInstance next) {
        synchronized (changed) {
            instance = next;
            changed.notifyAll();
        }
    }

    /** Waits for a running server with a higher number. */
    private ServerInstance awaitInstanceAfter(int number) throws InterruptedException {
        synchronized (changed) {
            while (instance.number() <= number || instance.client().isEmpty()) {
                changed.wait();
            }
            return instance;
        }
    }

    /** Waits until this many requests have been answered in total; returns whether that was in time. */
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

    /** Kills the process with SIGKILL after a delay, whatever it is doing. */
    void killAfter(long millis) throws InterruptedException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Server ended before it was killed, with code " + process.exitValue());
        }
        process.toHandle().destroyForcibly();
        int code = process.waitFor();
        if (code != 137) {
            throw new IllegalStateException("Server was not killed; it ended with code " + code);
        }
        publishInstance(ServerInstance.none(instance.number()));
    }

    /** Sends a request to one server after the other until one answers; an earlier one may have executed it. */
    void send(StorageKillLoad.LoadRequest request) throws InterruptedException {
        ServerInstance target = awaitInstanceAfter(0);
        boolean isRetry = false;
        while (true) {
            try {
                HttpResponse<String> answer = target.send(request.path(), request.method(), request.body());
                int code = answer.statusCode();
                boolean done = code < 300
                        || (isRetry && code == 409 && request.method().equals("POST"))
                        || (isRetry && code == 404 && request.method().equals("DELETE"));
                if (!done) {
                    throw new IllegalStateException(request + " failed: " + answer.body());
                }
                synchronized (changed) {
                    answered++;
                    changed.notifyAll();
                }
                return;
            } catch (IOException e) {
                isRetry = true;
                target = awaitInstanceAfter(target.number());
            }
        }
    }

    /** Lists all objects; not to be called while the server is killed. */
    List<JsonNode> list(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = awaitInstanceAfter(0).send(path, "GET", "");
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("Cannot list " + path + ": " + answer.body());
        }
        List<JsonNode> items = new ArrayList<>();
        ApiUnderTest.JSON.readTree(answer.body()).path("items").forEach(items::add);
        return items;
    }

    /** Stops the process with SIGTERM, and returns its exit code. */
    int stop() throws InterruptedException {
        process.toHandle().destroy();
        return process.waitFor();
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
        // Pods still have their volumes, which are bind-mounted.
        new HostInspector(data).cleanUp();
    }
}
