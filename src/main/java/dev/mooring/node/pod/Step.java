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
    String REMOVAL = "removal";

    /** What no two may work on at once. */
    String slot();

    static String slot(String container) {
        return "container/" + container;
    }

    /** Makes the sandbox, if it is not made, and starts it. */
    record BeginSandbox(int attempt) implements Step {
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
            JsonNode spec, ContainerSight.Kind kind, int attempt, int setbacks, ImageFacts image, List<PodVolume> volumes)
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
        @Override
        public String slot() {
            return Step.slot(live.whose().container());
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
    record Remove(List<ContainerFacts> ended) implements Step {
        @Override
        public String slot() {
            return REMOVAL;
        }
    }
}
