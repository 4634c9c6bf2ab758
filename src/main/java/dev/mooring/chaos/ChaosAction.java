package dev.mooring.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A fault to inject. Each ends by itself within {@link #MAX_DURATION}. Immutable. */
public sealed interface ChaosAction {
    /** Maximum duration of all faults. */
    Duration MAX_DURATION = Duration.ofMinutes(10);

    /** Stands for all verticles. */
    String ALL = "all";

    /** Returns the name in the command line and the API path. */
    String name();

    /** Kills a verticle, which the supervisor then restarts. */
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
     * Makes the next volume set-ups for Pods fail before anything is touched.
     *
     * @param node the node; empty for the one that receives the request
     * @param length after which the remaining failures are disarmed
     */
    record FailNextMounts(int count, Optional<String> node, String reason, Duration length) implements ChaosAction {
        public static final int MAX_COUNT = 1000;

        @Override
        public String name() {
            return "fail-next-mounts";
        }
    }

    /** Makes all operations on an NFS server wait, as if it accepted connections and never responded. */
    record HangServer(String server, Duration length) implements ChaosAction {
        @Override
        public String name() {
            return "hang-server";
        }
    }

    /**
     * Kills random verticles repeatedly.
     *
     * @param targets the verticles; empty for all
     * @param seed to repeat the same sequence
     */
    record Monkey(Duration every, Duration length, List<String> targets, OptionalLong seed) implements ChaosAction {
        public static final Duration MIN_INTERVAL = Duration.ofMillis(50);

        public Monkey {
            targets = List.copyOf(targets);
        }

        @Override
        public String name() {
            return "monkey";
        }
    }

    /** Ends all active faults. */
    record Stop() implements ChaosAction {
        @Override
        public String name() {
            return "stop";
        }
    }
}
