package dev.mooring.sim.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.Findings;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Nothing stays behind that belongs to what is over: failures before a success, what is in a namespace, what a Pod's own claims were for. Stateless. */
final class TidyChecks {
    private static final Scope PODS = Scope.resource(Views.PODS);
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);
    private static final String MOUNTED = "VolumeMounted";

    private final Views views;

    TidyChecks(Views views) {
        this.views = views;
    }

    void look(Step step) {
        if (step.isByUser()) {
            return;
        }
        if (step.event().type().equals(MOUNTED)) {
            step.is(ActualVolume.class).ifPresent(is -> mounted(step, is));
        }
        if (step.change().key().resource().equals("namespaces") && step.is().isEmpty()) {
            emptied(step);
        }
    }

    /** A mount that went well begins anew to count what goes wrong: otherwise the next failure waits as long as the last of many. */
    private static void mounted(Step step, ActualVolume is) {
        Optional<ActualVolume> was = step.was(ActualVolume.class);
        for (ActualVolume.Mount mount : is.mounts()) {
            boolean ended = mount.operation().isEmpty()
                    && was.flatMap(each -> each.mountFor(mount.pod().uid()))
                            .filter(each -> !each.operation().isEmpty())
                            .isPresent();
            step.require(
                    !ended || mount.trying().attempts() == 0,
                    "I7",
                    () -> "it is mounted, and still counts " + mount.trying().attempts() + " failures");
        }
    }

    /** A namespace goes last. */
    private static void emptied(Step step) {
        String name = step.change().key().name();
        for (StoredObject each : step.before().list(Scope.all())) {
            step.require(
                    each.key().namespace().filter(name::equals).isEmpty()
                            || WorldChecks.WORDS.contains(each.key().resource()),
                    "I4",
                    () -> "it is gone, though " + each.key() + " is in it");
        }
    }

    /** A claim that was made for a Pod goes with it. */
    void quiescent(World world, Findings findings) {
        Set<String> pods = new HashSet<>();
        views.list(world, PODS, Pod.class).forEach(each -> pods.add(each.uid()));
        for (Claim claim : views.list(world, CLAIMS, Claim.class)) {
            for (JsonNode owner : claim.metadata().path("ownerReferences")) {
                boolean orphaned = owner.path("kind").asText("").equals("Pod")
                        && !pods.contains(owner.path("uid").asText(""))
                        && claim.metadata().path("ownerReferences").size() == 1
                        && !claim.isBeingDeleted();
                findings.check(!orphaned, "I7", claim.key() + " is there, and the Pod that it was made for is gone");
            }
        }
    }
}
