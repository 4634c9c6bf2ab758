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
 * What Pods are compared with: the same container with a directory of the machine, through the same engine, by {@code docker run -d} as a process
 * of its own, and by the bare calls that make and start it. For one thread.
 */
final class PodYardsticks implements AutoCloseable {
    private static final String NAMES =
            "mooring-bench-" + ProcessHandle.current().pid() + '-';

    /** 50 at once have brought an engine (20.10) to a standstill: each waits for a lock of its network for ever. */
    private static final int REMOVED_AT_ONCE = 8;

    private final RealEngine engine;
    private final RealEngineApi api;
    private final Clock clock = Clock.systemUTC();
    private final String volume;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(work -> RunningLedger.daemon(work, "bench-engine"));
    private int number;

    /** @param directory for a directory of the machine */
    PodYardsticks(RealEngine engine, Path directory) throws IOException {
        this.engine = engine;
        this.api = new RealEngineApi(engine.socket());
        this.volume = Files.createDirectories(directory.resolve("docker")).toRealPath() + ":/data";
    }

    /** When a container was started, by the engine's clock. */
    Instant startedAt(String id) {
        return Instant.parse(api.get("/containers/" + id + "/json")
                .body()
                .at("/State/StartedAt")
                .asText());
    }

    /** {@code docker run -d}, until it has ended. */
    PodStart dockerRun() throws IOException, InterruptedException {
        String name = name();
        Instant begun = clock.instant();
        long start = System.nanoTime();
        awaitEnd(begin(runCommand(name)));
        double took = (System.nanoTime() - start) / 1e9;
        return new PodStart(name, took, PodStage.seconds(begun, startedAt(name)));
    }

    /** One call to make it and one to start it. */
    PodStart calls() {
        String name = name();
        Instant begun = clock.instant();
        long start = System.nanoTime();
        createAndStart(name);
        double took = (System.nanoTime() - start) / 1e9;
        return new PodStart(name, took, PodStage.seconds(begun, startedAt(name)));
    }

    /** {@code docker rm -f}, until it has ended. */
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

    /** As many processes at once. */
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

    private static void expect(int code, RealEngineApi.Reply reply) {
        if (reply.code() != code) {
            throw new IllegalStateException("Expected the engine to do it, but it said " + reply.text());
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
            String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            throw new IOException("Expected docker to succeed, but it ended with " + code + ": " + said);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
