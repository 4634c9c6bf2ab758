package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ImageState;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.pods.ContainerCache.ActionInProgress;
import dev.mooring.node.pods.ContainerCache.CachedPod;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Plans the actions for a Pod in a given state. Actions are written as {@code verb container#attempt}. */
abstract class PodPlannerFixture {
    static final Instant START = ContainerFactsFixture.START;
    static final ContainerFacts SANDBOX = ContainerFactsFixture.sandbox(0, State.RUNNING, START);

    String spec = "containers: [{name: c, image: busybox}]";
    String metadata = "";
    String status = "{}";
    final List<ContainerFacts> facts = new ArrayList<>();
    final Map<String, ActionInProgress> busy = new HashMap<>();
    final Map<String, PodActionFailure> failures = new HashMap<>();
    final Map<String, String> missing = new HashMap<>();
    Instant now = START.plusSeconds(2);
    ImageState image = new ImageState.Present(new ImageFacts("sha256:1", List.of(), List.of(), List.of(), 1, ""));
    ProbeManager.ProbeStatus probeStatus = new ProbeManager.ProbeStatus(true, true, Optional.empty());
    boolean needsAddress;

    PodPlan plan() {
        World world = WorldFixture.of("{kind: Pod, metadata: {name: p, namespace: default" + metadata
                + "}, spec: {nodeName: n1, terminationGracePeriodSeconds: 30, " + spec + "}, status: " + status + "}");
        Pod pod = Pod.of(world.get(Pod.key("default", "p")).orElseThrow());
        Map<String, List<ContainerFacts>> containers = new HashMap<>();
        List<ContainerFacts> sandboxes = new ArrayList<>();
        for (ContainerFacts each : facts) {
            if (each.identity().container().isEmpty()) {
                sandboxes.add(0, each);
            } else {
                containers
                        .computeIfAbsent(each.identity().container(), name -> new ArrayList<>())
                        .add(0, each);
            }
        }
        return PodPlanner.plan(new PodPlannerInput(
                pod,
                new CachedPod(sandboxes, containers, busy, failures),
                new VolumeReadiness(List.of(), missing, Map.of()),
                new FakeQueries(),
                now));
    }

    private final class FakeQueries implements PodPlannerInput.Queries {
        @Override
        public ImageState image(JsonNode spec) {
            return image;
        }

        @Override
        public ProbeManager.ProbeStatus probeStatus(JsonNode spec, String containerId) {
            return probeStatus;
        }

        @Override
        public Optional<Duration> grace(JsonNode spec, String probe) {
            return spec.path("livenessProbe").isObject() ? Optional.of(Duration.ofSeconds(5)) : Optional.empty();
        }

        @Override
        public String hash(JsonNode spec) {
            return spec.path("image").asText().equals("busybox") ? "hash" : "another";
        }

        @Override
        public boolean needsAddress(JsonNode spec) {
            return needsAddress;
        }
    }

    List<String> plannedActions() {
        return plannedActions(plan());
    }

    static List<String> plannedActions(PodPlan plan) {
        return plan.actions().stream().map(PodPlannerFixture::text).toList();
    }

    private static String text(PodAction action) {
        if (action instanceof PodAction.StartSandbox sandbox) {
            return "sandbox #" + sandbox.attempt();
        }
        if (action instanceof PodAction.CreateContainer create) {
            return "create " + create.spec().path("name").asText() + '#' + create.attempt() + " after "
                    + create.backoffCount();
        }
        if (action instanceof PodAction.StartContainer start) {
            return "start " + start.spec().path("name").asText() + '#'
                    + start.container().identity().attempt();
        }
        if (action instanceof PodAction.StopContainer stop) {
            return "stop " + stop.container().identity().container() + " in "
                    + Duration.between(START, stop.deadline()).toSeconds()
                    + (stop.reason().isEmpty() ? "" : ": " + stop.reason());
        }
        if (action instanceof PodAction.ShortenGrace shorten) {
            return "shorten grace of " + shorten.container().identity().container();
        }
        return "remove "
                + String.join(
                        " ",
                        ((PodAction.RemoveContainers) action)
                                .containers().stream()
                                        .map(ContainerFacts::id)
                                        .sorted()
                                        .toList());
    }

    void addContainers(ContainerFacts... added) {
        facts.addAll(Arrays.asList(added));
    }

    String waiting(String container) {
        return plan().waiting(container).map(ObservedContainer.Waiting::reason).orElse("");
    }
}
