package dev.mooring.sim.check;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.view.View;
import dev.mooring.sim.Findings;
import dev.mooring.sim.user.SimUsers;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One change of one event, with the World on either side.
 *
 * @param was the object before
 * @param is the object afterwards; nothing if it was removed
 */
record Step(
        Event event,
        Change change,
        Optional<View> was,
        Optional<View> is,
        World before,
        World after,
        Findings findings) {

    /** Whether a user did it, who may do what no part of Mooring may. */
    boolean isByUser() {
        return SimUsers.isUser(event.actor());
    }

    <T extends View> Optional<T> was(Class<T> type) {
        return was.filter(type::isInstance).map(type::cast);
    }

    <T extends View> Optional<T> is(Class<T> type) {
        return is.filter(type::isInstance).map(type::cast);
    }

    /** @param otherwise only asked if it does not hold */
    void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            broken(invariant, otherwise.get());
        }
    }

    private void broken(String invariant, String how) {
        findings.report(
                invariant,
                event.type() + " of " + change.key() + " by " + event.actor() + " at revision " + event.revision()
                        + ": " + how);
    }
}
