package dev.mooring.sim.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Checks that nothing is left behind: failure counts after a successful mount, objects in a removed namespace, claims
 * of a removed Pod. Stateless.
 */
final class CleanupChecks {
    private static final Scope PODS = Scope.resource(ViewCache.PODS);
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);
    private static final String MOUNTED = "VolumeMounted";

    private final ViewCache views;

    CleanupChecks(ViewCache views) {
        this.views = views;
    }

    void check(CheckedChange step) {
        if (step.isByUser()) {
            return;
        }
        if (step.event().type().equals(MOUNTED)) {
            step.is(ActualVolume.class).ifPresent(is -> mounted(step, is));
        }
        if (step.change().key().resource().equals("namespaces") && step.is().isEmpty()) {
            namespaceRemoved(step);
        }
    }

    /** A successful mount resets the failure count; otherwise the next failure would wait too long. */
    private static void mounted(CheckedChange step, ActualVolume is) {
        Optional<ActualVolume> was = step.was(ActualVolume.class);
        for (ActualVolume.Mount mount : is.mounts()) {
            boolean ended = mount.operation().isEmpty()
                    && was.flatMap(each -> each.mountFor(mount.pod().uid()))
                            .filter(each -> !each.operation().isEmpty())
                            .isPresent();
            step.require(
                    !ended || mount.retryState().attempts() == 0,
                    "I7",
                    () -> "it is mounted, but still counts "
                            + mount.retryState().attempts() + " failures");
        }
    }

    /** A namespace is removed only when it is empty. */
    private static void namespaceRemoved(CheckedChange step) {
        String name = step.change().key().name();
        for (StoredObject each : step.before().list(Scope.all())) {
            step.require(
                    each.key().namespace().filter(name::equals).isEmpty()
                            || WorldChecks.IGNORED_RESOURCES.contains(each.key().resource()),
                    "I4",
                    () -> "it was removed, although it contains " + each.key());
        }
    }

    /** Checks that claims created for a Pod are removed with it. */
    void quiescent(World world, InvariantViolations violations) {
        Set<String> pods = new HashSet<>();
        views.list(world, PODS, Pod.class).forEach(each -> pods.add(each.uid()));
        for (Claim claim : views.list(world, CLAIMS, Claim.class)) {
            for (JsonNode owner : claim.metadata().path("ownerReferences")) {
                boolean orphaned = owner.path("kind").asText("").equals("Pod")
                        && !pods.contains(owner.path("uid").asText(""))
                        && claim.metadata().path("ownerReferences").size() == 1
                        && !claim.isBeingDeleted();
                violations.check(!orphaned, "I7", claim.key() + " exists, but the Pod that owns it does not");
            }
        }
    }
}
