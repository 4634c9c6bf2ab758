package dev.mooring.node.container;

import static dev.mooring.node.container.PodStatus.put;
import static dev.mooring.node.container.PodStatus.seconds;
import static dev.mooring.node.container.PodStatus.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.node.container.ObservedContainer.Kind;
import dev.mooring.node.container.ObservedContainer.Waiting;
import dev.mooring.runtime.ContainerFacts;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Builds the status of one container from its observed and its previous state. Ignores a container that is created but
 * not started: the previous attempt is reported until it runs. Used once, on one thread; does not modify its input.
 */
final class ContainerStatusBuilder {
    private static final Set<String> PLAIN = Set.of("ContainerCreating", "PodInitializing");
    private static final String TERMINATED = "terminated";
    private static final String CONTAINER_ID = "containerID";
    private static final String RESTART_COUNT = "restartCount";
    private static final String OOM_KILLED = "OOMKilled";

    private final ObservedPod pod;
    private final ObservedContainer observed;
    private final JsonNode old;
    private final Optional<ContainerFacts> shown;
    private final Optional<ContainerFacts> before;

    /**
     * Creates a builder.
     *
     * @param old its current status, or missing
     */
    ContainerStatusBuilder(ObservedPod pod, ObservedContainer observed, JsonNode old) {
        this.pod = pod;
        this.observed = observed;
        this.old = old;
        boolean fresh =
                observed.current().filter(ContainerStatusBuilder::isFresh).isPresent();
        Optional<ContainerFacts> previous = observed.previous().filter(each -> !isFresh(each));
        this.shown = fresh ? previous : observed.current();
        this.before = fresh ? Optional.empty() : previous.filter(each -> !each.isLive());
    }

    private static boolean isFresh(ContainerFacts facts) {
        return facts.state() == ContainerFacts.State.CREATED && facts.error().isEmpty();
    }

    ObjectNode status() {
        ObjectNode status = old.isObject() ? old.deepCopy() : JsonNodeFactory.instance.objectNode();
        status.put("name", observed.name());
        int attempts = shown.map(each -> each.identity().attempt()).orElse(0);
        status.put(RESTART_COUNT, Math.max(old.path(RESTART_COUNT).asInt(0), attempts));
        if (shown.isPresent()) {
            present(status, shown.get());
        } else if (old.path("state").has("running")) {
            vanished(status);
        } else {
            absent(status);
        }
        if (observed.kind() == Kind.EPHEMERAL) {
            return status.put("ready", false);
        }
        boolean running = status.path("state").has("running");
        boolean started = running && (observed.kind() == Kind.INIT || observed.started());
        status.put("started", started);
        status.put(
                "ready",
                observed.kind() == Kind.INIT
                        ? ReportedContainer.succeeded(status.path("state").path(TERMINATED))
                        : started && observed.ready());
        return status;
    }

    private void present(ObjectNode status, ContainerFacts facts) {
        boolean named = !facts.image().isEmpty() && !facts.image().startsWith("sha256:");
        status.put("image", named ? facts.image() : text(observed.spec(), "image"));
        status.put("imageID", imageId(facts.imageId()));
        status.put(CONTAINER_ID, id(facts));
        putResources(status);
        if (facts.isLive()) {
            ObjectNode running = JsonNodeFactory.instance.objectNode();
            running.put("startedAt", seconds(facts.started().orElse(facts.created())));
            putState(status, "running", running, last(facts));
            return;
        }
        boolean currentOne = observed.current().filter(facts::equals).isPresent();
        ObjectNode ended = ended(facts, currentOne ? observed.message() : observed.previousMessage());
        Optional<Waiting> waiting = waitingAfter(ended);
        if (waiting.isPresent()) {
            putState(status, "waiting", json(waiting.get()), Optional.of(ended));
        } else {
            putState(status, TERMINATED, ended, last(facts));
        }
    }

    /** Reports the resources of the spec, which cannot change while the container exists. */
    private void putResources(ObjectNode status) {
        if (observed.kind() == Kind.EPHEMERAL) {
            return;
        }
        JsonNode resources = observed.spec().path("resources");
        status.set("resources", resources.isObject() ? resources.deepCopy() : status.objectNode());
        if (resources.path("requests").isEmpty()) {
            status.remove("allocatedResources");
        } else {
            status.set("allocatedResources", resources.path("requests").deepCopy());
        }
    }

    /**
     * Reports a running container that is gone without an exit code. The next one has a higher attempt number, so that
     * it counts as a restart.
     */
    private void vanished(ObjectNode status) {
        ObjectNode ended = unknown();
        status.remove(CONTAINER_ID);
        Optional<Waiting> waiting = specificWaiting();
        if (waiting.isPresent()) {
            putState(status, "waiting", json(waiting.get()), Optional.of(ended));
        } else {
            putState(status, TERMINATED, ended, object(old.path("lastState").path(TERMINATED)));
        }
    }

    /** Reports a container that does not exist and was not running. */
    private void absent(ObjectNode status) {
        JsonNode ended = old.path("state").path(TERMINATED);
        if (ended.isObject()) {
            if (specificWaiting().isPresent() && isRestarted(ended)) {
                putState(status, "waiting", json(specificWaiting().get()), object(ended));
            }
            return;
        }
        status.remove(CONTAINER_ID);
        status.put("image", text(observed.spec(), "image")).put("imageID", "");
        ObjectNode waiting = json(specificWaiting().or(this::previousWaiting).orElseGet(this::defaultWaiting));
        putState(status, "waiting", waiting, object(old.path("lastState").path(TERMINATED)));
    }

