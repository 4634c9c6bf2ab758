package dev.mooring.chaos.process;

import java.util.Map;

/**
 * A list that a client got.
 *
 * @param resource such as {@code configmaps}
 * @param revision of the list
 * @param objects by key
 */
record Listing(String resource, long invoked, long ended, long revision, Map<String, Call.Seen> objects) {}
