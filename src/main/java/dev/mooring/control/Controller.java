package dev.mooring.control;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Brings one aspect of the World, key by key, to where it should be.
 *
 * <p>{@link #reconcile} looks at what is, never at what happened: called twice upon the same World it decides the same, and called
 * after any crash it goes on from where things are. It has no memory and no effects.
 *
 * <p>{@link #follow} is told of every change in {@link #scopes()} and says which keys may now have something to be decided. At the start
 * it is told of every object there is, as if each had just been created, so there is no second way to begin. A controller may keep
 * an index of what it was told; the index is thrown away with the controller, and a new controller is made whenever the following begins anew.
 *
 * <p>What {@code reconcile} sees is at least as new as what {@code follow} was told, and may be newer. Who uses an index to find that
 * something is <em>not</em> there therefore first looks whether the index has come as far as the object in question; if not, the
 * object's own change is still to be told, and deciding nothing is right.
 *
 * <p>Threading: all calls come from one thread at a time, with everything done before visible.
 */
public interface Controller {
    /** Who it is: the actor of its events. */
    String name();

    /** What it is called in logs and metrics, where several act under one name. */
    default String part() {
        return name();
    }

    /**
     * Is given, before anything else, a way to have a key looked at when something outside of the World has happened to what it stands for. Any
     * thread may call it, as long as it likes.
     */
    default void wakeable(Consumer<ObjectKey> wake) {}

    /** What it is told of. No two may overlap. */
    List<Scope> scopes();

    /**
     * Is told of one change.
     *
     * @param before the object as it was, nothing if it is new
     * @param world at least as new as the change
     */
    void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes);

    /** What to do about a key. Pure, given the World and what was followed so far. */
    Decision reconcile(World world, ObjectKey key, Instant now);

    /** Takes the keys that are to be looked at. A key that is told many times is looked at once. */
    interface Wakes {
        /** The key is to be looked at as soon as it is its turn. */
        void now(ObjectKey key);

        /** The key is to be looked at after a while; sooner, if anybody else asks for that. For keys that change often. */
        void within(ObjectKey key, Duration delay);
    }
}
