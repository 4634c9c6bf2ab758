package dev.mooring.api.http;

import dev.mooring.world.WorldEvent;
import io.vertx.core.buffer.Buffer;

/** Encodes the events of a watch as lines. */
interface WatchLines {
    /** Appends all lines of an event, or none if it does not match the watch. */
    void append(WorldEvent event, Buffer to);

    /** Returns a bookmark with the watch's current revision. */
    Buffer bookmark(long revision);
}
