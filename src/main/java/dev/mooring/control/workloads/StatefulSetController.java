package dev.mooring.control.workloads;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The StatefulSet controller: Pods with numbers and their own claims, created, replaced and removed in order.
 *
 * <p>The name of a Pod contains its number, and the World has one object of a name: there are never two Pods of a
 * number. A Pod is created again only when the node has removed the old one, whose containers have then ended.
 */
public final class StatefulSetController implements Controller {
    static final String NAME = "statefulset-controller";
    static final String RESOURCE = "statefulsets.apps";

    private final PodAdmission admission;

    public StatefulSetController(PodAdmission admission) {
        this.admission = admission;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(RESOURCE),
                Scope.resource("pods"),
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(RevisionHistory.RESOURCE));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        switch (change.key().resource()) {
            case RESOURCE -> queue.enqueue(change.key());
            case StorageNames.CLAIMS -> enqueueUsers(change.key(), world, queue);
            default -> ControllerRefs.enqueueOwners(change, before, world, RESOURCE, queue);
        }
    }

    /** Enqueues the StatefulSets that have a claim of this name. */
    private static void enqueueUsers(ObjectKey claim, World world, Enqueuer queue) {
        for (StoredObject each :
                world.list(Scope.namespace(RESOURCE, claim.namespace().orElseThrow()))) {
            Workload set = Workload.of(each);
            set.spec().path("volumeClaimTemplates").forEach(template -> {
                String start = template.path("metadata").path("name").asText("") + '-' + set.name() + '-';
                if (claim.name().startsWith(start)) {
                    queue.enqueue(set.key());
                }
            });
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Workload> found = world.get(key).map(Workload::of);
        Optional<LabelSelector> selector = found.flatMap(Workload::selector);
        if (selector.isEmpty()) {
            return Decision.none();
        }
        Workload set = found.get();
        List<Proposal> ownership = ControllerRefs.reconcile(
                world, set, selector.get(), pod -> StatefulSetSync.ordinal(set, pod.name()) >= 0, NAME);
        if (!ownership.isEmpty()) {
            return Decision.of(ownership);
        }
        RevisionHistory history = new RevisionHistory(world, set, NAME);
        if (history.update().isEmpty() && !set.isBeingDeleted()) {
            return Decision.of(history.record(now));
        }
        return history.update()
                .map(update -> new StatefulSetSync(world, set, history, update, admission, now).sync())
                .orElse(Decision.none());
    }
}
