package dev.mooring.chaos.process;

import java.util.Map;

/** What a watcher does and is told, one after the other. */
sealed interface WatchStep {
    /** It listed, and goes on from there. */
    record Listed(long revision, Map<String, Call.Seen> objects) implements WatchStep {}

    /** It starts anew after a revision of its choice. */
    record Began(long revision) implements WatchStep {}

    /** It came back after its connection had broken. */
    record Resumed(long after) implements WatchStep {}

    record Told(Version.Kind kind, String key, Call.Seen object) implements WatchStep {}

    record Bookmark(long revision) implements WatchStep {}
}
