package dev.mooring.sim.check;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.View;
import dev.mooring.sim.Findings;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Looks at every event that was committed, in order, and at the World when all is quiet. It has to see all of them from the first one on; what it
 * finds goes to {@link Findings}. For one thread.
 */
public final class WorldChecks {
    private static final String ORDER = "order";
    private static final String FIRST = "MooringInstalled";

    /** Told and forgotten by the thousand, and nothing rests on them. */
    static final Set<String> WORDS = Set.of("events", "leases.coordination.k8s.io");

    private final Findings findings;
    private final Views views = new Views();
    private final Arrivals arrivals = new Arrivals();
    private final MetadataChecks metadata = new MetadataChecks();
    private final BindingChecks binding = new BindingChecks(views);
    private final UseChecks use = new UseChecks(views, arrivals);
    private final ExclusionChecks exclusion = new ExclusionChecks(views, arrivals);
    private final TidyChecks tidy = new TidyChecks(views);
    private Instant time = Instant.MIN;

    public WorldChecks(Findings findings) {
        this.findings = findings;
    }

    /** The next event, with the World on either side of it. */
    public void event(Event event, World before, World after) {
        order(event, before, after);
        oneOfEach(event);
        for (Change change : event.changes()) {
            if (!WORDS.contains(change.key().resource())) {
                look(event, change, before, after);
            }
        }
    }

    /** Revisions have no gaps, and time does not run backwards, whatever the machine's clock does. */
    private void order(Event event, World before, World after) {
        require(
                event.revision() == before.revision() + 1 && after.revision() == event.revision(),
                ORDER,
                () -> "after revision " + before.revision() + " came " + event.revision()
                        + ", and then the World was of " + after.revision());
        require(
                !event.time().isBefore(time),
                ORDER,
                () -> "revision " + event.revision() + " is of " + event.time() + ", the one before of " + time);
        time = event.time();
    }

    /** A watcher that goes on after a revision it has seen half of would never see the rest (ADR 11). */
    private void oneOfEach(Event event) {
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

    private void look(Event event, Change change, World before, World after) {
        Optional<View> was = before.get(change.key()).map(views::of);
        require(
                was.map(View::revision).orElse(0L) == change.prior(),
                ORDER,
                () -> "revision " + event.revision() + " says that it replaced " + change.prior() + " of "
                        + change.key() + ", but that was " + was);
        Optional<View> is = change.isRemoval() ? Optional.empty() : Optional.of(views.of(change.object()));
        Step step = new Step(event, change, was, is, before, after, findings);
        arrivals.look(step);
        metadata.look(step);
        binding.look(step);
        use.look(step);
        exclusion.look(step);
        tidy.look(step);
        if (change.isRemoval()) {
            views.forget(change.key());
        }
    }

    /** All is quiet, and controllers have nothing left to do. */
    public void quiescent(World world) {
        binding.quiescent(world, findings);
        tidy.quiescent(world, findings);
    }

    /** What the log makes of an empty World is the live one, byte for byte (I1). */
    public void replayed(World live, World replayed) {
        if (live.equals(replayed)) {
            return;
        }
        findings.report("I1", "a replay of the log gives " + replayed + " instead of " + live);
        for (StoredObject each : live.list(Scope.all())) {
            require(
                    replayed.get(each.key()).filter(each::equals).isPresent(),
                    "I1",
                    () -> each.key() + " is " + replayed.get(each.key()) + " after a replay instead of " + each);
        }
    }

    private void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            findings.report(invariant, otherwise.get());
        }
    }
}
