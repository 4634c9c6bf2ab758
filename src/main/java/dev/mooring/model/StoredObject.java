package dev.mooring.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * An object as it was committed: its key, the revision that wrote it, and its JSON.
 *
 * <p>The bytes are made once, at commit, and are the same array in the log's batch, in the World and in every watcher's
 * hands. Nobody may change them; {@link #json()} does not copy, because lists and watches of thousands of objects go
 * through it.
 */
public final class StoredObject {
    private final ObjectKey key;
    private final long revision;
    private final byte[] json;
    private final long digest;

    public StoredObject(ObjectKey key, long revision, byte[] json) {
        this.key = key;
        this.revision = revision;
        this.json = json;
        this.digest = digest(key, revision, json);
    }

    private static long digest(ObjectKey key, long revision, byte[] json) {
        CRC32C crc = new CRC32C();
        crc.update(json, 0, json.length);
        long mixed = ((long) key.hashCode() << 32 | crc.getValue()) ^ (revision * 0x9e37_79b9_7f4a_7c15L);
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return mixed ^ (mixed >>> 31);
    }

    public ObjectKey key() {
        return key;
    }

    /** The revision of the event that left the object like this; its {@code metadata.resourceVersion}. */
    public long revision() {
        return revision;
    }

    /** The object's JSON, not to be modified. */
    public byte[] json() {
        return json;
    }

    /**
     * This object's share in {@code World.digest()}: 64 bits of key, revision and content. It finds a replay that went
     * wrong, not an attacker. Kept, because a change needs that of the object it replaces, whose content is not at hand.
     */
    public long digest() {
        return digest;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof StoredObject that
                        && revision == that.revision
                        && digest == that.digest
                        && key.equals(that.key)
                        && Arrays.equals(json, that.json));
    }

    @Override
    public int hashCode() {
        return key.hashCode() * 31 + Long.hashCode(revision);
    }

    @Override
    public String toString() {
        return key + "@" + revision + " " + new String(json, StandardCharsets.UTF_8);
    }
}
