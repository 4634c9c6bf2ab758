package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerRuntime.Follower;
import dev.mooring.runtime.EngineException;
import dev.mooring.sim.Living;
import dev.mooring.sim.Strand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What an engine tells those who follow it: late, and if it is meant to, twice, in another order, or not at all. */
final class EngineNews {
    private static final int DELAY_MILLIS = 60;
    private static final int LONG_DELAY_MILLIS = 8000;

    private final Living life;
    private final Random random;
    private final List<Feed> feeds = new ArrayList<>();
    private boolean unreliable;

    private final class Feed implements AutoCloseable {
        private final Strand strand = life.strand("engine-news");
        private final String instance;
        private final Follower follower;
        private boolean over;

        Feed(String instance, Follower follower) {
            this.instance = instance;
            this.follower = follower;
        }

        void tell(String id, int millis) {
            life.after(Duration.ofMillis(random.nextInt(millis)), strand, () -> {
                if (!over) {
                    follower.happened(id);
                }
            });
        }

        void end(EngineException why) {
            if (!over) {
                over = true;
                strand.execute(() -> follower.ended(why));
            }
        }

        @Override
        public void close() {
            over = true;
            feeds.remove(this);
        }
    }

    EngineNews(Living life, Random random) {
        this.life = life;
        this.random = random;
    }

    AutoCloseable follow(String instance, Follower follower) {
        Feed feed = new Feed(instance, follower);
        feeds.add(feed);
        return feed;
    }

    /** Whether everything is told, once and soon. */
    void setUnreliable(boolean now) {
        unreliable = now;
    }

    /** Something happened; how it was told, in a word. */
    String tell(SimContainer to) {
        int chance = unreliable ? random.nextInt(5) : 4;
        for (Feed each : List.copyOf(feeds)) {
            if (!each.instance.equals(to.whose().instance())) {
                continue;
            }
            switch (chance) {
                case 0 -> {} // forgotten
                case 1 -> each.tell(to.id(), LONG_DELAY_MILLIS);
                case 2 -> {
                    each.tell(to.id(), DELAY_MILLIS);
                    each.tell(to.id(), LONG_DELAY_MILLIS);
                }
                default -> each.tell(to.id(), DELAY_MILLIS);
            }
        }
        return List.of("forgotten", "late", "twice", "soon", "soon").get(chance);
    }

    /** The engine is gone, or was restarted. */
    void end(EngineException why) {
        List<Feed> all = List.copyOf(feeds);
        feeds.clear();
        all.forEach(each -> each.end(why));
    }

    /** Nobody is there any more to hear it: their process is gone. */
    void disconnect() {
        feeds.forEach(each -> each.over = true);
        feeds.clear();
    }
}
