package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.table.Columns;
import dev.mooring.api.types.Column;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ObservedContainer.Kind;
import dev.mooring.node.container.ObservedContainer.Waiting;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Pod whose status is computed repeatedly, from containers that a line of text describes.
 *
 * <p>A line is a list of {@code NAME=STATE}: names that begin with {@code i} are init containers, with {@code s}
 * sidecars. STATE may be followed by {@code #ATTEMPT}, and by {@code !REASON} for which the container waits. States:
 * none, created, run (started and ready), starting, unready, paused, exitN, oom, starterror.
 */
final class PodStatusFixture {
    static final Instant START = Instant.parse("2026-11-16T12:00:00.750Z");

    private ObjectNode pod;
    private Instant now = START;
    private Optional<State> sandbox = Optional.of(State.RUNNING);
    private Optional<ObservedPod.PodFailure> failure = Optional.empty();
    private Map<String, String> unhealthy = Map.of();
    private String message = "";
    private boolean onlyNewestContainers;

    PodStatusFixture(String restartPolicy, String names) {
        pod = WorldFixture.objects("""
            {kind: Pod, metadata: {name: p, namespace: default}, spec: {nodeName: n1, restartPolicy: %s},
             status: {phase: Pending, qosClass: BestEffort, conditions: [
               {type: PodScheduled, status: "True", lastTransitionTime: "2026-11-16T11:59:59Z"}]}}
            """.formatted(restartPolicy)).get(0);
        for (String name : names.split(" ", -1)) {
            String list = name.startsWith("i") || name.startsWith("s") ? "initContainers" : "containers";
            ArrayNode containers = pod.withObject("/spec").withArray(list);
            ObjectNode container = containers.addObject().put("name", name).put("image", "busybox");
            if (name.startsWith("s")) {
                container.put("restartPolicy", "Always");
            }
        }
    }

    ObjectNode object() {
        return pod;
    }

    ObjectNode status() {
        return (ObjectNode) pod.get("status");
    }

    PodStatusFixture pass(int seconds) {
        now = now.plusSeconds(seconds);
        return this;
    }

    PodStatusFixture delete() {
        pod.withObject("/metadata").put("deletionTimestamp", "2026-11-16T12:00:30Z");
        return this;
    }

    PodStatusFixture sandbox(Optional<State> state) {
        sandbox = state;
        return this;
    }

    PodStatusFixture fail(String reason, String failureMessage) {
        failure = Optional.of(new ObservedPod.PodFailure(reason, failureMessage));
        return this;
    }

    PodStatusFixture unhealthy(Map<String, String> volumes) {
        unhealthy = volumes;
        return this;
    }

    /** Sets the termination message of containers. */
    PodStatusFixture terminationMessage(String text) {
        message = text;
        return this;
    }

    /** Removes all containers but the newest from the engine. */
    PodStatusFixture onlyNewestContainers() {
        onlyNewestContainers = true;
        return this;
    }

    /** Computes the status of the Pod with these containers, and stores it in the Pod. */
    PodStatusFixture observe(String line) {
        pod.set("status", PodStatus.of(observed(line)));
        return this;
    }

    ObservedPod observed(String line) {
        Pod view = Pod.of(WorldFixture.draft(pod).at(7));
        List<ObservedContainer> containers = new ArrayList<>();
        for (String entry : line.split(" ", -1)) {
            String name = entry.substring(0, entry.indexOf('='));
            containers.add(container(view, name, entry.substring(name.length() + 1)));
        }
        return new ObservedPod(
                view,
                containers,
                sandbox.map(state -> facts("sandbox", 0, state, 0)),
                unhealthy,
                failure,
                "192.0.2.1",
                now);
    }

    private ObservedContainer container(Pod view, String name, String description) {
        String[] waiting = description.split("!", 2);
        String[] attempt = waiting[0].split("#", 2);
        int number = attempt.length > 1 ? Integer.parseInt(attempt[1]) : 0;
        Optional<ContainerFacts> current = current(name, attempt[0], number);
        Optional<ContainerFacts> previous = number > 0 && !onlyNewestContainers
                ? Optional.of(facts(name, number - 1, State.EXITED, 1))
                : Optional.empty();
        boolean up = attempt[0].equals("run") || attempt[0].equals("paused");
        return new ObservedContainer(
                spec(view, name),
                name.startsWith("i") ? Kind.INIT : name.startsWith("s") ? Kind.SIDECAR : Kind.CONTAINER,
                current,
                previous,
                waiting.length > 1 ? Optional.of(new Waiting(waiting[1], "because " + waiting[1])) : Optional.empty(),
                up || attempt[0].equals("unready"),
                up,
                current.isPresent() ? message : "",
                "");
    }

    private static JsonNode spec(Pod view, String name) {
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode each : view.spec().path(list)) {
                if (each.path("name").asText().equals(name)) {
                    return each;
                }
            }
        }
        throw new AssertionError("No container named " + name);
    }

    private Optional<ContainerFacts> current(String name, String state, int attempt) {
        if (state.startsWith("exit")) {
            return Optional.of(facts(name, attempt, State.EXITED, Integer.parseInt(state.substring("exit".length()))));
        }
        return switch (state) {
            case "none" -> Optional.empty();
            case "created", "starterror" ->
                Optional.of(facts(name, attempt, State.CREATED, 0))
                        .map(each -> state.equals("created") ? each : withError(each, "no such file: /nope"));
            case "oom" -> Optional.of(facts(name, attempt, State.EXITED, 137).asOomKilled());
            case "paused" -> Optional.of(facts(name, attempt, State.PAUSED, 0));
            case "run", "starting", "unready" -> Optional.of(facts(name, attempt, State.RUNNING, 0));
            default -> throw new AssertionError("Unknown state " + state);
        };
    }

    private static ContainerFacts facts(String name, int attempt, State state, int exitCode) {
        Instant created = START.plus(Duration.ofMinutes(attempt));
        ContainerLabels.ContainerIdentity labels = new ContainerLabels.ContainerIdentity(
                "x", "uid-p", "p", "default", ContainerLabels.ContainerRole.CONTAINER, name, attempt, 0, "spec", "");
        return new ContainerFacts(
                name + '-' + attempt,
                labels.containerName(),
                "busybox:latest",
                "sha256:abc",
                labels.toLabels(),
                state,
                created,
                state == State.CREATED ? Optional.empty() : Optional.of(created.plusSeconds(1)),
                state == State.EXITED ? Optional.of(created.plusSeconds(30)) : Optional.empty(),
                exitCode,
                false,
                "",
                name.equals("sandbox") ? "172.17.0.5" : "");
    }

    private static ContainerFacts withError(ContainerFacts facts, String error) {
        return new ContainerFacts(
                facts.id(),
                facts.name(),
                facts.image(),
                facts.imageId(),
                facts.labels(),
                facts.state(),
                facts.created(),
                facts.started(),
                facts.finished(),
                facts.exitCode(),
                facts.oomKilled(),
                error,
                facts.address());
    }

    /** Returns the status, reason and message of a condition. */
    String condition(String type) {
        for (JsonNode each : status().path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return (each.path("status").asText()
                                + ' '
                                + each.path("reason").asText("")
                                + ' '
                                + each.path("message").asText(""))
                        .trim();
            }
        }
        return "";
    }

    JsonNode container(String name) {
        for (String list : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode each : status().path(list)) {
                if (each.path("name").asText().equals(name)) {
                    return each;
                }
            }
        }
        throw new AssertionError("No status of container " + name);
    }

    /** Returns the phase, and READY, STATUS and RESTARTS as {@code kubectl get pods} shows them. */
    String line() {
        List<String> cells = new ArrayList<>(List.of(status().path("phase").asText()));
        for (Column column : Columns.POD) {
            if (List.of("Ready", "Status", "Restarts").contains(column.name())) {
                cells.add(column.cell().of(pod, now).toString());
            }
        }
        return String.join(" ", cells);
    }
}
