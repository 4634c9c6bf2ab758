package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Decides the next step of one Deployment, as Kubernetes' controller does. Pure; used once. */
final class DeploymentSync {
    static final String REVISION = "deployment.kubernetes.io/revision";
    private static final String HISTORY = "deployment.kubernetes.io/revision-history";
    private static final String DESIRED = "deployment.kubernetes.io/desired-replicas";
    private static final String MAX = "deployment.kubernetes.io/max-replicas";
    private static final String HASH = "pod-template-hash";
    private static final Set<String> NOT_COPIED = Set.of(
            "kubectl.kubernetes.io/last-applied-configuration",
            REVISION,
            HISTORY,
            DESIRED,
            MAX,
            "deprecated.deployment.rollback.to");

    private final World world;
    private final Workload deployment;
    private final Instant now;
    private final PodSteps steps;
    private final List<ReplicaSetState> all;
    private final Optional<ReplicaSetState> current;
    private final List<ReplicaSetState> old;
    private final int maxSurge;
    private final int maxUnavailable;

    /**
     * A ReplicaSet and the Pods it has in the World.
     *
     * @param pods preconditions of steps that take Pods away: one that becomes ready changes the decision, too
     */
    private record ReplicaSetState(Workload set, List<Pod> pods, List<Pod> available) {
        int replicas() {
            return set.replicas();
        }

        /** Returns the Pods that remain available when the ReplicaSet has deleted its surplus, unready ones first. */
        int lastingAvailable() {
            return Math.min(set.replicas(), available.size());
        }

        long revision() {
            return number(set.annotation(REVISION));
        }
    }

    DeploymentSync(World world, Workload deployment, Instant now) {
        this.world = world;
        this.deployment = deployment;
        this.now = now;
        this.steps = new PodSteps(world, deployment, DeploymentController.NAME, now);
        this.all = world.find(DeploymentController.BY_DEPLOYMENT, deployment.uid()).stream()
                .map(Workload::of)
                .filter(set -> !set.isBeingDeleted())
                .sorted(Comparator.comparing(Workload::created).thenComparing(Workload::name))
                .map(this::state)
                .toList();
        String template = withoutHash(deployment.template());
        this.current = all.stream()
                .filter(each -> withoutHash(each.set().template()).equals(template))
                .findFirst();
        this.old = all.stream()
                .filter(each -> current.filter(each::equals).isEmpty())
                .toList();
        JsonNode rolling = deployment.spec().path("strategy").path("rollingUpdate");
        int surge = IntOrPercent.roundedUp(rolling.path("maxSurge"), deployment.replicas());
        int unavailable = IntOrPercent.roundedDown(rolling.path("maxUnavailable"), deployment.replicas());
        this.maxSurge = isRecreate() ? 0 : surge;
        this.maxUnavailable =
                isRecreate() ? 0 : Math.min(deployment.replicas(), surge == 0 && unavailable == 0 ? 1 : unavailable);
    }

    private ReplicaSetState state(Workload set) {
        List<Pod> pods = ControllerRefs.pods(world, set);
        List<Pod> available = pods.stream()
                .filter(pod -> pod.isActive() && pod.isAvailable(deployment.minReadySeconds(), now))
                .toList();
        return new ReplicaSetState(set, pods, available);
    }

    private static String withoutHash(JsonNode template) {
        ObjectNode copy = template.deepCopy();
        if (copy.path("metadata").path("labels") instanceof ObjectNode labels) {
            labels.remove(HASH);
        }
        return PodTemplates.hash(copy, 0);
    }

