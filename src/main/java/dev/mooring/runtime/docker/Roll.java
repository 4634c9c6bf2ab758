package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
 * Which containers there are, and what is to be known of each. The engine's list leaves out when a container was started and ended, so each is asked for,
 * a few at a time so that hundreds of them neither take long nor keep the engine from other work. Of one that hangs, which keeps nobody from being
 * listed, only what the list says is known. Any thread.
 */
final class Roll {
    private static final Logger LOG = LoggerFactory.getLogger(Roll.class);

    private static final int AT_A_TIME = 4;

    /** For a container in a list. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Of one list, until no more containers are asked for. */
    private static final int MOST_SLOW = 16;

    private final EngineLine asking;
    private final ExecutorService threads;
    private final Duration deadline;

    Roll(EngineLine asking, ExecutorService threads, Duration deadline) {
        this.asking = asking;
        this.threads = threads;
        this.deadline = deadline;
    }

    /** Without those that go meanwhile. */
    List<ContainerFacts> call(String instance) throws EngineException, InterruptedException {
        String filter = Json.filter("label", Labels.INSTANCE + '=' + instance);
        JsonNode listed = asking.ask(Call.get("/containers/json?all=1&filters=" + Call.encoded(filter)), deadline)
                .json();
        Queue<JsonNode> summaries = new ConcurrentLinkedQueue<>();
        listed.forEach(summaries::add);
        AtomicInteger slow = new AtomicInteger();
        List<Future<List<ContainerFacts>>> parts = new ArrayList<>();
        int parallel = Math.min(AT_A_TIME, listed.size());
        try {
            for (int i = 1; i < parallel; i++) {
                parts.add(threads.submit(() -> inspectAll(summaries, slow)));
            }
            List<ContainerFacts> all = new ArrayList<>(inspectAll(summaries, slow));
            for (Future<List<ContainerFacts>> part : parts) {
                all.addAll(part.get());
            }
            return all;
        } catch (RejectedExecutionException e) {
            throw new EngineException(
                    EngineException.Kind.UNREACHABLE, "the connection to the Docker daemon was closed", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof EngineException failure) {
                throw failure;
            }
            throw new IllegalStateException("Expected to inspect containers, but could not", e.getCause());
        } finally {
            parts.forEach(part -> part.cancel(true));
        }
    }

    /** As the engine tells it; nothing if it is gone. */
    Optional<JsonNode> tree(String idOrName) throws EngineException, InterruptedException {
        return tree(idOrName, deadline);
    }

    private Optional<JsonNode> tree(String idOrName, Duration patience) throws EngineException, InterruptedException {
        Answer answer = asking.ask(Call.get(Call.container(idOrName) + "/json"), patience);
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
        if (slow.get() < MOST_SLOW) {
            try {
                Duration patience = deadline.compareTo(PATIENCE) < 0 ? deadline : PATIENCE;
                return tree(summary.path("Id").asText(), patience).map(FactsReader::container);
            } catch (EngineException e) {
                if (e.kind() != EngineException.Kind.TOO_SLOW) {
                    throw e;
                }
                slow.incrementAndGet();
                LOG.warn("Expected to look at a container that is listed, but could not: {}", e.getMessage());
            }
        }
        return Optional.of(FactsReader.summary(summary));
    }
}
