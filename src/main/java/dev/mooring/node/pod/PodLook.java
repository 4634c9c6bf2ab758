package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.image.ImageState;
import dev.mooring.node.probe.Verdict;
import dev.mooring.runtime.ContainerFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All that is known of a Pod when it is decided what to do about it. Immutable, but for what it asks {@link Outside}.
 *
 * @param page what the engine has of it
 */
record PodLook(Pod pod, ContainerBook.Page page, VolumeReadiness volumes, Outside outside, Instant now) {
    /** What is asked only if it matters. */
    interface Outside {
        /** Asking is the order to fetch it. */
        ImageState image(JsonNode spec);

        Verdict verdict(JsonNode spec, String containerId);

        /** How long a container has to end after a probe failed, if the probe says so. */
        Optional<Duration> grace(JsonNode spec, String probe);

        /** Stands for what makes a container another one. */
        String hash(JsonNode spec);

        /** Whether it can only be made when the Pod has its address. */
        boolean needsAddress(JsonNode spec);
    }

    /** One container: what is asked for, and how far it is. */
    record Member(JsonNode spec, ContainerSight.Kind kind, Standing standing, Slot slot) {
        String name() {
            return spec.path("name").asText("");
        }

        boolean isLive() {
            return standing instanceof Standing.Live;
        }
    }

    /**
     * @param free whether nothing is being done to it
     * @param trouble with what was done last
     */
    record Slot(boolean free, Optional<Trouble> trouble) {}

    List<Member> members(String list) {
        List<Member> members = new ArrayList<>();
        for (JsonNode spec : pod.spec().path(list)) {
            String name = spec.path("name").asText("");
            boolean init = list.equals("initContainers");
            boolean sidecar = init && spec.path("restartPolicy").asText("").equals("Always");
            members.add(new Member(
                    spec,
                    sidecar
                            ? ContainerSight.Kind.SIDECAR
                            : init ? ContainerSight.Kind.INIT : ContainerSight.Kind.CONTAINER,
                    Standing.of(page.of(name), status(init ? "initContainerStatuses" : "containerStatuses", name)),
                    slot(Step.slot(name))));
        }
        return members;
    }

    private JsonNode status(String list, String name) {
        for (JsonNode each : pod.status().path(list)) {
            if (each.path("name").asText("").equals(name)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    Slot slot(String slot) {
        return new Slot(!page.isBusy(slot), Optional.ofNullable(page.troubles().get(slot)));
    }

    /** Containers that run beside the newest one of their name, because somebody has started them by hand, or that the Pod does not have. */
    List<ContainerFacts> strays() {
        Set<String> names = new HashSet<>();
        for (String list : List.of("initContainers", "containers")) {
            pod.spec().path(list).forEach(each -> names.add(each.path("name").asText("")));
        }
        List<ContainerFacts> strays = new ArrayList<>();
        page.containers()
                .forEach((name, all) -> all.stream()
                        .skip(names.contains(name) ? 1 : 0)
                        .filter(ContainerFacts::isLive)
                        .forEach(strays::add));
        return strays;
    }

    Optional<ContainerFacts> sandbox() {
        return page.sandboxes().stream().findFirst();
    }

    boolean isSandboxLive() {
        return sandbox().filter(ContainerFacts::isLive).isPresent();
    }

    String restartPolicy() {
        return pod.spec().path("restartPolicy").asText("Always");
    }
}
