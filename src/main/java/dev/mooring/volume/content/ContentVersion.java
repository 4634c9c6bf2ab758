package dev.mooring.volume.content;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A short text that stands for what a volume shows. Objects go in with their identity and revision rather than their content: it costs
 * less, and nobody who may read the text can test guesses of a secret with it. Not for several threads at once.
 */
final class ContentVersion {
    /** 64 bits: enough to tell the versions of one volume apart, which is all it is compared with. */
    private static final int BYTES = 8;

    private final MessageDigest digest;

    ContentVersion() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected SHA-256, which every Java has, but found none", e);
        }
    }

    /** With its length, so that where one part ends and the next begins makes a difference. */
    void add(byte[] part) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        digest.update(part);
    }

    void add(String part) {
        add(part.getBytes(StandardCharsets.UTF_8));
    }

    /** May be asked for once. */
    String text() {
        return HexFormat.of().formatHex(Arrays.copyOf(digest.digest(), BYTES));
    }
}
