package dev.mooring.node.pod;

import dev.mooring.control.Backoff;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineInfo;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link ContainerBook} true: looks at everything the engine has, then follows what happens there, and begins anew whenever the engine has
 * been away. One thread of its own, which blocks on the engine and nothing else waits for.
 */
public final class EngineLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineLink.class);

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5));

    /** In case the engine forgets to tell something. */
    private static final Duration NET = Duration.ofMinutes(5);

    private final ContainerRuntime runtime;
    private final String instance;
    private final ContainerBook book;
    private final PodWakes wakes;
    private final Consumer<State> told;
    private final Set<String> unseen = new LinkedHashSet<>();
    private int failures;
    private Optional<State> last = Optional.empty();
    private final CountDownLatch ending = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "mooring-engine");

    /** What is known of the engine. */
    public sealed interface State {
        record Present(EngineInfo info) implements State {}

        /** @param why in the engine's words, or those of who tried to reach it */
        record Absent(String why) implements State {}
    }

    private sealed interface News {
        record Happened(String id) implements News {}

        record Ended(EngineException why) implements News {}
    }

    /**
     * @param wakes has Pods looked at whose containers have changed
     * @param told of the engine's coming and going, after the book knows
     */
    public EngineLink(
            ContainerRuntime runtime, String instance, ContainerBook book, PodWakes wakes, Consumer<State> told) {
        this.runtime = runtime;
        this.instance = instance;
        this.book = book;
        this.wakes = wakes;
        this.told = told;
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        while (ending.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
            try {
                follow();
            } catch (EngineException e) {
                absent(e.getMessage());
                pause();
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("Expected to follow the container engine, but failed; it is tried again");
                absent(String.valueOf(e.getMessage()));
                pause();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void absent(String why) {
        boolean news = !(last.orElse(null) instanceof State.Absent);
        failures++;
        book.absent(why);
        tell(new State.Absent(why));
        if (news) {
            LOG.atWarn()
                    .addKeyValue("reason", why)
                    .log("Expected the container engine to answer, but it does not; containers are left as they are"
                            + " until it does");
            wakes.everything();
        }
    }

    private void tell(State state) {
        if (!last.equals(Optional.of(state))) {
            last = Optional.of(state);
            told.accept(state);
        }
    }

    private void pause() {
        try {
            ending.await(BACKOFF.after(failures).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until the engine goes. */
    private void follow() throws EngineException, InterruptedException {
        EngineInfo info = runtime.info();
        BlockingQueue<News> news = new LinkedBlockingQueue<>();
        try (Closing feed = feed(news)) {
            unseen.clear();
            long ticket = book.ticket();
            book.load(runtime.list(instance), ticket);
            LOG.atInfo().addKeyValue("engine", info.text()).log("The container engine answers");
            tell(new State.Present(info));
            wakes.everything();
            while (true) {
                hear(news);
                // Not before: one that goes as soon as it comes is asked less and less often.
                failures = 0;
            }
        }
    }

    /** Waits for news, and has what happened looked at. What happened many times is looked at once. */
    private void hear(BlockingQueue<News> news) throws EngineException, InterruptedException {
        Duration patience = unseen.isEmpty() ? NET : BACKOFF.longest();
        News first = news.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (first == null && unseen.isEmpty()) {
            long ticket = book.ticket();
            book.load(runtime.list(instance), ticket).forEach(wakes);
            return;
        }
        Set<String> happened = new LinkedHashSet<>(unseen);
        for (News each = first; each != null; each = news.poll()) {
            if (each instanceof News.Ended ended) {
                throw ended.why();
            }
            happened.add(((News.Happened) each).id());
        }
        for (String id : happened) {
            look(id);
        }
    }

    private interface Closing extends AutoCloseable {
        @Override
        void close();
    }

    private Closing feed(BlockingQueue<News> news) throws EngineException, InterruptedException {
        AutoCloseable feed = runtime.follow(instance, new ContainerRuntime.Follower() {
            @Override
            public void happened(String containerId) {
                news.add(new News.Happened(containerId));
            }

            @Override
            public void ended(EngineException why) {
                news.add(new News.Ended(why));
            }
        });
        return () -> {
            try {
                feed.close();
            } catch (Exception e) {
                LOG.debug("The engine's events could not be closed", e);
            }
        };
    }

    /** One container that cannot be looked at is no reason to think that the engine is gone. */
    private void look(String id) throws EngineException, InterruptedException {
        long ticket = book.ticket();
        Optional<ContainerFacts> facts;
        try {
            facts = runtime.inspect(id);
        } catch (EngineException e) {
            if (e.isAbsence()) {
                throw e;
            }
            if (unseen.add(id)) {
                LOG.atWarn()
                        .addKeyValue("container", id)
                        .addKeyValue("reason", e.getMessage())
                        .log("Expected to look at a container, but could not; it is tried again");
            }
            return;
        }
        unseen.remove(id);
        (facts.isPresent() ? book.put(facts.get(), ticket) : book.removed(id)).ifPresent(wakes);
    }

    @Override
    public void close() {
        ending.countDown();
        thread.interrupt();
    }
}
