package dev.mooring.node.image;

import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerRuntime.Credentials;
import dev.mooring.runtime.EngineException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches images: so many at a time, never two of one reference at once. Who asks for what is being fetched with the same credentials waits for
 * that. A pull goes on when nobody waits for it any more: what it brought is there for the next. Thread-safe; nobody who asks is held up.
 */
final class Pulls {
    private static final Logger LOG = LoggerFactory.getLogger(Pulls.class);
    private static final Duration BETWEEN_TIDINGS = Duration.ofSeconds(10);

    private final ContainerRuntime runtime;
    private final WorkParts parts;
    private final int atOnce;

    private final Object lock = new Object();
    private final Map<Wanted, Pull> open = new HashMap<>();
    private final Deque<Pull> queue = new ArrayDeque<>();
    private final Set<String> references = new HashSet<>();

    Pulls(ContainerRuntime runtime, WorkParts parts, int atOnce) {
        this.runtime = runtime;
        this.parts = parts;
        this.atOnce = atOnce;
    }

    /** What is to be fetched. Not to be printed with its passwords, of which {@link Credentials} takes care. */
    record Wanted(String reference, List<Credentials> credentials) {}

    /** Is told on the thread that pulls. */
    interface Waiter {
        /** Now and then. */
        void progress(long doneBytes, long totalBytes);

        /** Once. */
        void ended(PullEnd end);
    }

    private static final class Pull {
        private final Wanted wanted;
        private final List<Waiter> waiters = new ArrayList<>();
        private Instant lastTidings = Instant.EPOCH;

        Pull(Wanted wanted) {
            this.wanted = wanted;
        }
    }

    void join(Wanted wanted, Waiter waiter) {
        synchronized (lock) {
            Pull pull = open.get(wanted);
            if (pull == null) {
                pull = new Pull(wanted);
                open.put(wanted, pull);
                queue.add(pull);
            }
            pull.waiters.add(waiter);
        }
        dispatch();
    }

    private void dispatch() {
        for (Pull pull : admit()) {
            try {
                parts.threads().execute(() -> run(pull));
            } catch (RejectedExecutionException e) {
                // There are no threads any more: the process is ending, and nobody waits.
                leave(pull);
            }
        }
    }

    private List<Pull> admit() {
        List<Pull> admitted = new ArrayList<>();
        synchronized (lock) {
            Iterator<Pull> waiting = queue.iterator();
            while (references.size() < atOnce && waiting.hasNext()) {
                Pull pull = waiting.next();
                if (references.add(pull.wanted.reference())) {
                    waiting.remove();
                    admitted.add(pull);
                }
            }
        }
        return admitted;
    }

    private void run(Pull pull) {
        PullEnd end = new PullEnd.Unknown();
        List<Waiter> waiters;
        try {
            end = pull(pull);
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("image", pull.wanted.reference())
                    .setCause(e)
                    .log("Expected an engine to fetch an image or to say why not, but it broke");
            end = new PullEnd.Failed("fetching it broke, which is a fault in Mooring: "
                    + e.getClass().getSimpleName());
        } finally {
            waiters = leave(pull);
            dispatch();
        }
        for (Waiter each : waiters) {
            each.ended(end);
        }
    }

    private List<Waiter> leave(Pull pull) {
        synchronized (lock) {
            open.remove(pull.wanted, pull);
            references.remove(pull.wanted.reference());
            return List.copyOf(pull.waiters);
        }
    }

    private PullEnd pull(Pull pull) {
        Instant begun = parts.clock().instant();
        pull.lastTidings = begun;
        List<Optional<Credentials>> ways = new ArrayList<>();
        pull.wanted.credentials().forEach(each -> ways.add(Optional.of(each)));
        if (ways.isEmpty()) {
            ways.add(Optional.empty());
        }
        List<String> failures = new ArrayList<>();
        for (Optional<Credentials> way : ways) {
            try {
                return new PullEnd.Done(
                        runtime.pull(pull.wanted.reference(), way, (done, total) -> progress(pull, done, total)),
                        Duration.between(begun, parts.clock().instant()));
            } catch (EngineException e) {
                if (e.isAbsence() && !isSlowRegistry(pull, e)) {
                    return new PullEnd.Unknown();
                }
                failures.add(withoutPassword(e.getMessage(), way));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new PullEnd.Unknown();
            }
        }
        return new PullEnd.Failed(failures.size() == 1 ? failures.get(0) : '[' + String.join(", ", failures) + ']');
    }

    /** An engine that did not end in time with a pull, and answers when it is asked for something else, waits for the registry. */
    private boolean isSlowRegistry(Pull pull, EngineException e) {
        if (e.kind() != EngineException.Kind.TOO_SLOW) {
            return false;
        }
        try {
            runtime.image(pull.wanted.reference());
            return true;
        } catch (EngineException again) {
            return !again.isAbsence();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Engines do not repeat passwords; registries are anybody's. */
    private static String withoutPassword(String message, Optional<Credentials> used) {
        String words = message == null ? "" : message;
        String password = used.map(Credentials::password).orElse("");
        return password.isEmpty() ? words : words.replace(password, "***");
    }

    private void progress(Pull pull, long done, long total) {
        Instant now = parts.clock().instant();
        List<Waiter> waiters;
        synchronized (lock) {
            if (now.isBefore(pull.lastTidings.plus(BETWEEN_TIDINGS))) {
                return;
            }
            pull.lastTidings = now;
            waiters = List.copyOf(pull.waiters);
        }
        for (Waiter each : waiters) {
            each.progress(done, total);
        }
    }
}
