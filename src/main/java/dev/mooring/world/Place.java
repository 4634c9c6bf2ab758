package dev.mooring.world;

import org.reactivestreams.Subscription;

/** A watcher's subscription that knows how far it has come. */
public interface Place extends Subscription {
    /**
     * A revision up to which every event has either been handed out or does not concern this watcher: it may go on from there later.
     * To be asked on the watcher's own scheduler.
     */
    long passed();
}
