package dev.mooring.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Something that can be done to a server. Each ends by itself, within {@link #LONGEST}. Immutable. */
public sealed interface ChaosAction {
    /** Nothing lasts longer, however it was asked for. */
    Duration LONGEST = Duration.ofMinutes(10);

    /** In place of a verticle's name: all of them. */
    String ALL = "all";

    /** What users type, and what the path ends with. */
    String name();

    /** Kills a verticle, which the supervisor then starts again. */
    record Kill(String verticle) implements ChaosAction {
        @Override
        public String name() {
            return "kill";
        }
    }

    /**
     * Stops a verticle for a while.
     *
     * @param verticle its name, or {@link #ALL}
     */
    record Pause(String verticle, Duration length) implements ChaosAction {
        @Override
        public String name() {
            return "pause";
        }
    }

    /**
     * Has the next volumes that are set up for Pods fail, before anything is touched.
     *
     * @param node on which; nothing for the one that is asked
     * @param length after which those that are left are forgotten
     */
    record FailNextMounts(int count, Optional<String> node, String reason, Duration length) implements ChaosAction {
        public static final int MOST = 1000;

        @Override
        public String name() {
            return "fail-next-mounts";
        }
    }

    /** Has everything that asks an NFS server wait, as for one that takes connections and never answers. */
    record HangServer(String server, Duration length) implements ChaosAction {
        @Override
        public String name() {
            return "hang-server";
        }
    }

    /**
     * Kills verticles at random, again and again.
     *
     * @param only which; all of them if there are none
     * @param seed for the same choice of victims once more
     */
    record Monkey(Duration every, Duration length, List<String> only, OptionalLong seed) implements ChaosAction {
        public static final Duration SHORTEST = Duration.ofMillis(50);

        public Monkey {
            only = List.copyOf(only);
        }

        @Override
        public String name() {
            return "monkey";
        }
    }

    /** Ends all of the above that has not ended yet. */
    record Stop() implements ChaosAction {
        @Override
        public String name() {
            return "stop";
        }
    }
}
