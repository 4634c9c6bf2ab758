package dev.mooring.chaos.process;

import java.util.Map;

/** A step of a watcher: what it did or received. */
sealed interface WatchStep {
    /** Listed, and watches from that revision. */
    record Listed(long revision, Map<String, RecordedCall.SeenObject> objects) implements WatchStep {}

    /** Started a watch after a given revision. */
    record Began(long revision) implements WatchStep {}

    /** Resumed after a lost connection. */
    record Resumed(long after) implements WatchStep {}

    record Received(ObjectVersion.VersionKind kind, String key, RecordedCall.SeenObject object) implements WatchStep {}

    record Bookmark(long revision) implements WatchStep {}
}
