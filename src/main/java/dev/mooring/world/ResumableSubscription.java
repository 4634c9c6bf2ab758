package dev.mooring.world;

import org.reactivestreams.Subscription;

/** A watcher's subscription that knows its position. */
public interface ResumableSubscription extends Subscription {
    /**
     * Returns a revision from which the watch can be resumed: every event up to it was delivered or is not relevant to
     * this watcher. Call it on the watcher's scheduler.
     */
    long resumeRevision();
}
