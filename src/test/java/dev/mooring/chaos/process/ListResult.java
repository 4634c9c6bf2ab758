package dev.mooring.chaos.process;

import java.util.Map;

/**
 * A list that a client received.
 *
 * @param resource such as {@code configmaps}
 * @param revision of the list
 * @param objects by key
 */
record ListResult(
        String resource, long invoked, long ended, long revision, Map<String, RecordedCall.SeenObject> objects) {}
