package dev.mooring.api.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.api.GoText;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.model.view.Pod;
import java.util.ArrayList;
import java.util.List;

/**
 * The containers of a Pod according to its spec and status: selects the requested one, and checks that it has a log or
 * is running. Uses the messages of Kubernetes' API server and kubelet. Immutable.
 */
final class PodContainers {
    private static final List<String> SPECS = List.of("initContainers", "containers", "ephemeralContainers");
    private static final List<String> STATUSES =
            List.of("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses");

    private final Pod pod;

    PodContainers(Pod pod) {
        this.pod = pod;
    }

    /** Returns the requested container or, without a request, the only one. */
    String choose(String asked) {
        if (!asked.isEmpty()) {
            if (spec(asked).isMissingNode()) {
                throw bad("container " + asked + " is not valid for pod " + pod.name());
            }
            return asked;
        }
        JsonNode main = pod.spec().path("containers");
        if (main.size() == 1) {
            return main.path(0).path("name").asText();
        }
        String needed = "a container name must be specified for pod " + pod.name();
        throw bad(main.isEmpty() ? needed : needed + ", choose one of: [" + String.join(" ", names()) + "]");
    }

    /** Returns whether the container was created with a terminal. */
    boolean hasTerminal(String container) {
        return spec(container).path("tty").asBoolean(false);
    }

    /**
     * Returns whether the container's input is closed when the first client that attaches ends its own. With a terminal
     * it stays open, as in Kubernetes.
     */
    boolean closesStdin(String container) {
        return spec(container).path("stdinOnce").asBoolean(false) && !hasTerminal(container);
    }

    /** Returns the container whose log is requested. */
    ContainerAccess.ContainerRef logContainer(String container, boolean previous) {
        JsonNode status = status(container);
        if (status.isMissingNode()) {
            throw noLog("container", container, "is not available");
        }
        JsonNode state = status.path("state");
        JsonNode last = status.path("lastState").path("terminated");
        String lastId = last.path("containerID").asText("");
        if (previous) {
            if (lastId.isEmpty()) {
                throw noLog("previous terminated container", container, "not found");
            }
            return ref(container, lastId);
        }
        if (state.hasNonNull("running")) {
            return ref(container, status.path("containerID").asText(""));
        }
        if (state.hasNonNull("terminated")) {
            String id = state.path("terminated").path("containerID").asText("");
            return terminatedContainer(container, id.isEmpty() ? lastId : id);
        }
        if (last.isObject()) {
            return terminatedContainer(container, lastId);
        }
        if (state.hasNonNull("waiting")) {
            throw noLog("container", container, "is waiting to start: " + waiting(state));
        }
        throw noLog("container", container, "is waiting to start - no logs yet");
    }

    private ContainerAccess.ContainerRef terminatedContainer(String container, String id) {
        if (id.isEmpty()) {
            throw noLog("container", container, "is terminated");
        }
        return ref(container, id);
    }

    private static String waiting(JsonNode state) {
        String reason = state.path("waiting").path("reason").asText("");
        return switch (reason) {
            case "ErrImagePull" -> "image can't be pulled";
            case "ImagePullBackOff" -> "trying and failing to pull image";
            default -> reason;
        };
    }

    /** Returns a container that is running. */
    ContainerAccess.ContainerRef runningContainer(String container) {
        if (!pod.isScheduled()) {
            throw bad("pod " + pod.name() + " does not have a host assigned");
        }
        JsonNode status = status(container);
        JsonNode state = status.path("state");
        if (!state.hasNonNull("running")) {
            throw new StatusException(notFound(container, stateReason(state)));
        }
        return ref(container, status.path("containerID").asText(""));
    }

    /** @param why may be empty */
    static Status notFound(String container, String why) {
        String found = "container not found (" + GoText.quote(container) + ")";
        return Status.badRequest(why.isEmpty() ? found : found + ": " + why);
    }

    private static String stateReason(JsonNode state) {
        if (state.hasNonNull("terminated")) {
            return "it is not running, it has ended with exit code "
                    + state.path("terminated").path("exitCode").asInt();
        }
        String reason = waiting(state);
        return reason.isEmpty() ? "it is not running" : "it is not running, it is waiting to start: " + reason;
    }

    private ContainerAccess.ContainerRef ref(String container, String id) {
        return new ContainerAccess.ContainerRef(pod.nodeName(), pod.namespace(), pod.name(), pod.uid(), container, id);
    }

    private JsonNode spec(String container) {
        return find(pod.spec(), SPECS, container);
    }

    private JsonNode status(String container) {
        return find(pod.status(), STATUSES, container);
    }

    private static JsonNode find(JsonNode parent, List<String> lists, String container) {
        for (String list : lists) {
            for (JsonNode each : parent.path(list)) {
                if (each.path("name").asText("").equals(container)) {
                    return each;
                }
            }
        }
        return MissingNode.getInstance();
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        for (String list : SPECS) {
            pod.spec().path(list).forEach(each -> names.add(each.path("name").asText("")));
        }
        return names;
    }

    private StatusException noLog(String what, String container, String why) {
        return bad(what + ' ' + GoText.quote(container) + " in pod " + GoText.quote(pod.name()) + ' ' + why);
    }

    private static StatusException bad(String message) {
        return new StatusException(Status.badRequest(message));
    }
}