    private static long number(Optional<String> text) {
        try {
            return text.map(Long::parseLong).orElse(0L);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private boolean isRecreate() {
        return deployment.spec().path("strategy").path("type").asText("").equals("Recreate");
    }

    private boolean isPaused() {
        return deployment.spec().path("paused").asBoolean(false);
    }

    Decision sync() {
        if (deployment.isBeingDeleted()) {
            return status();
        }
        Optional<Decision> step = current.flatMap(this::syncRevision);
        if (step.isEmpty() && (isPaused() || isScalingEvent())) {
            step = scale();
        } else if (step.isEmpty()) {
            step = isRecreate() ? recreate() : rollingUpdate();
        }
        return step.or(this::cleanUp).orElseGet(this::status);
    }

    private long nextRevision() {
        return old.stream().mapToLong(ReplicaSetState::revision).max().orElse(0) + 1;
    }

    /** Gives the current ReplicaSet the highest revision, also after a rollback, and repeats it in the Deployment. */
    private Optional<Decision> syncRevision(ReplicaSetState state) {
        long revision = Math.max(nextRevision(), state.revision());
        ObjectNode next = state.set().copy();
        ObjectNode annotations = next.withObject("/metadata").withObject("/annotations");
        copyAnnotations(annotations);
        if (state.revision() != revision) {
            if (state.revision() > 0) {
                String history = annotations.path(HISTORY).asText("");
                annotations.put(HISTORY, (history.isEmpty() ? "" : history + ",") + state.revision());
            }
            annotations.put(REVISION, Long.toString(revision));
        }
        putOrRemove((ObjectNode) next.get("spec"), "minReadySeconds", deployment.minReadySeconds());
        if (!next.equals(state.set().tree())) {
            return Optional.of(Decision.of(change(state.set(), next, "ReplicaSetUpdated")));
        }
        ObjectNode mine = deployment.copy();
        mine.withObject("/metadata").withObject("/annotations").put(REVISION, Long.toString(revision));
        DeploymentStatus.putFound(mine, state.set().name(), now);
        if (!mine.equals(deployment.tree())) {
            return Optional.of(Decision.of(Proposal.by(DeploymentController.NAME, "DeploymentUpdated")
                    .because(state.set().cause())
                    .replace(deployment.stored(), Draft.of(deployment.key(), mine))
                    .build()));
        }
        return Optional.empty();
    }

    private static void putOrRemove(ObjectNode parent, String field, int number) {
        PodSteps.putCount(parent, field, number);
    }

    private void copyAnnotations(ObjectNode annotations) {
        for (Map.Entry<String, JsonNode> each :
                deployment.metadata().path("annotations").properties()) {
            if (!NOT_COPIED.contains(each.getKey())) {
                annotations.set(each.getKey(), each.getValue());
            }
        }
    }

    /** Returns the proposal of a step: changes a ReplicaSet if the Deployment and its ReplicaSets are unchanged. */
    private Proposal change(Workload set, ObjectNode next, String type) {
        Proposal.Builder proposal = Proposal.by(DeploymentController.NAME, type)
                .because(deployment.cause())
                .replace(set.stored(), Draft.of(set.key(), next))
                .expect(deployment.stored());
        all.stream()
                .filter(each -> !each.set().equals(set))
                .forEach(each -> proposal.expect(each.set().stored()));
        return proposal.build();
    }

    private boolean isScalingEvent() {
        return all.stream()
                .filter(each -> each.replicas() > 0)
                .map(each -> each.set().annotation(DESIRED))
                .anyMatch(desired -> desired.isPresent() && number(desired) != deployment.replicas());
    }

    /** Scales the ReplicaSets in proportion to their sizes, without moving Pods from old ones to the new one. */
    private Optional<Decision> scale() {
        List<ReplicaSetState> active =
                all.stream().filter(each -> each.replicas() > 0).toList();
        if (active.size() <= 1) {
            return (active.isEmpty() ? current : Optional.of(active.get(0)))
                    .flatMap(each -> resize(each, deployment.replicas()));
        }
        boolean saturated = current.filter(each -> each.replicas() == deployment.replicas()
                        && each.available().size() == deployment.replicas())
                .isPresent();
        if (saturated) {
            return scaleDownOld();
        }
        int total = active.stream().mapToInt(ReplicaSetState::replicas).sum();
        int allowed = deployment.replicas() == 0 ? 0 : maxReplicas();
        List<ReplicaSetState> bySize = new ArrayList<>(active);
        bySize.sort(Comparator.comparingInt(ReplicaSetState::replicas).reversed());
        for (ReplicaSetState each : bySize) {
            // The annotation has the size that the ReplicaSet's share refers to: this step updates it.
            long before = Math.max(1, number(each.set().annotation(MAX)));
            int share = Math.round((float) each.replicas() * allowed / before) - each.replicas();
            int left = allowed - total;
            int change = left > 0 ? Math.max(0, Math.min(share, left)) : Math.min(0, Math.max(share, left));
            Optional<Decision> step = resize(each, each.replicas() + change);
            if (step.isPresent()) {
                return step;
            }
        }
        return Optional.empty();
    }

    private Optional<Decision> recreate() {
        Optional<Decision> step = scaleDownOld();
        if (step.isPresent()) {
            return step;
        }
        boolean running = old.stream().flatMap(each -> each.pods().stream()).anyMatch(pod -> !pod.isFinished());
        if (running) {
            return Optional.empty();
        }
        return current.isPresent()
                ? resize(current.get(), deployment.replicas())
                : Optional.of(create(deployment.replicas()));
    }

    private Optional<Decision> scaleDownOld() {
        return old.stream().flatMap(each -> resize(each, 0).stream()).findFirst();
    }

    private Optional<Decision> rollingUpdate() {
        int total = all.stream().mapToInt(ReplicaSetState::replicas).sum();
        int room = Math.max(0, deployment.replicas() + maxSurge - total);
        if (current.isEmpty()) {
            return Optional.of(create(Math.min(room, deployment.replicas())));
        }
        ReplicaSetState fresh = current.get();
        int wanted = fresh.replicas() > deployment.replicas()
                ? deployment.replicas()
                : Math.min(deployment.replicas(), fresh.replicas() + room);
        return resize(fresh, wanted).or(() -> shrinkOld(total, fresh));
    }

    /** Takes Pods from old ReplicaSets: first those that are not available, then as many as may be unavailable. */
    private Optional<Decision> shrinkOld(int total, ReplicaSetState fresh) {
        int minAvailable = deployment.replicas() - maxUnavailable;
        int freshUnavailable = fresh.replicas() - fresh.lastingAvailable();
        int allowed = total - minAvailable - freshUnavailable;
        for (ReplicaSetState each : old) {
            int unhealthy = each.replicas() - each.lastingAvailable();
            if (allowed > 0 && unhealthy > 0) {
                return resize(each, each.replicas() - Math.min(allowed, unhealthy));
            }
        }
        int spare = all.stream().mapToInt(ReplicaSetState::lastingAvailable).sum() - minAvailable;
        for (ReplicaSetState each : old) {
            if (spare > 0 && each.replicas() > 0) {
                return resize(each, each.replicas() - Math.min(spare, each.replicas()));
            }
        }
        return Optional.empty();
    }

    private int maxReplicas() {
        return deployment.replicas() + maxSurge;
    }

    /** Sets the size of a ReplicaSet and the annotations with the size of the Deployment; empty if it has both. */
    private Optional<Decision> resize(ReplicaSetState state, int size) {
        Workload set = state.set();
        ObjectNode next = set.copy();
        ObjectNode annotations = next.withObject("/metadata").withObject("/annotations");
        if (size > 0 || set.replicas() > 0) {
            annotations.put(DESIRED, Integer.toString(deployment.replicas()));
            annotations.put(MAX, Integer.toString(maxReplicas()));
        }
        if (size != set.replicas()) {
            next.withObject("/spec").put("replicas", size);
            ObjectNode metadata = next.withObject("/metadata");
            metadata.put("generation", metadata.path("generation").asInt(0) + 1);
        }
        if (next.equals(set.tree())) {
            return Optional.empty();
        }
        Proposal proposal = change(set, next, "ReplicaSetScaled");
        if (size < set.replicas()) {
            for (ReplicaSetState each : all) {
                for (Pod pod : each.pods()) {
                    proposal = proposal.expecting(pod.stored());
                }
            }
        }
        return Optional.of(withEvent(proposal, set.name(), set.replicas(), size));
    }

    private Decision withEvent(Proposal proposal, String name, int from, int to) {
        List<Proposal> proposals = new ArrayList<>(List.of(proposal));
        if (from != to) {
            steps.event(
                            EventReasons.SCALING_REPLICA_SET,
                            "Scaled " + (to > from ? "up" : "down") + " replica set " + name + " from " + from + " to "
                                    + to)
                    .ifPresent(proposals::add);
        }
        return Decision.of(proposals);
    }

    /** Creates the ReplicaSet of the current template. */
    private Decision create(int size) {
        int collisions = deployment.status().path("collisionCount").asInt(0);
        String hash = PodTemplates.hash(deployment.template(), collisions);
        String name = deployment.name() + '-' + hash;
        ObjectKey key = ObjectKey.namespaced(ReplicaSetController.RESOURCE, deployment.namespace(), name);
        if (world.get(key).isPresent()) {
            // Another object has the name: the next attempt uses another hash, as in Kubernetes.
            ObjectNode next = deployment.copy();
            next.withObject("/status").put("collisionCount", collisions + 1);
            return steps.status(next);
        }
        ObjectNode set = JsonNodeFactory.instance.objectNode();
        set.put("kind", "ReplicaSet").put("apiVersion", "apps/v1");
        ObjectNode metadata = PodTemplates.metadata(world, deployment, key, now);
        set.set("metadata", metadata);
        metadata.put("generation", 1);
        ObjectNode template = deployment.template().deepCopy();
        template.withObject("/metadata").withObject("/labels").put(HASH, hash);
        metadata.set("labels", template.path("metadata").path("labels").deepCopy());
        ObjectNode annotations = metadata.putObject("annotations");
        copyAnnotations(annotations);
        String revision = Long.toString(nextRevision());
        annotations
                .put(REVISION, revision)
                .put(DESIRED, Integer.toString(deployment.replicas()))
                .put(MAX, Integer.toString(maxReplicas()));
        metadata.putArray("ownerReferences").add(PodTemplates.controllerRef(deployment));
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", size);
        putOrRemove(spec, "minReadySeconds", deployment.minReadySeconds());
        ObjectNode selector = deployment.spec().path("selector").deepCopy();
        selector.withObject("/matchLabels").put(HASH, hash);
        spec.set("selector", selector);
        spec.set("template", template);
        ObjectNode mine = deployment.copy();
        mine.withObject("/metadata").withObject("/annotations").put(REVISION, revision);
        DeploymentStatus.putCreated(mine, name, now);
        Proposal.Builder proposal = Proposal.by(DeploymentController.NAME, "ReplicaSetCreated")
                .because(deployment.cause())
                .within(Proposal.Allowance.USER)
                .create(Draft.of(key, set))
                .replace(deployment.stored(), Draft.of(deployment.key(), mine));
        all.forEach(each -> proposal.expect(each.set().stored()));
        return withEvent(proposal.build(), name, 0, size);
    }

    /** Deletes the oldest ReplicaSet above the limit of the history, when the update is complete. */
    private Optional<Decision> cleanUp() {
        int limit = deployment.spec().path("revisionHistoryLimit").asInt(10);
        List<ReplicaSetState> empty = old.stream()
                .filter(each -> each.replicas() == 0
                        && each.pods().isEmpty()
                        && each.set().status().path("observedGeneration").asLong(0)
                                >= each.set().generation())
                .sorted(Comparator.comparing(ReplicaSetState::revision))
                .toList();
        if (isPaused() || old.size() <= limit || empty.isEmpty() || !DeploymentStatus.isComplete(deployment.tree())) {
            return Optional.empty();
        }
        Workload oldest = empty.get(0).set();
        return new ObjectDeleter(DeploymentController.NAME, deployment.cause())
                .delete(oldest.stored(), oldest.copy(), now)
                .map(deletion -> Decision.of(deletion.expecting(deployment.stored())));
    }

    private Decision status() {
        DeploymentStatus status = new DeploymentStatus(
                deployment,
                all.stream().map(ReplicaSetState::set).toList(),
                current.map(ReplicaSetState::set),
                maxUnavailable,
                now);
        Decision decision = steps.status(status.next());
        return status.deadline().map(due -> decision.requeueAt(due, now)).orElse(decision);
    }
}
