package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.view.Pod;
import dev.mooring.node.image.ImageState;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.node.pod.ContainerBook.Page;
import dev.mooring.node.probe.Verdict;
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

/** What is decided about a Pod, for every way it can stand. Steps are written as {@code verb what#attempt}. */
abstract class PlannedPod {
    static final Instant START = Facts.START;
    static final ContainerFacts SANDBOX = Facts.sandbox(0, State.RUNNING, START);

    String spec = "containers: [{name: c, image: busybox}]";
    String metadata = "";
    String status = "{}";
    final List<ContainerFacts> facts = new ArrayList<>();
    final Map<String, Busy> busy = new HashMap<>();
    final Map<String, Trouble> troubles = new HashMap<>();
    final Map<String, String> missing = new HashMap<>();
    Instant now = START.plusSeconds(2);
    ImageState image = new ImageState.Present(new ImageFacts("sha256:1", List.of(), 1, ""));
    Verdict verdict = new Verdict(true, true, Optional.empty());
    boolean needsAddress;

    PodPlan plan() {
        World world = Worlds.of("{kind: Pod, metadata: {name: p, namespace: default" + metadata
                + "}, spec: {nodeName: n1, terminationGracePeriodSeconds: 30, " + spec + "}, status: " + status + "}");
        Pod pod = Pod.of(world.get(Pod.key("default", "p")).orElseThrow());
        Map<String, List<ContainerFacts>> containers = new HashMap<>();
        List<ContainerFacts> sandboxes = new ArrayList<>();
        for (ContainerFacts each : facts) {
            if (each.whose().container().isEmpty()) {
                sandboxes.add(0, each);
            } else {
                containers
                        .computeIfAbsent(each.whose().container(), name -> new ArrayList<>())
                        .add(0, each);
            }
        }
        return PodPlanner.plan(new PodLook(
                pod,
                new Page(sandboxes, containers, busy, troubles),
                new VolumeReadiness(List.of(), missing, Map.of()),
                new Outside(),
                now));
    }

    private final class Outside implements PodLook.Outside {
        @Override
        public ImageState image(JsonNode spec) {
            return image;
        }

        @Override
        public Verdict verdict(JsonNode spec, String containerId) {
            return verdict;
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

    List<String> steps() {
        return steps(plan());
    }

    static List<String> steps(PodPlan plan) {
        return plan.steps().stream().map(PlannedPod::text).toList();
    }

    private static String text(Step step) {
        if (step instanceof Step.BeginSandbox sandbox) {
            return "sandbox #" + sandbox.attempt();
        }
        if (step instanceof Step.Make make) {
            return "make " + make.spec().path("name").asText() + '#' + make.attempt() + " after " + make.setbacks();
        }
        if (step instanceof Step.Start start) {
            return "start " + start.spec().path("name").asText() + '#'
                    + start.made().whose().attempt();
        }
        if (step instanceof Step.Stop stop) {
            return "stop " + stop.live().whose().container() + " in "
                    + Duration.between(START, stop.end()).toSeconds()
                    + (stop.why().isEmpty() ? "" : ": " + stop.why());
        }
        if (step instanceof Step.Hasten hasten) {
            return "hasten " + hasten.live().whose().container();
        }
        return "remove "
                + String.join(
                        " ",
                        ((Step.Remove) step)
                                .ended().stream()
                                        .map(ContainerFacts::id)
                                        .sorted()
                                        .toList());
    }

    void has(ContainerFacts... found) {
        facts.addAll(Arrays.asList(found));
    }

    String waiting(String container) {
        return plan().waiting(container).map(ContainerSight.Waiting::reason).orElse("");
    }
}
