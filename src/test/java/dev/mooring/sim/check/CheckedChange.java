package dev.mooring.sim.check;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.view.View;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.sim.user.SimUsers;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One change of one event, with the World before and after it.
 *
 * @param was the object before the change
 * @param is the object after the change; empty if it was removed
 */
record CheckedChange(
        Event event,
        Change change,
        Optional<View> was,
        Optional<View> is,
        World before,
        World after,
        InvariantViolations violations) {

    /** Returns whether a user made the change; users may do more than Mooring's own components. */
    boolean isByUser() {
        return SimUsers.isUser(event.actor());
    }

    <T extends View> Optional<T> was(Class<T> type) {
        return was.filter(type::isInstance).map(type::cast);
    }

    <T extends View> Optional<T> is(Class<T> type) {
        return is.filter(type::isInstance).map(type::cast);
    }

    /**
     * Reports a violation unless the condition holds.
     *
     * @param message evaluated only for a violation
     */
    void require(boolean holds, String invariant, Supplier<String> message) {
        if (!holds) {
            reportViolation(invariant, message.get());
        }
    }

    private void reportViolation(String invariant, String message) {
        violations.report(
                invariant,
                event.type() + " of " + change.key() + " by " + event.actor() + " at revision " + event.revision()
                        + ": " + message);
    }
}
