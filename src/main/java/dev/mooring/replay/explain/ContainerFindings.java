package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.EventReasons;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pods.CrashBackoff;
import dev.mooring.replay.explain.Explanation.Finding;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds why containers of a Pod do not run or are not ready, from the status that the node has reported. */
final class ContainerFindings {
    private static final Set<String> BEING_CREATED = Set.of("", "ContainerCreating", "PodInitializing");
    private static final List<String> STATUSES = List.of("initContainerStatuses", "containerStatuses");
    private static final String TERMINATED = "terminated";

    private final Pod pod;
    private final ExplainContext context;

    ContainerFindings(Pod pod, ExplainContext context) {
        this.pod = pod;
        this.context = context;
    }

    /** Returns the names of the running containers. */
    List<String> running() {
        return statuses().stream()
                .filter(each -> each.path("state").hasNonNull("running"))
                .map(each -> each.path("name").asText(""))
                .toList();
    }

    /** Returns a finding for each container that has ended with an error. */
    List<Finding> failures() {
        return statuses().stream()
                .filter(each ->
                        each.path("state").path(TERMINATED).path("exitCode").asInt(0) != 0)
                .map(each -> ended(each, each.path("state").path(TERMINATED)))
                .toList();
    }

    /**
     * Returns a finding for each container with a problem.
     *
     * @param isMounted whether all volumes of the Pod are mounted; if not, containers wait for them
     */
    List<Finding> problems(boolean isMounted) {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode each : statuses()) {
            JsonNode state = each.path("state");
            if (state.path("waiting").isObject()) {
                waiting(each, state.path("waiting"), isMounted).ifPresent(findings::add);
            } else if (state.path(TERMINATED).path("exitCode").asInt(0) != 0) {
                findings.add(ended(each, state.path(TERMINATED)));
            } else if (state.path("running").isObject()) {
                unready(each).ifPresent(findings::add);
            }
        }
        gates().ifPresent(findings::add);
        return findings;
    }

    private List<JsonNode> statuses() {
        List<JsonNode> statuses = new ArrayList<>();
        STATUSES.forEach(list -> pod.status().path(list).forEach(statuses::add));
        return statuses;
    }

    private Optional<Finding> waiting(JsonNode status, JsonNode waiting, boolean isMounted) {
        String reason = waiting.path("reason").asText("");
        String message = waiting.path("message").asText("");
        String name = status.path("name").asText("");
        if (BEING_CREATED.contains(reason)) {
            boolean isBlocked = !isMounted
                    || (reason.equals("PodInitializing") && unfinishedInit(name).isPresent());
            return isBlocked
                    ? Optional.empty()
                    : Optional.of(Finding.waiting("Container " + name + " is being created"
                                    + (message.isEmpty() ? "." : ": " + ClaimExplainer.sentence(message)))
                            .reason(reason)
                            .because(warnings(EventReasons.FAILED_CREATE_POD_SANDBOX))
                            .build());
        }
        if (reason.equals("CrashLoopBackOff")) {
            return Optional.of(crashLoop(status, message));
        }
        String text = "Container " + name + " cannot be created: ";
        Finding.Builder finding = Finding.failed(text + ClaimExplainer.sentence(message.isEmpty() ? reason : message))
                .reason(reason);
        if (reason.contains("Image")) {
            image(finding, name, reason);
        } else {
            finding.because(MissingReferences.ofEnvironment(pod, spec(name), context));
        }
        return Optional.of(
                finding.next("Read the container's settings.", Commands.kubectl("get", pod.key(), "-o", "yaml"))
                        .build());
    }

    /** Returns the init container that has to end before another container; its own finding has the cause. */
    private Optional<String> unfinishedInit(String other) {
        for (JsonNode each : pod.status().path("initContainerStatuses")) {
            if (!each.path("ready").asBoolean(false)) {
                return Optional.of(each.path("name").asText("")).filter(name -> !name.equals(other));
            }
        }
        return Optional.empty();
    }

    private void image(Finding.Builder finding, String container, String reason) {
        String image = spec(container).path("image").asText("");
        finding.because(MissingReferences.ofImagePull(pod, context));
        if (!reason.equals("InvalidImageName")) {
            finding.next(
                    "Pull the image on node " + pod.nodeName()
                            + " to see the registry's answer, or load it from a file.",
                    Commands.quoted(List.of("docker", "pull", image)));
        }
        finding.next("Correct the image of the container.", Commands.kubectl("edit", pod.key()));
    }

    private Finding crashLoop(JsonNode status, String message) {
        JsonNode ended = status.path("lastState").path(TERMINATED);
        int restarts = status.path("restartCount").asInt(0);
        Instant finished = GenericExplainer.time(ended.path("finishedAt"));
        return Finding.failed("Container " + status.path("name").asText("") + " ends again and again, "
                        + (restarts == 1 ? "1 restart" : restarts + " restarts") + " so far.")
                .reason("CrashLoopBackOff")
                .attempt(restarts + 1)
                .retryAt(CrashBackoff.delayIn(message)
                        .map(finished::plus)
                        .filter(next -> !finished.equals(Instant.EPOCH) && next.isAfter(context.now())))
                .because(ended(status, ended))
                .build();
    }

    private Finding ended(JsonNode status, JsonNode ended) {
        String name = status.path("name").asText("");
        int code = ended.path("exitCode").asInt(0);
        String reason = ended.path("reason").asText("");
        boolean isOutOfMemory = reason.equals("OOMKilled");
        String limit =
                spec(name).path("resources").path("limits").path("memory").asText("");
        String message = ended.path("message").asText("");
        String text = isOutOfMemory
                ? "Container " + name + " was killed because it used more memory than "
                        + (limit.isEmpty() ? "the machine has." : "its limit of " + limit + '.')
                : "Container " + name + " ended with exit code " + code + meaning(code)
                        + (message.isEmpty() ? "." : ": " + ClaimExplainer.sentence(message));
        Finding.Builder finding = (code == 0 ? Finding.info(text) : Finding.failed(text))
                .reason(reason)
                .at(GenericExplainer.time(ended.path("finishedAt")))
                .because(probeFailures("Liveness", "Startup"));
        boolean isPrevious = !status.path("state").path(TERMINATED).isObject();
        if (!reason.equals("StartError")) {
            String arguments = "-c " + name + (isPrevious ? " --previous" : "");
            finding.next("Read what the container has written.", Commands.kubectl("logs", pod.key(), arguments));
        }
        if (isOutOfMemory || reason.equals("StartError")) {
            String file = pod.name() + ".yaml";
            finding.next(
                            isOutOfMemory
                                    ? "Save the manifest, and raise resources.limits.memory in it."
                                    : "Save the manifest, and correct the command in it.",
                            Commands.kubectl("get", pod.key(), "-o", "yaml", ">", file))
                    .next("Replace the Pod.", "kubectl replace --force -f " + file);
        }
        return finding.build();
    }

    private static String meaning(int code) {
        return switch (code) {
            case 126 -> " (the command cannot be executed)";
            case 127 -> " (the command was not found)";
            case 137 -> " (killed by SIGKILL)";
            case 139 -> " (segmentation fault)";
            case 143 -> " (ended by SIGTERM)";
            default -> "";
        };
    }

    private Optional<Finding> unready(JsonNode status) {
        String name = status.path("name").asText("");
        boolean isInit = spec(name, "initContainers").isObject();
        boolean isSidecar =
                spec(name, "initContainers").path("restartPolicy").asText("").equals("Always");
        if (isInit && !isSidecar) {
            return Optional.of(Finding.waiting("Init container " + name + " has not ended; the containers wait for it.")
                    .reason("PodInitializing")
                    .at(GenericExplainer.time(
                            status.path("state").path("running").path("startedAt")))
                    .next("Read what it has written.", Commands.kubectl("logs", pod.key(), "-c", name))
                    .build());
        }
        if (status.path("ready").asBoolean(false)) {
            return Optional.empty();
        }
        boolean isStarted = status.path("started").asBoolean(true);
        String kind = isStarted ? "readiness" : "startup";
        if (!spec(name).path(kind + "Probe").isObject()) {
            return Optional.of(Finding.waiting("Container " + name + " runs, but is not ready yet.")
                    .build());
        }
        return Optional.of(Finding.waiting("Container " + name + " runs, but its " + kind + " probe does not succeed.")
                .reason(EventReasons.UNHEALTHY)
                .because(probeFailures(isStarted ? "Readiness" : "Startup"))
                .next("Read what the container has written.", Commands.kubectl("logs", pod.key(), "-c", name))
                .build());
    }

    /** Returns the newest failures of probes, which only Events have. */
    private List<Finding> probeFailures(String... kinds) {
        List<Finding> found = new ArrayList<>();
        for (String kind : kinds) {
            context.kubeEventsOf(pod.stored()).stream()
                    .map(StoredObject::tree)
                    .filter(event -> event.path("reason").asText("").equals(EventReasons.UNHEALTHY)
                            && event.path("message").asText("").startsWith(kind + " probe failed"))
                    .findFirst()
                    .ifPresent(event -> found.add(eventFinding(event)));
        }
        return found;
    }

    private List<Finding> warnings(String reason) {
        return context.kubeEventsOf(pod.stored()).stream()
                .map(StoredObject::tree)
                .filter(event -> event.path("reason").asText("").equals(reason))
                .limit(1)
                .map(ContainerFindings::eventFinding)
                .toList();
    }

    private static Finding eventFinding(JsonNode event) {
        return Finding.failed(ClaimExplainer.sentence(event.path("message").asText("")))
                .reason(event.path("reason").asText(""))
                .at(GenericExplainer.time(event.path("lastTimestamp")))
                .attempt(event.path("count").asInt(0))
                .build();
    }

    private Optional<Finding> gates() {
        for (JsonNode each : pod.status().path("conditions")) {
            if (each.path("reason").asText("").equals("ReadinessGatesNotReady")) {
                return Optional.of(Finding.waiting(
                                ClaimExplainer.sentence(each.path("message").asText("")))
                        .reason("ReadinessGatesNotReady")
                        .build());
            }
        }
        return Optional.empty();
    }

    private JsonNode spec(String container) {
        JsonNode found = spec(container, "containers");
        return found.isObject() ? found : spec(container, "initContainers");
    }

    private JsonNode spec(String container, String list) {
        for (JsonNode each : pod.spec().path(list)) {
            if (each.path("name").asText("").equals(container)) {
                return each;
            }
        }
        return pod.spec().path(list).path(container);
    }
}
