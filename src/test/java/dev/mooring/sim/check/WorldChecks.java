package dev.mooring.sim.check;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.View;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Checks every committed event in order, and the World when the system is idle. Must receive all events from the first
 * one on; reports to {@link InvariantViolations}. For one thread.
 */
public final class WorldChecks {
    private static final String ORDER = "order";
    private static final String FIRST = "MooringInstalled";

    /** Resources without invariants: frequent and short-lived. */
    static final Set<String> IGNORED_RESOURCES = Set.of("events", "leases.coordination.k8s.io");

    private final InvariantViolations violations;
    private final ViewCache views = new ViewCache();
    private final PodArrivals arrivals = new PodArrivals();
    private final MetadataChecks metadata = new MetadataChecks();
    private final BindingChecks binding = new BindingChecks(views);
    private final UseChecks use = new UseChecks(views, arrivals);
    private final ExclusionChecks exclusion = new ExclusionChecks(views, arrivals);
    private final CleanupChecks cleanup = new CleanupChecks(views);
    private Instant time = Instant.MIN;

    public WorldChecks(InvariantViolations violations) {
        this.violations = violations;
    }

    /**
     * Checks the next event.
     *
     * @param before the World before the event
     * @param after the World after it
     */
    public void event(Event event, World before, World after) {
        order(event, before, after);
        checkOneChangePerResource(event);
        for (Change change : event.changes()) {
            if (!IGNORED_RESOURCES.contains(change.key().resource())) {
                checkChange(event, change, before, after);
            }
        }
    }

    /** Revisions have no gaps, and event times never decrease, even if the machine's clock is set back. */
    private void order(Event event, World before, World after) {
        require(
                event.revision() == before.revision() + 1 && after.revision() == event.revision(),
                ORDER,
                () -> "after revision " + before.revision() + " came " + event.revision()
                        + ", but the World then had revision " + after.revision());
        require(
                !event.time().isBefore(time),
                ORDER,
                () -> "revision " + event.revision() + " has the time " + event.time() + ", the previous one " + time);
        time = event.time();
    }

    /**
     * An event changes at most one object of a resource: a watcher that resumes in the middle of a revision would miss
     * the rest (ADR 11).
     */
    private void checkOneChangePerResource(Event event) {
        if (event.changes().size() == 1 || event.type().equals(FIRST)) {
            return;
        }
        Set<String> resources = new HashSet<>();
        for (Change change : event.changes()) {
            require(
                    resources.add(change.key().resource()),
                    "ADR 11",
                    () -> event.type() + " at revision " + event.revision() + " changes two "
                            + change.key().resource());
        }
    }

    private void checkChange(Event event, Change change, World before, World after) {
        Optional<View> was = before.get(change.key()).map(views::of);
        require(
                was.map(View::revision).orElse(0L) == change.prior(),
                ORDER,
                () -> "revision " + event.revision() + " states that it replaced " + change.prior() + " of "
                        + change.key() + ", but that was " + was);
        Optional<View> is = change.isRemoval() ? Optional.empty() : Optional.of(views.of(change.object()));
        CheckedChange step = new CheckedChange(event, change, was, is, before, after, violations);
        arrivals.observe(step);
        metadata.check(step);
        binding.check(step);
        use.check(step);
        exclusion.check(step);
        cleanup.check(step);
        if (change.isRemoval()) {
            views.forget(change.key());
        }
    }

    /** Checks the World when controllers are idle. */
    public void quiescent(World world) {
        binding.quiescent(world, violations);
        cleanup.quiescent(world, violations);
    }

    /** Replaying the log gives the live World, byte for byte (I1). */
    public void replayed(World live, World replayed) {
        if (live.equals(replayed)) {
            return;
        }
        violations.report("I1", "a replay of the log gives " + replayed + " instead of " + live);
        for (StoredObject each : live.list(Scope.all())) {
            require(
                    replayed.get(each.key()).filter(each::equals).isPresent(),
                    "I1",
                    () -> each.key() + " is " + replayed.get(each.key()) + " after a replay instead of " + each);
        }
    }

    private void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            violations.report(invariant, otherwise.get());
        }
    }
}
