package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerRuntime.VolumeUser;
import dev.mooring.runtime.EngineException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists containers with their details. The engine's list lacks start and end times, so each container is inspected, a
 * few concurrently, so that hundreds of them neither take long nor block the engine. A container that hangs is listed
 * with the summary's data only.
 *
 * <p>Remembers {@code oom} events. Docker 20.10 on a busy machine may report that a container ran out of memory only
 * after its end, and then never shows it in an inspection. Any thread.
 */
final class ContainerLister {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerLister.class);

    private static final int CONCURRENCY = 4;

    /** Timeout of one inspection in a list. */
    private static final Duration INSPECT_TIMEOUT = Duration.ofSeconds(5);

    /** Timeout of the list of a volume's users, for which the start of a container waits. */
    private static final Duration VOLUME_USERS_TIMEOUT = Duration.ofSeconds(2);

    /** Limit of timeouts in one list; beyond it, no more containers are inspected. */
    private static final int MAX_SLOW = 16;

    /** Limit of remembered {@code oom} events; the oldest is forgotten. The status of its Pod is written by then. */
    private static final int MAX_OOM_EVENTS = 1024;

    private final DockerConnectionPool queries;
    private final ExecutorService threads;
    private final Duration deadline;

    private final Map<String, Boolean> oomEvents = new LinkedHashMap<>() { // guarded by itself
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > MAX_OOM_EVENTS;
                }
            };

    ContainerLister(DockerConnectionPool asking, ExecutorService threads, Duration deadline) {
        this.queries = asking;
        this.threads = threads;
        this.deadline = deadline;
    }

    /** Lists containers, without those that are removed meanwhile. */
    List<ContainerFacts> list(String instance) throws EngineException, InterruptedException {
        String filter = DockerJson.filter("label", ContainerLabels.INSTANCE + '=' + instance);
        JsonNode listed = queries.ask(
                        DockerRequest.get("/containers/json?all=1&filters=" + DockerRequest.encoded(filter)), deadline)
                .json();
        Queue<JsonNode> summaries = new ConcurrentLinkedQueue<>();
        listed.forEach(summaries::add);
        AtomicInteger slow = new AtomicInteger();
        List<Future<List<ContainerFacts>>> results = new ArrayList<>();
        int parallel = Math.min(CONCURRENCY, listed.size());
        try {
            for (int i = 1; i < parallel; i++) {
                results.add(threads.submit(() -> inspectAll(summaries, slow)));
            }
            List<ContainerFacts> all = new ArrayList<>(inspectAll(summaries, slow));
            for (Future<List<ContainerFacts>> result : results) {
                all.addAll(result.get());
            }
            return all;
        } catch (RejectedExecutionException e) {
            throw new EngineException(
                    EngineException.Kind.UNREACHABLE, "the connection to the Docker daemon was closed", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof EngineException failure) {
                throw failure;
            }
            throw new IllegalStateException("Failed to inspect containers", e.getCause());
        } finally {
            results.forEach(result -> result.cancel(true));
        }
    }

    /** Lists the containers that name a volume, without inspecting them. */
    List<VolumeUser> volumeUsers(String volume) throws EngineException, InterruptedException {
        String filter = DockerJson.filter("volume", volume);
        JsonNode listed = queries.ask(
                        DockerRequest.get("/containers/json?all=1&filters=" + DockerRequest.encoded(filter)),
                        VOLUME_USERS_TIMEOUT)
                .json();
        List<VolumeUser> users = new ArrayList<>();
        for (JsonNode each : listed) {
            users.add(new VolumeUser(
                    each.path("Id").asText(""),
                    each.path("Names").path(0).asText("").replaceFirst("^/", ""),
                    each.path("Image").asText(""),
                    each.path("State").asText("")));
        }
        return users;
    }

    /** Records that the engine reported an out-of-memory kill in a container. */
    void onOutOfMemory(String id) {
        synchronized (oomEvents) {
            oomEvents.put(id, true);
        }
    }

    /** Returns a container; empty if it is gone. */
    Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
        return tree(id).map(this::facts);
    }

    /**
     * Reads the facts, with an out-of-memory kill that only an event reported. Such an event may also be about another
     * process of the container, so the exit code must fit.
     */
    private ContainerFacts facts(JsonNode tree) {
        ContainerFacts facts = FactsReader.container(tree);
        synchronized (oomEvents) {
            return facts.state() == ContainerFacts.State.EXITED
                            && facts.exitCode() == FactsReader.KILLED
                            && oomEvents.containsKey(facts.id())
                    ? facts.asOomKilled()
                    : facts;
        }
    }

    /** Returns a container as inspected; empty if it is gone. */
    Optional<JsonNode> tree(String idOrName) throws EngineException, InterruptedException {
        return tree(idOrName, deadline);
    }

    private Optional<JsonNode> tree(String idOrName, Duration patience) throws EngineException, InterruptedException {
        DockerResponse answer = queries.ask(DockerRequest.get(DockerRequest.container(idOrName) + "/json"), patience);
        return answer.is(404) ? Optional.empty() : Optional.of(answer.json());
    }

    private List<ContainerFacts> inspectAll(Queue<JsonNode> summaries, AtomicInteger slow)
            throws EngineException, InterruptedException {
        List<ContainerFacts> facts = new ArrayList<>();
        for (JsonNode summary = summaries.poll(); summary != null; summary = summaries.poll()) {
            inspect(summary, slow).ifPresent(facts::add);
        }
        return facts;
    }

    private Optional<ContainerFacts> inspect(JsonNode summary, AtomicInteger slow)
            throws EngineException, InterruptedException {
        if (slow.get() < MAX_SLOW) {
            try {
                Duration patience = deadline.compareTo(INSPECT_TIMEOUT) < 0 ? deadline : INSPECT_TIMEOUT;
                return tree(summary.path("Id").asText(), patience).map(this::facts);
            } catch (EngineException e) {
                if (e.kind() != EngineException.Kind.TOO_SLOW) {
                    throw e;
                }
                slow.incrementAndGet();
                LOG.warn("Failed to inspect listed container: {}", e.getMessage());
            }
        }
        return Optional.of(FactsReader.summary(summary));
    }
}
