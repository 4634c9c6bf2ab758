package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The ReplicaSet controller: keeps the desired number of Pods.
 *
 * <p>Each step creates or deletes one Pod and writes the ReplicaSet's status in the same event, with the revision of the
 * ReplicaSet as precondition. So two decisions on the same state cannot both be committed, and no Pod is created twice
 * after a lost race or a restart (ADR 43).
 */
public final class ReplicaSetController implements Controller {
    static final String RESOURCE = "replicasets.apps";
    private static final String NAME = "replicaset-controller";
    private static final String FAILURE = "ReplicaFailure";

    private final PodAdmission admission;

    public ReplicaSetController(PodAdmission admission) {
        this.admission = admission;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(RESOURCE), Scope.resource("pods"));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.key().resource().equals(RESOURCE)) {
            queue.enqueue(change.key());
        } else {
            ControllerRefs.enqueueOwners(change, before, world, RESOURCE, queue);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Workload> found = world.get(key).map(Workload::of);
        Optional<LabelSelector> selector = found.flatMap(Workload::selector);
        if (selector.isEmpty()) {
            return Decision.none();
        }
        List<Proposal> ownership = ControllerRefs.reconcile(world, found.get(), selector.get(), NAME);
        return ownership.isEmpty() ? sync(world, found.get(), now) : Decision.of(ownership);
    }

    private Decision sync(World world, Workload set, Instant now) {
        List<Pod> pods = ControllerRefs.pods(world, set);
        List<Pod> active = pods.stream().filter(Pod::isActive).toList();
        PodSteps steps = new PodSteps(world, set, NAME, now);
        if (!set.isBeingDeleted() && active.size() < set.replicas()) {
            ObjectNode pod = PodTemplates.generated(world, set, set.template(), now);
            Optional<String> refusal = PodTemplates.refusal(world, pod, admission);
            if (refusal.isPresent()) {
                ObjectNode next = counts(set, pods, now);
                Conditions.put(next, FAILURE, "True", "FailedCreate", refusal.get(), now);
                return steps.failedCreate(next, "Error creating: " + refusal.get());
            }
            return steps.create(pod, status(set, PodSteps.with(pods, pod), now));
        }
        if (!set.isBeingDeleted() && active.size() > set.replicas()) {
            Pod pod = DeletionOrder.first(active);
            return steps.delete(pod, status(set, PodSteps.without(pods, pod), now));
        }
        return steps.status(status(set, pods, now), active);
    }

    /** Returns the ReplicaSet with the status of its Pods. */
    private static ObjectNode status(Workload set, List<Pod> pods, Instant now) {
        ObjectNode next = counts(set, pods, now);
        Conditions.remove(next, FAILURE);
        return next;
    }

    private static ObjectNode counts(Workload set, List<Pod> pods, Instant now) {
        ObjectNode next = set.copy();
        int replicas = 0;
        int labeled = 0;
        int ready = 0;
        int available = 0;
        int terminating = 0;
        for (Pod pod : pods) {
            if (pod.isActive()) {
                replicas++;
                labeled += hasLabels(pod, set.template().path("metadata").path("labels")) ? 1 : 0;
                ready += pod.isReady() ? 1 : 0;
                available += pod.isAvailable(set.minReadySeconds(), now) ? 1 : 0;
            } else if (pod.isBeingDeleted() && !pod.isFinished()) {
                terminating++;
            }
        }
        ObjectNode status = next.withObject("/status");
        status.put("replicas", replicas);
        PodSteps.putCount(status, "fullyLabeledReplicas", labeled);
        PodSteps.putCount(status, "readyReplicas", ready);
        PodSteps.putCount(status, "availableReplicas", available);
        PodSteps.putCount(status, "terminatingReplicas", terminating);
        status.put("observedGeneration", (int) set.generation());
        return next;
    }

    private static boolean hasLabels(Pod pod, JsonNode labels) {
        return labels.properties().stream()
                .allMatch(each -> pod.labels().path(each.getKey()).equals(each.getValue()));
    }
}
