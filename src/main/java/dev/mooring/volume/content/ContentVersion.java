package dev.mooring.volume.content;

import dev.mooring.model.Digests;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Builds a short hash that identifies the content of a volume. Objects are added by uid and resourceVersion, not by
 * content: it is cheaper, and the hash cannot be used to test guesses of a secret. Not thread-safe.
 */
final class ContentVersion {
    /** 64 bits, enough to distinguish the versions of one volume. */
    private static final int BYTES = 8;

    private final MessageDigest digest = Digests.newSha256();

    /** Adds the part with its length, so that different splits give different hashes. */
    void add(byte[] part) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        digest.update(part);
    }

    void add(String part) {
        add(part.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the hash; may be called once. */
    String text() {
        return HexFormat.of().formatHex(Arrays.copyOf(digest.digest(), BYTES));
    }
}
