package dev.mooring.world;

import dev.mooring.model.Scope;
import java.util.Optional;

/**
 * A value that Worlds derive from the objects of a scope: the entries of an {@link Index} or the sums of a
 * {@link Tally}. Declare it once, as a constant: Worlds cache the value by the identity of the declaration.
 *
 * @param <T> the value; immutable
 */
sealed interface Derivation<T> permits Index, Tally {
    Scope scope();

    /** Returns the value of a World whose differences from the World of the given value are known. */
    T derive(Optional<T> from, Iterable<World.Difference> differences);
}
