package dev.mooring.node.container;

import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.ImageFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks an engine whether it has images. Concurrent requests for one reference share one engine call. Thread-safe; never
 * blocks the caller.
 */
final class ImageInspector {
    private static final Logger LOG = LoggerFactory.getLogger(ImageInspector.class);

    private final ContainerRuntime runtime;
    private final Executor threads;
    private final Map<String, List<Consumer<ImageInspection>>> open = new HashMap<>();

    ImageInspector(ContainerRuntime runtime, Executor threads) {
        this.runtime = runtime;
        this.threads = threads;
    }

    /** The result of an inspection. */
    sealed interface ImageInspection {}

    /**
     * The engine responded.
     *
     * @param image empty if the engine does not have it
     */
    record Inspected(Optional<ImageFacts> image) implements ImageInspection {}

    record Failed(String message) implements ImageInspection {}

    /** The engine did not respond. */
    record Unknown() implements ImageInspection {}

    /**
     * Inspects an image.
     *
     * @param waiter called once, on another thread
     */
    void inspect(String reference, Consumer<ImageInspection> waiter) {
        synchronized (open) {
            List<Consumer<ImageInspection>> waiting = open.get(reference);
            if (waiting != null) {
                waiting.add(waiter);
                return;
            }
            open.put(reference, new ArrayList<>(List.of(waiter)));
        }
        try {
            threads.execute(() -> run(reference));
        } catch (RejectedExecutionException e) {
            LOG.atDebug().setCause(e).log("Executor is shut down; ignoring image inspection");
        }
    }

    private void run(String reference) {
        ImageInspection inspection = inspectNow(reference);
        List<Consumer<ImageInspection>> waiting;
        synchronized (open) {
            waiting = open.remove(reference);
        }
        waiting.forEach(each -> each.accept(inspection));
    }

    private ImageInspection inspectNow(String reference) {
        try {
            return new Inspected(runtime.image(reference));
        } catch (EngineException e) {
            return e.isUnavailable() ? new Unknown() : new Failed(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Unknown();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("image", reference).setCause(e).log("Failed to inspect image");
            return new Failed("inspecting it failed because of a bug in Mooring: " + e);
        }
    }
}
