package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.EngineException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * What containers left behind when they ended: what they wrote to their terminationMessagePath, or the end of their log if they ask for that. Each is
 * found out once. Thread-safe; nothing blocks on the engine.
 */
final class TerminationMessages {
    private static final int LINES = 80;
    private static final int MOST = 16 * 1024;
    private static final int SECONDS = 10;

    private final ContainerSpecs specs;
    private final ContainerStreams streams;
    private final WorkParts work;
    private final Consumer<ObjectKey> wake;
    private final Map<String, Map<Key, String>> known = new ConcurrentHashMap<>();

    private record Key(String container, int attempt, String id) {
        static Key of(ContainerFacts facts) {
            return new Key(facts.whose().container(), facts.whose().attempt(), facts.id());
        }

        /** Whether nobody asks for it any more, now that there is the other. */
        boolean isPassedBy(Key other) {
            return container.equals(other.container()) && attempt < other.attempt() - 1;
        }
    }

    TerminationMessages(ContainerSpecs specs, ContainerStreams streams, WorkParts work, Consumer<ObjectKey> wake) {
        this.specs = specs;
        this.streams = streams;
        this.work = work;
        this.wake = wake;
    }

    /** "" if there is none, or it is not known yet; then the Pod is looked at again when it is. */
    String of(Pod pod, JsonNode spec, ContainerFacts ended) {
        Map<Key, String> ofPod = known.computeIfAbsent(pod.uid(), uid -> new ConcurrentHashMap<>());
        Key key = Key.of(ended);
        String message = ofPod.get(key);
        if (message != null) {
            return message;
        }
        String written = specs.terminationMessage(pod, spec, ended.whose().attempt());
        boolean fallsBack = written.isEmpty() && ended.exitCode() != 0 && ContainerSpecs.fallsBackToLogs(spec);
        ofPod.keySet().removeIf(each -> each.isPassedBy(key));
        ofPod.put(key, written);
        if (fallsBack) {
            try {
                work.threads().execute(() -> {
                    ofPod.replace(key, log(ended.id()));
                    wake.accept(pod.key());
                });
            } catch (RejectedExecutionException e) {
                // The process ends.
                return "";
            }
        }
        return written;
    }

    void forget(String podUid) {
        known.remove(podUid);
    }

    /** How many are kept. */
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
            session.ended().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        } catch (EngineException | ExecutionException | TimeoutException e) {
            // What came until then is better than nothing.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (text) {
            return ContainerSpecs.endOfLog(text.toString(StandardCharsets.UTF_8));
        }
    }
}
