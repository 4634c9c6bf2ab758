package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller.Enqueuer;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.KindResources;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.View;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Adopts and releases Pods by selector, as Kubernetes' ControllerRefManager: a workload adopts Pods without a controller
 * that its selector matches, and releases its Pods that the selector no longer matches. Pure.
 */
public final class ControllerRefs {
    private ControllerRefs() {}

    /** Returns the Pods that a workload controls, by name. */
    public static List<Pod> pods(World world, View owner) {
        List<Pod> pods = new ArrayList<>();
        for (StoredObject each : world.find(Indexes.PODS_BY_CONTROLLER, owner.uid())) {
            if (each.key().namespace().equals(owner.key().namespace())) {
                pods.add(Pod.of(each));
            }
        }
        return pods;
    }

    /**
     * Returns proposals that adopt and release Pods; empty if all matching Pods have a controller. A workload that is
     * being deleted adopts nothing.
     */
    public static List<Proposal> reconcile(World world, View owner, LabelSelector selector, String actor) {
        List<Proposal> proposals = new ArrayList<>();
        for (Pod pod : pods(world, owner)) {
            if (!selector.matches(pod.labels()) && !pod.isBeingDeleted()) {
                proposals.add(released(owner, pod, actor));
            }
        }
        if (owner.isBeingDeleted()) {
            return proposals;
        }
        for (StoredObject each : world.find(Indexes.PODS_WITHOUT_CONTROLLER, owner.namespace())) {
            Pod pod = Pod.of(each);
            if (selector.matches(pod.labels()) && pod.isActive()) {
                proposals.add(adopted(owner, pod, actor));
            }
        }
        return proposals;
    }

    private static Proposal adopted(View owner, Pod pod, String actor) {
        ObjectNode next = pod.copy();
        ArrayNode owners = ((ObjectNode) next.get("metadata")).withArray("ownerReferences");
        removeOwner(owners, owner);
        owners.add(PodTemplates.controllerRef(owner));
        return Proposal.by(actor, "PodAdopted")
                .because(pod.cause())
                .replace(pod.stored(), Draft.of(pod.key(), next))
                .expect(owner.stored())
                .build();
    }

    private static Proposal released(View owner, Pod pod, String actor) {
        ObjectNode next = pod.copy();
        ObjectNode metadata = (ObjectNode) next.get("metadata");
        ArrayNode owners = metadata.withArray("ownerReferences");
        removeOwner(owners, owner);
        if (owners.isEmpty()) {
            metadata.remove("ownerReferences");
        }
        return Proposal.by(actor, "PodReleased")
                .because(pod.cause())
                .replace(pod.stored(), Draft.of(pod.key(), next))
                .build();
    }

    private static void removeOwner(ArrayNode owners, View owner) {
        for (Iterator<JsonNode> each = owners.iterator(); each.hasNext(); ) {
            if (each.next().path("uid").asText("").equals(owner.uid())) {
                each.remove();
            }
        }
    }

    /** Returns the key of the controller that an owner reference names, if it is of the resource. */
    public static Optional<ObjectKey> controllerKey(View dependent, String resource) {
        JsonNode reference = dependent.controllerRef();
        try {
            return KindResources.ofKind(
                            reference.path("apiVersion").asText(""),
                            reference.path("kind").asText(""))
                    .filter(kind -> kind.resource().equals(resource))
                    .map(kind -> kind.key(
                            dependent.namespace(), reference.path("name").asText("")));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Enqueues the workloads of a resource that a change of a Pod affects: its controllers before and after, and for a
     * Pod without a controller those that may adopt it.
     */
    public static void enqueueOwners(
            Change change, Optional<StoredObject> before, World world, String resource, Enqueuer queue) {
        before.flatMap(each -> controllerKey(Pod.of(each), resource)).ifPresent(queue::enqueue);
        Pod pod = Pod.of(change.object());
        controllerKey(pod, resource).ifPresent(queue::enqueue);
        if (pod.controllerRef().isMissingNode()
                && !change.isRemoval()
                && !pod.labels().isEmpty()) {
            for (StoredObject each : world.list(Scope.namespace(resource, pod.namespace()))) {
                Workload workload = Workload.of(each);
                if (workload.selector()
                        .filter(found -> found.matches(pod.labels()))
                        .isPresent()) {
                    queue.enqueue(workload.key());
                }
            }
        }
    }
}
