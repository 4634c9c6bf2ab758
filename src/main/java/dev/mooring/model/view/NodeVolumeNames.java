package dev.mooring.model.view;

import dev.mooring.model.Digests;

/** Names of objects that represent volumes on nodes: a readable part and a hash of the identity. */
final class NodeVolumeNames {
    private static final int MAX_READABLE = 200;
    private static final int HASH_BYTES = 5;

    private NodeVolumeNames() {}

    static String of(String readable, String identity) {
        String start = readable.substring(0, Math.min(readable.length(), MAX_READABLE));
        // A truncated name must not end in a dot or dash, because a dot follows.
        while (start.endsWith(".") || start.endsWith("-")) {
            start = start.substring(0, start.length() - 1);
        }
        return start + '.' + Digests.sha256Hex(identity, HASH_BYTES);
    }
}
