package dev.mooring.model;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A committed object: its key, the revision that wrote it, and its JSON.
 *
 * <p>The JSON is encoded once, at commit; the log's batch, the World and all watchers share the same array. It must not
 * be modified; {@link #json()} does not copy, because lists and watches of thousands of objects use it.
 */
public final class StoredObject {
    /**
     * Memory of an object besides its JSON and key: headers, references, its tree slot; measured by {@code make bench}.
     */
    private static final int OVERHEAD = 128;

    private static final String MANAGED_FIELDS = "\"managedFields\"";

    private final ObjectKey key;
    private final long revision;
    private final byte[] json;
    private final long digest;
    private final int bytes;

    /** The shared tree. Threads may race to set it: each result is valid, and its content is safely published. */
    private volatile WeakReference<ObjectNode> parsed;

    public StoredObject(ObjectKey key, long revision, byte[] json) {
        this.key = key;
        this.revision = revision;
        this.json = json;
        this.digest = digest(key, revision, json);
        this.bytes = OVERHEAD + key.text().length() + json.length;
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

    /** Returns the revision of the event that wrote the object; its {@code metadata.resourceVersion}. */
    public long revision() {
        return revision;
    }

    /** Returns the object's JSON; must not be modified. */
    public byte[] json() {
        return json;
    }

    /**
     * Returns whether a text occurs anywhere in the JSON. Field names are stored unescaped, so an object without the
     * text does not have the field; an object with the text may have it.
     *
     * @param word ASCII
     */
    public boolean containsText(String word) {
        int last = json.length - word.length();
        char first = word.charAt(0);
        for (int at = 0; at <= last; at++) {
            if (json[at] == first && isAt(at, word)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAt(int at, String word) {
        for (int i = 1; i < word.length(); i++) {
            if (json[at + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the parsed JSON, which all readers share; must not be modified. Parsed again only after the garbage
     * collector has removed it, so an object that several components read at about the same time is parsed once, and
     * objects that are not read cost no memory.
     */
    public ObjectNode tree() {
        WeakReference<ObjectNode> known = parsed;
        ObjectNode tree = known == null ? null : known.get();
        if (tree == null) {
            tree = toTree();
            parsed = new WeakReference<>(tree);
        }
        return tree;
    }

    /**
     * Returns the JSON without {@code metadata.managedFields}, which are often larger than the rest; the stored array if
     * there are none. Everything else is copied as stored, not encoded again.
     */
    public byte[] jsonWithoutManagedFields() {
        if (!containsText(MANAGED_FIELDS)) {
            return json;
        }
        try (JsonParser parser = Json.MAPPER.createParser(json)) {
            parser.nextToken();
            return enter(parser, "metadata") && enter(parser, "managedFields") ? without(parser) : json;
        } catch (IOException e) {
            throw new UncheckedIOException(key + " is not valid JSON", e);
        }
    }

    /** Advances to the name of a field of the current object; returns false if there is none. */
    private static boolean enter(JsonParser parser, String field) throws IOException {
        if (parser.currentToken() == JsonToken.FIELD_NAME) {
            parser.nextToken();
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            if (parser.currentName().equals(field)) {
                return true;
            }
            parser.nextToken();
            parser.skipChildren();
        }
        return false;
    }

    /** Returns the JSON without the current field and the comma that separates it from another field. */
    private byte[] without(JsonParser parser) throws IOException {
        int from = (int) parser.currentTokenLocation().getByteOffset();
        parser.nextToken();
        parser.skipChildren();
        int to = (int) parser.currentLocation().getByteOffset();
        if (json[from - 1] == ',') {
            from--;
        } else if (json[to] == ',') {
            to++;
        }
        byte[] rest = Arrays.copyOf(json, json.length - (to - from));
        System.arraycopy(json, to, rest, from, json.length - to);
        return rest;
    }

    /** Parses the JSON into a new tree, which the caller may modify. */
    public ObjectNode toTree() {
        try {
            if (Json.MAPPER.readTree(json) instanceof ObjectNode tree) {
                return tree;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(key + " is not valid JSON", e);
        }
        throw new IllegalArgumentException(key + " is not a JSON object");
    }

    /**
     * Returns this object's share of {@code World.digest()}: 64 bits of key, revision and content. It detects a wrong
     * replay, not an attacker. Stored, because a change needs the digest of the object it replaces, whose content may
     * not be in memory.
     */
    public long digest() {
        return digest;
    }

    /** Returns the approximate memory of the object, in bytes. */
    public int bytes() {
        return bytes;
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
