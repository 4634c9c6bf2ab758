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
 * Reconciles one aspect of the World, key by key.
 *
 * <p>{@link #reconcile} is level-triggered: it looks at the current state and not at what happened. On the same World
 * it makes the same decision, and after a crash it continues from the current state. It starts nothing: work outside the
 * World is an {@link Effect} of its decision, so it can be called for a past World without consequences.
 *
 * <p>{@link #onChange} receives every change in {@link #scopes()} and enqueues the keys that may need reconciling. At
 * the start it receives every existing object as if it had just been created, so there is no separate initialization.
 *
 * <p>Both methods find related objects with {@link World#index}, which is consistent with the World. A controller may
 * also derive state from the changes it received, such as sums. That state is discarded with the controller, and a new
 * controller is created whenever the watch restarts. The World is at least as new as the last change that
 * {@code onChange} received, and may be newer than that state.
 *
 * <p>Threading: calls come from one thread at a time; each call sees the effects of the calls before it.
 */
public interface Controller {
    /** Returns the actor name of this controller's events. */
    String name();

    /**
     * Returns the name for logs and metrics; differs from {@link #name} where several controllers share one actor name.
     */
    default String metricName() {
        return name();
    }

    /**
     * Receives a callback that enqueues a key after a change outside the World. Called before any other method. The
     * callback may be called from any thread at any time.
     */
    default void setExternalEnqueue(Consumer<ObjectKey> enqueue) {}

    /** Scopes to watch; must not overlap. */
    List<Scope> scopes();

    /**
     * Handles one change and enqueues the affected keys.
     *
     * @param before the previous object; empty if the object is new
     * @param world at least as new as the change
     */
    void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue);

    /**
     * Decides what to do about a key. Function of the World, the changes received so far and, on a node, what the node
     * has observed of its machine, which it only reads.
     */
    Decision reconcile(World world, ObjectKey key, Instant now);

    /** Accepts keys to reconcile. A key that is enqueued several times before it is reconciled is reconciled once. */
    interface Enqueuer {
        /** Enqueues a key for immediate reconciliation. */
        void enqueue(ObjectKey key);

        /**
         * Enqueues a key after a delay, or earlier if another call asks for that. Use it for keys that change often, to
         * coalesce changes.
         */
        void enqueueWithin(ObjectKey key, Duration delay);
    }
}
