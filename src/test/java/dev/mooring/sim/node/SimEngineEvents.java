package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerRuntime.EventListener;
import dev.mooring.runtime.EngineException;
import dev.mooring.sim.SimSerialExecutor;
import dev.mooring.sim.SimTaskGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Event stream of a simulated engine. If unreliable, events are delayed, duplicated, reordered or lost. */
final class SimEngineEvents {
    /** Delivery of an event without a fault. */
    static final String ON_TIME = "on time";

    private static final int DELAY_MILLIS = 60;
    private static final int LONG_DELAY_MILLIS = 8000;

    private final SimTaskGroup taskGroup;
    private final Random random;
    private final List<Feed> feeds = new ArrayList<>();
    private boolean unreliable;

    private final class Feed implements AutoCloseable {
        private final SimSerialExecutor executor = taskGroup.executor("engine-events");
        private final String instance;
        private final EventListener listener;
        private boolean closed;

        Feed(String instance, EventListener listener) {
            this.instance = instance;
            this.listener = listener;
        }

        void emit(String id, int millis) {
            taskGroup.after(Duration.ofMillis(random.nextInt(millis)), executor, () -> {
                if (!closed) {
                    listener.onEvent(id);
                }
            });
        }

        void end(EngineException why) {
            if (!closed) {
                closed = true;
                executor.execute(() -> listener.onStreamEnded(why));
            }
        }

        @Override
        public void close() {
            closed = true;
            feeds.remove(this);
        }
    }

    SimEngineEvents(SimTaskGroup taskGroup, Random random) {
        this.taskGroup = taskGroup;
        this.random = random;
    }

    AutoCloseable subscribe(String instance, EventListener listener) {
        Feed feed = new Feed(instance, listener);
        feeds.add(feed);
        return feed;
    }

    /** Sets whether events may be delayed, duplicated or lost. */
    void setUnreliable(boolean now) {
        unreliable = now;
    }

    /**
     * Emits an event of a container.
     *
     * @return how it was delivered
     */
    String emit(SimContainer container) {
        int chance = unreliable ? random.nextInt(5) : 4;
        for (Feed each : List.copyOf(feeds)) {
            if (!each.instance.equals(container.owner().instance())) {
                continue;
            }
            switch (chance) {
                case 0 -> {} // lost
                case 1 -> each.emit(container.id(), LONG_DELAY_MILLIS);
                case 2 -> {
                    each.emit(container.id(), DELAY_MILLIS);
                    each.emit(container.id(), LONG_DELAY_MILLIS);
                }
                default -> each.emit(container.id(), DELAY_MILLIS);
            }
        }
        return List.of("lost", "late", "duplicated", ON_TIME, ON_TIME).get(chance);
    }

    /** Ends all streams after the engine stopped or restarted. */
    void closeAll(EngineException why) {
        List<Feed> all = List.copyOf(feeds);
        feeds.clear();
        all.forEach(each -> each.end(why));
    }

    /** Drops all streams, because their process was killed. */
    void disconnect() {
        feeds.forEach(each -> each.closed = true);
        feeds.clear();
    }
}
