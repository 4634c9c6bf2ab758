package dev.mooring.model.view;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of objects that stand for volumes on nodes: something to read, and a hash of what tells them apart. */
final class NodeVolumeNames {
    private static final int MAX_READABLE = 200;
    private static final int HASH_BYTES = 5;

    private NodeVolumeNames() {}

    static String of(String readable, String identity) {
        String start = readable.substring(0, Math.min(readable.length(), MAX_READABLE));
        // A cut must not end in a dot or dash, which no name may have before a dot.
        while (start.endsWith(".") || start.endsWith("-")) {
            start = start.substring(0, start.length() - 1);
        }
        return start + '.' + hash(identity);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected every Java to know SHA-256, but this one does not", e);
        }
    }
}
