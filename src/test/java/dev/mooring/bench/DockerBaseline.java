package dev.mooring.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Baseline for Pods: the same container with a directory of the machine, on the same engine, started by {@code docker
 * run -d} as a separate process, and by the bare API calls. For one thread.
 */
final class DockerBaseline implements AutoCloseable {
    private static final String NAMES =
            "mooring-bench-" + ProcessHandle.current().pid() + '-';

    /** Limit of parallel removals: 50 at once deadlocked an engine (20.10) in a lock of its network. */
    private static final int REMOVED_AT_ONCE = 8;

    private final RealEngine engine;
    private final RealEngineApi api;
    private final Clock clock = Clock.systemUTC();
    private final String volume;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(work -> RunningLedger.daemon(work, "bench-engine"));
    private int number;

    /** @param directory parent of the mounted host directory */
    DockerBaseline(RealEngine engine, Path directory) throws IOException {
        this.engine = engine;
        this.api = new RealEngineApi(engine.socket());
        this.volume = Files.createDirectories(directory.resolve("docker")).toRealPath() + ":/data";
    }

    /** Returns the start time of a container, by the engine's clock. */
    Instant startedAt(String id) {
        return Instant.parse(api.get("/containers/" + id + "/json")
                .body()
                .at("/State/StartedAt")
                .asText());
    }

    /** Measures {@code docker run -d}. */
    PodStart dockerRun() throws IOException, InterruptedException {
        String name = name();
        Instant requested = clock.instant();
        long start = System.nanoTime();
        awaitEnd(begin(runCommand(name)));
        double took = (System.nanoTime() - start) / 1e9;
        return new PodStart(name, took, PodStartFixture.seconds(requested, startedAt(name)));
    }

    /** Measures one API call to create and one to start a container. */
    PodStart calls() {
        String name = name();
        Instant requested = clock.instant();
        long start = System.nanoTime();
        createAndStart(name);
        double took = (System.nanoTime() - start) / 1e9;
        return new PodStart(name, took, PodStartFixture.seconds(requested, startedAt(name)));
    }

    /** Measures {@code docker rm -f}. */
    double remove(List<String> names) throws IOException, InterruptedException {
        long start = System.nanoTime();
        for (int i = 0; i < names.size(); i += REMOVED_AT_ONCE) {
            List<String> command = new ArrayList<>(List.of("rm", "-f"));
            command.addAll(names.subList(i, Math.min(names.size(), i + REMOVED_AT_ONCE)));
            awaitEnd(begin(command));
        }
        return (System.nanoTime() - start) / 1e9;
    }

    List<String> names(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(name());
        }
        return names;
    }

    /** Measures {@code docker run -d} as parallel processes. */
    double dockerRunAll(List<String> names) throws IOException, InterruptedException {
        List<Process> processes = new ArrayList<>();
        long start = System.nanoTime();
        for (String each : names) {
            processes.add(begin(runCommand(each)));
        }
        for (Process each : processes) {
            awaitEnd(each);
        }
        return (System.nanoTime() - start) / 1e9;
    }

    double callAll(List<String> names) throws IOException, InterruptedException {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (String each : names) {
            tasks.add(() -> {
                createAndStart(each);
                return null;
            });
        }
        long start = System.nanoTime();
        for (Future<Void> each : threads.invokeAll(tasks)) {
            try {
                each.get();
            } catch (ExecutionException e) {
                throw new IOException(e.getCause());
            }
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private void createAndStart(String name) {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("Image", PodObjects.IMAGE);
        body.putArray("Cmd").add("sh").add("-c").add(PodObjects.SCRIPT);
        body.putObject("HostConfig").putArray("Binds").add(volume);
        expect(201, api.post("/containers/create?name=" + name, body.toString()));
        expect(204, api.post("/containers/" + name + "/start", ""));
    }

    private static void expect(int code, RealEngineApi.EngineReply reply) {
        if (reply.code() != code) {
            throw new IllegalStateException(
                    "The engine answered " + reply.code() + " instead of " + code + ": " + reply.text());
        }
    }

    private String name() {
        return NAMES + ++number;
    }

    private List<String> runCommand(String name) {
        return List.of("run", "-d", "--name", name, "-v", volume, PodObjects.IMAGE, "sh", "-c", PodObjects.SCRIPT);
    }

    private Process begin(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("docker", "-H", engine.host()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void awaitEnd(Process process) throws IOException, InterruptedException {
        int code = process.waitFor();
        if (code != 0) {
            String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            throw new IOException("docker ended with " + code + ": " + error);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
