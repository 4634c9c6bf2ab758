package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.EngineException;
import dev.mooring.volume.WorkerPoolKey;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Termination messages of ended containers: the content of their terminationMessagePath, or the end of their log if the
 * container asks for that. Each is read once and cached. Thread-safe; never blocks on the engine.
 */
final class TerminationMessages {
    private static final int LINES = 80;
    private static final int MOST = 16 * 1024;
    private static final int SECONDS = 10;

    /** Limit of concurrent reads of files, and of logs: an engine that hangs does not delay the reads of files. */
    private static final int MAX_READS = 64;

    private static final WorkerPoolKey LOGS = new WorkerPoolKey("logs", "");

    private final ContainerSpecs specs;
    private final ContainerStreams streams;
    private final KeyedExecutor executor;
    private final Consumer<ObjectKey> requeue;
    private final Map<String, Map<Key, String>> known = new ConcurrentHashMap<>();

    private record Key(String container, int attempt, String id) {
        static Key of(ContainerFacts facts) {
            return new Key(facts.identity().container(), facts.identity().attempt(), facts.id());
        }

        /** Returns whether this message is not needed any more, because a newer attempt has ended. */
        boolean isSupersededBy(Key other) {
            return container.equals(other.container()) && attempt < other.attempt() - 1;
        }
    }

    TerminationMessages(ContainerSpecs specs, ContainerStreams streams, WorkContext work, Consumer<ObjectKey> requeue) {
        this.specs = specs;
        this.streams = streams;
        this.executor = new KeyedExecutor(MAX_READS, work.threads());
        this.requeue = requeue;
    }

    /** Returns the message; "" if there is none; empty if it was not read yet. */
    Optional<String> of(Pod pod, ContainerFacts ended) {
        return Optional.ofNullable(known.getOrDefault(pod.uid(), Map.of()).get(Key.of(ended)));
    }

    /** Reads the message, unless it is being read, and requeues the Pod when it is known and when it has changed. */
    void read(Pod pod, JsonNode spec, ContainerFacts ended) {
        Map<Key, String> ofPod = known.computeIfAbsent(pod.uid(), uid -> new ConcurrentHashMap<>());
        executor.submit(WorkerPoolKey.LOCAL, Key.of(ended), () -> read(pod, spec, ended, ofPod));
    }

    private void read(Pod pod, JsonNode spec, ContainerFacts ended, Map<Key, String> ofPod) {
        Key key = Key.of(ended);
        String written = "";
        try {
            written = specs.terminationMessage(pod, spec, ended.identity().attempt());
        } finally {
            ofPod.keySet().removeIf(each -> each.isSupersededBy(key));
            ofPod.put(key, written);
            requeue.accept(pod.key());
        }
        if (written.isEmpty() && ended.exitCode() != 0 && ContainerSpecs.fallsBackToLogs(spec)) {
            executor.submit(LOGS, ended.id(), () -> {
                ofPod.replace(key, log(ended.id()));
                requeue.accept(pod.key());
            });
        }
    }

    void forget(String podUid) {
        known.remove(podUid);
    }

    /** Returns the number of cached messages. */
    int size() {
        return known.values().stream().mapToInt(Map::size).sum();
    }

    private String log(String id) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        LogRequest end = new LogRequest(Optional.empty(), OptionalInt.of(LINES), false, false);
        try (ContainerStreams.Session session = streams.logs(id, end, (channel, bytes) -> {
            synchronized (text) {
                if (text.size() < MOST) {
                    text.writeBytes(bytes);
                }
            }
        })) {
            session.exitCode().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        } catch (EngineException | ExecutionException | TimeoutException e) {
            // A partial message is better than none.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (text) {
            return ContainerSpecs.logTail(text.toString(StandardCharsets.UTF_8));
        }
    }
}
