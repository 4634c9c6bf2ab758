package dev.mooring.control.workloads;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The Deployment controller: creates a ReplicaSet for each template and moves the Pods from the old ones to the new one.
 *
 * <p>Each step changes one ReplicaSet. Its preconditions are the Deployment, all its ReplicaSets and, if the step takes
 * Pods away, all their Pods: a step is committed only if the state it was decided on still holds (ADR
 * 43).
 */
public final class DeploymentController implements Controller {
    static final String NAME = "deployment-controller";
    static final String RESOURCE = "deployments.apps";

    private static final Scope REPLICA_SETS = Scope.resource(ReplicaSetController.RESOURCE);

    /** ReplicaSets by the uid of their Deployment. */
    static final Index<String> BY_DEPLOYMENT = Indexes.byController("ReplicaSets by controller", REPLICA_SETS);

    private static final Index<String> ORPHANS =
            Indexes.withoutController("ReplicaSets without controller", REPLICA_SETS);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(RESOURCE), REPLICA_SETS);
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
        List<Proposal> ownership =
                ControllerRefs.reconcile(world, found.get(), selector.get(), set -> true, BY_DEPLOYMENT, ORPHANS, NAME);
        return ownership.isEmpty() ? new DeploymentSync(world, found.get(), now).sync() : Decision.of(ownership);
    }
}
