package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.node.container.PodVolume;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ImageFacts;
import java.time.Instant;
import java.util.List;

/** Something to be done to a Pod's containers. */
sealed interface Step {
    String SANDBOX = "sandbox";
    String BEGINNING = "container/";
    String REMOVAL = "removal";
    String SANDBOX_REMOVAL = "removal/sandbox";

    /** What no two may work on at once. */
    String slot();

    static String slot(String container) {
        return BEGINNING + container;
    }

    /** Whether a container is made or started there. */
    static boolean begins(String slot) {
        return slot.startsWith(BEGINNING);
    }

    /**
     * Makes the sandbox, if it is not made, and starts it.
     *
     * @param setbacks how many before it ended soon, in a row
     */
    record BeginSandbox(int attempt, int setbacks) implements Step {
        @Override
        public String slot() {
            return SANDBOX;
        }
    }

    /**
     * Makes a container.
     *
     * @param spec as in the Pod
     */
    record Make(
            JsonNode spec,
            ContainerSight.Kind kind,
            int attempt,
            int setbacks,
            ImageFacts image,
            List<PodVolume> volumes)
            implements Step {
        @Override
        public String slot() {
            return Step.slot(spec.path("name").asText());
        }
    }

    /** Starts one that is made, and runs its postStart hook. */
    record Start(JsonNode spec, ContainerFacts made, List<PodVolume> volumes) implements Step {
        @Override
        public String slot() {
            return Step.slot(spec.path("name").asText());
        }
    }

    /**
     * Ends one that runs.
     *
     * @param end when its time is up
     * @param why for people; "" if that goes without saying
     */
    record Stop(JsonNode spec, ContainerFacts live, Instant end, String why) implements Step {
        /** Another one than that of its beginning: what runs can be ended while its postStart hook goes on. */
        @Override
        public String slot() {
            return Stop.slot(live.whose().container());
        }

        static String slot(String container) {
            return "stop/" + container;
        }
    }

    /** Ends one sooner that is being ended. */
    record Hasten(ContainerFacts live, Instant end) implements Step {
        @Override
        public String slot() {
            return Hasten.slot(live.whose().container());
        }

        static String slot(String container) {
            return "hasten/" + container;
        }
    }

    /** Removes what has ended, with all it wrote outside of volumes. */
    record Remove(String slot, List<ContainerFacts> ended) implements Step {
        Remove(List<ContainerFacts> ended) {
            this(REMOVAL, ended);
        }
    }

    /** Whether what is done there concerns a sandbox alone, which has no volumes. */
    static boolean isOfSandbox(String slot) {
        return slot.equals(SANDBOX) || slot.equals(SANDBOX_REMOVAL);
    }
}