    private Waiting defaultWaiting() {
        boolean plain = pod.pod().spec().path("initContainers").isEmpty();
        String message = observed.waiting().map(Waiting::message).orElse("");
        return new Waiting(plain ? "ContainerCreating" : "PodInitializing", message);
    }

    /** Returns a waiting reason that is more specific than ContainerCreating. */
    private Optional<Waiting> specificWaiting() {
        return observed.waiting().filter(each -> !PLAIN.contains(each.reason()));
    }

    /**
     * Returns the previous waiting reason: like the kubelet, keeps it until the container runs, because the container
     * may wait again.
     */
    private Optional<Waiting> previousWaiting() {
        JsonNode waiting = old.path("state").path("waiting");
        String reason = text(waiting, "reason");
        return observed.current().isPresent() && !reason.isEmpty() && !PLAIN.contains(reason)
                ? Optional.of(new Waiting(reason, text(waiting, "message")))
                : Optional.empty();
    }

    private Optional<Waiting> waitingAfter(ObjectNode ended) {
        if (!isRestarted(ended)) {
            return Optional.empty();
        }
        JsonNode waiting = old.path("state").path("waiting");
        boolean sameEnd =
                text(old.path("lastState").path(TERMINATED), CONTAINER_ID).equals(text(ended, CONTAINER_ID));
        Optional<Waiting> kept = waiting.isObject() && sameEnd
                ? Optional.of(new Waiting(text(waiting, "reason"), text(waiting, "message")))
                : Optional.empty();
        return specificWaiting().or(() -> kept);
    }

    private boolean isRestarted(JsonNode ended) {
        if (pod.pod().isBeingDeleted() || pod.failure().isPresent() || pod.pod().isFinished()) {
            return false;
        }
        String policy = text(pod.pod().spec(), "restartPolicy");
        boolean failed = !ReportedContainer.succeeded(ended);
        return switch (observed.kind()) {
            case SIDECAR -> true;
            case INIT -> failed && !policy.equals("Never");
            case EPHEMERAL -> false;
            case CONTAINER -> !policy.equals("Never") && (failed || !policy.equals("OnFailure"));
        };
    }

    /** Returns how the previous attempt ended. */
    private Optional<ObjectNode> last(ContainerFacts facts) {
        if (before.isPresent()) {
            return Optional.of(ended(before.get(), observed.previousMessage()));
        }
        String id = id(facts);
        JsonNode state = old.path("state");
        boolean another =
                !text(old, CONTAINER_ID).isEmpty() && !text(old, CONTAINER_ID).equals(id);
        if (state.has("running") && another) {
            return Optional.of(unknown());
        }
        return otherThan(id, state).or(() -> otherThan(id, old.path("lastState")));
    }

    private static Optional<ObjectNode> otherThan(String id, JsonNode state) {
        return object(state.path(TERMINATED))
                .filter(ended -> !text(ended, CONTAINER_ID).equals(id));
    }

    private ObjectNode ended(ContainerFacts facts, String message) {
        ObjectNode ended = JsonNodeFactory.instance.objectNode();
        boolean neverBegan = !facts.error().isEmpty()
                && (facts.state() == ContainerFacts.State.CREATED
                        || facts.started().isEmpty());
        ended.put("exitCode", neverBegan ? 128 : facts.exitCode());
        ended.put("reason", neverBegan ? "StartError" : reason(facts));
        String words = neverBegan ? facts.error() : message;
        put(ended, "message", words.isEmpty() ? reported(facts, "message") : words);
        ended.put("startedAt", seconds(facts.started().orElse(facts.created())));
        ended.put("finishedAt", seconds(facts.finished().or(facts::started).orElse(facts.created())));
        ended.put(CONTAINER_ID, id(facts));
        return ended;
    }

    private String reason(ContainerFacts facts) {
        // Only an event may have reported it, which a restarted server has not seen.
        if (facts.oomKilled() || reported(facts, "reason").equals(OOM_KILLED)) {
            return OOM_KILLED;
        }
        return facts.exitCode() == 0 ? "Completed" : "Error";
    }

    /** Returns a field of the termination as reported before; the engine may no longer have it. */
    private String reported(ContainerFacts facts, String name) {
        for (String field : List.of("state", "lastState")) {
            JsonNode ended = old.path(field).path(TERMINATED);
            if (text(ended, CONTAINER_ID).equals(id(facts))) {
                return text(ended, name);
            }
        }
        return "";
    }

    private ObjectNode unknown() {
        ObjectNode ended = JsonNodeFactory.instance.objectNode();
        ended.put("exitCode", 137).put("reason", "ContainerStatusUnknown");
        ended.put("message", "The container could not be located when the pod was terminated");
        put(ended, "startedAt", text(old.path("state").path("running"), "startedAt"));
        ended.put("finishedAt", seconds(pod.now()));
        put(ended, CONTAINER_ID, text(old, CONTAINER_ID));
        return ended;
    }

    private static void putState(ObjectNode status, String state, ObjectNode what, Optional<ObjectNode> last) {
        status.putObject("state").set(state, what);
        ObjectNode lastState = status.putObject("lastState");
        last.ifPresent(ended -> lastState.set(TERMINATED, ended));
    }

    private static ObjectNode json(Waiting waiting) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        put(json, "reason", waiting.reason());
        put(json, "message", waiting.message());
        return json;
    }

    private static Optional<ObjectNode> object(JsonNode node) {
        return node instanceof ObjectNode found ? Optional.of(found.deepCopy()) : Optional.empty();
    }

    private static String id(ContainerFacts facts) {
        return "docker://" + facts.id();
    }

    private static String imageId(String id) {
        if (id.isEmpty()) {
            return "";
        }
        return (id.indexOf('@') < 0 ? "docker://" : "docker-pullable://") + id;
    }
}
