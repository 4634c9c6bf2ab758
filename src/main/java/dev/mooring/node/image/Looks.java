package dev.mooring.node.image;

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

/** Asks an engine whether it has images: one question about a reference for all who ask it meanwhile. Thread-safe; nobody who asks is held up. */
final class Looks {
    private static final Logger LOG = LoggerFactory.getLogger(Looks.class);

    private final ContainerRuntime runtime;
    private final Executor threads;
    private final Map<String, List<Consumer<Look>>> open = new HashMap<>();

    Looks(ContainerRuntime runtime, Executor threads) {
        this.runtime = runtime;
        this.threads = threads;
    }

    /** What a look showed. */
    sealed interface Look {}

    /** @param image nothing if the engine does not have it */
    record Seen(Optional<ImageFacts> image) implements Look {}

    record Failed(String message) implements Look {}

    /** The engine did not answer. */
    record Unknown() implements Look {}

    /** @param waiter told once, on another thread */
    void join(String reference, Consumer<Look> waiter) {
        synchronized (open) {
            List<Consumer<Look>> waiting = open.get(reference);
            if (waiting != null) {
                waiting.add(waiter);
                return;
            }
            open.put(reference, new ArrayList<>(List.of(waiter)));
        }
        try {
            threads.execute(() -> run(reference));
        } catch (RejectedExecutionException e) {
            LOG.atDebug().setCause(e).log("There are no threads any more: the process is ending");
        }
    }

    private void run(String reference) {
        Look look = look(reference);
        List<Consumer<Look>> waiting;
        synchronized (open) {
            waiting = open.remove(reference);
        }
        waiting.forEach(each -> each.accept(look));
    }

    private Look look(String reference) {
        try {
            return new Seen(runtime.image(reference));
        } catch (EngineException e) {
            return e.isAbsence() ? new Unknown() : new Failed(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Unknown();
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("image", reference)
                    .setCause(e)
                    .log("Expected an engine to say whether it has an image, but it broke");
            return new Failed("asking for it broke, which is a fault in Mooring: " + e);
        }
    }
}
