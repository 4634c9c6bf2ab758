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

/**
 * Which containers there are, and what is to be known of each. The engine's list leaves out when and how a container ended, so each is asked for,
 * a few at a time so that hundreds of them neither take long nor keep the engine from other work. Any thread.
 */
final class Roll {
    private static final int AT_A_TIME = 4;

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
        Queue<String> ids = new ConcurrentLinkedQueue<>();
        listed.forEach(container -> ids.add(container.path("Id").asText()));
        List<Future<List<ContainerFacts>>> parts = new ArrayList<>();
        int parallel = Math.min(AT_A_TIME, listed.size());
        try {
            for (int i = 1; i < parallel; i++) {
                parts.add(threads.submit(() -> inspectAll(ids)));
            }
            List<ContainerFacts> all = new ArrayList<>(inspectAll(ids));
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
        Answer answer = asking.ask(Call.get(Call.container(idOrName) + "/json"), deadline);
        return answer.is(404) ? Optional.empty() : Optional.of(answer.json());
    }

    private List<ContainerFacts> inspectAll(Queue<String> ids) throws EngineException, InterruptedException {
        List<ContainerFacts> facts = new ArrayList<>();
        for (String id = ids.poll(); id != null; id = ids.poll()) {
            tree(id).map(FactsReader::container).ifPresent(facts::add);
        }
        return facts;
    }
}
