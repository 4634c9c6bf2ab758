package dev.mooring.node.pod.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Column;
import dev.mooring.api.table.Columns;
import dev.mooring.control.Worlds;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pod.ContainerSight;
import dev.mooring.node.pod.ContainerSight.Kind;
import dev.mooring.node.pod.ContainerSight.Waiting;
import dev.mooring.node.pod.PodSight;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Pod whose containers do what a line of text says, seen again and again.
 *
 * <p>A line is a list of {@code NAME=WHAT}: names that begin with {@code i} are init containers, with {@code s} sidecars. WHAT is a state,
 * perhaps {@code #ATTEMPT}, perhaps {@code !REASON} for which it waits. States: none, created, run (started and ready), starting, unready,
 * paused, exitN, oom, starterror.
 */
final class PodScene {
    static final Instant START = Instant.parse("2026-11-16T12:00:00.750Z");

    private ObjectNode pod;
    private Instant now = START;
    private Optional<State> sandbox = Optional.of(State.RUNNING);
    private Optional<PodSight.Failure> failure = Optional.empty();
    private Map<String, String> unhealthy = Map.of();
    private String message = "";
    private boolean forgetful;

    PodScene(String restartPolicy, String names) {
        pod = Worlds.objects("""
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

    PodScene pass(int seconds) {
        now = now.plusSeconds(seconds);
        return this;
    }

    PodScene delete() {
        pod.withObject("/metadata").put("deletionTimestamp", "2026-11-16T12:00:30Z");
        return this;
    }

    PodScene sandbox(Optional<State> state) {
        sandbox = state;
        return this;
    }

    PodScene fail(String reason, String words) {
        failure = Optional.of(new PodSight.Failure(reason, words));
        return this;
    }

    PodScene unhealthy(Map<String, String> volumes) {
        unhealthy = volumes;
        return this;
    }

    /** What containers leave behind from now on. */
    PodScene leaving(String text) {
        message = text;
        return this;
    }

    /** The engine has no container any more but the newest. */
    PodScene forgetful() {
        forgetful = true;
        return this;
    }

    /** Sees the Pod so, and gives it the status that it then has. */
    PodScene see(String line) {
        pod.set("status", PodStatus.of(sight(line)));
        return this;
    }

    PodSight sight(String line) {
        Pod view = Pod.of(Worlds.draft(pod).at(7));
        List<ContainerSight> containers = new ArrayList<>();
        for (String word : line.split(" ", -1)) {
            String name = word.substring(0, word.indexOf('='));
            containers.add(container(view, name, word.substring(name.length() + 1)));
        }
        return new PodSight(
                view,
                containers,
                sandbox.map(state -> facts("sandbox", 0, state, 0)),
                unhealthy,
                failure,
                "192.0.2.1",
                now);
    }

    private ContainerSight container(Pod view, String name, String what) {
        String[] waiting = what.split("!", 2);
        String[] attempt = waiting[0].split("#", 2);
        int number = attempt.length > 1 ? Integer.parseInt(attempt[1]) : 0;
        Optional<ContainerFacts> current = current(name, attempt[0], number);
        Optional<ContainerFacts> previous =
                number > 0 && !forgetful ? Optional.of(facts(name, number - 1, State.EXITED, 1)) : Optional.empty();
        boolean up = attempt[0].equals("run") || attempt[0].equals("paused");
        return new ContainerSight(
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
        throw new AssertionError("Expected a container " + name + ", but there is none");
    }

    private Optional<ContainerFacts> current(String name, String state, int attempt) {
        if (state.startsWith("exit")) {
            return Optional.of(facts(name, attempt, State.EXITED, Integer.parseInt(state.substring("exit".length()))));
        }
        return switch (state) {
            case "none" -> Optional.empty();
            case "created", "starterror" ->
                Optional.of(facts(name, attempt, State.CREATED, 0))
                        .map(each -> state.equals("created") ? each : with(each, false, "no such file: /nope"));
            case "oom" -> Optional.of(with(facts(name, attempt, State.EXITED, 137), true, ""));
            case "paused" -> Optional.of(facts(name, attempt, State.PAUSED, 0));
            case "run", "starting", "unready" -> Optional.of(facts(name, attempt, State.RUNNING, 0));
            default -> throw new AssertionError("Expected a state, but got " + state);
        };
    }

    private static ContainerFacts facts(String name, int attempt, State state, int exitCode) {
        Instant created = START.plus(Duration.ofMinutes(attempt));
        Labels.Of labels =
                new Labels.Of("x", "uid-p", "p", "default", Labels.Role.CONTAINER, name, attempt, 0, "spec", "");
        return new ContainerFacts(
                name + '-' + attempt,
                labels.containerName(),
                "busybox:latest",
                "sha256:abc",
                labels.labels(),
                state,
                created,
                state == State.CREATED ? Optional.empty() : Optional.of(created.plusSeconds(1)),
                state == State.EXITED ? Optional.of(created.plusSeconds(30)) : Optional.empty(),
                exitCode,
                false,
                "",
                name.equals("sandbox") ? "172.17.0.5" : "");
    }

    private static ContainerFacts with(ContainerFacts facts, boolean outOfMemory, String error) {
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
                outOfMemory,
                error,
                facts.address());
    }

    /** A condition as a line: status, reason and message. */
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
        throw new AssertionError("Expected a status of " + name + ", but there is none");
    }

    /** Phase, and READY, STATUS and RESTARTS of {@code kubectl get pods}. */
    String line() {
        List<String> words = new ArrayList<>(List.of(status().path("phase").asText()));
        for (Column column : Columns.POD) {
            if (List.of("Ready", "Status", "Restarts").contains(column.name())) {
                words.add(column.cell().of(pod, now).toString());
            }
        }
        return String.join(" ", words);
    }
}
