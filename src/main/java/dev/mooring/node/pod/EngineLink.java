package dev.mooring.node.pod;

import dev.mooring.control.Backoff;
import dev.mooring.model.ObjectKey;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineInfo;
import java.time.Duration;
import java.util.Optional;
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
    private int failures;
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
            ContainerRuntime runtime,
            String instance,
            ContainerBook book,
            PodWakes wakes,
            Consumer<State> told) {
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
                absent(e);
                pause();
            } catch (RuntimeException e) {
                failures++;
                LOG.atError().setCause(e).log("Expected to follow the container engine, but failed; it is tried again");
                pause();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void absent(EngineException why) {
        boolean news = failures == 0;
        failures++;
        book.absent(why.getMessage());
        told.accept(new State.Absent(why.getMessage()));
        if (news) {
            LOG.atWarn()
                    .addKeyValue("reason", why.getMessage())
                    .log("Expected the container engine to answer, but it does not; containers are left as they are until"
                            + " it does");
            wakes.everything();
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
            long ticket = book.ticket();
            book.load(runtime.list(instance), ticket);
            LOG.atInfo().addKeyValue("engine", info.text()).log("The container engine answers");
            failures = 0;
            told.accept(new State.Present(info));
            wakes.everything();
            while (true) {
                News next = news.poll(NET.toMillis(), TimeUnit.MILLISECONDS);
                if (next == null) {
                    long again = book.ticket();
                    book.load(runtime.list(instance), again).forEach(wakes);
                } else if (next instanceof News.Happened happened) {
                    look(happened.id());
                } else {
                    throw ((News.Ended) next).why();
                }
            }
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

    private void look(String id) throws EngineException, InterruptedException {
        long ticket = book.ticket();
        Optional<ContainerFacts> facts = runtime.inspect(id);
        Optional<ObjectKey> pod =
                facts.isPresent() ? book.put(facts.get(), ticket) : book.removed(id);
        pod.ifPresent(wakes);
    }

    @Override
    public void close() {
        ending.countDown();
        thread.interrupt();
    }
}
