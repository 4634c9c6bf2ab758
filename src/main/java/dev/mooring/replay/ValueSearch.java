package dev.mooring.replay;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.log.Disk;
import dev.mooring.log.LogInspector;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Searches for remaining occurrences of the values of purged objects, in plain text and base64. Takes linear time in
 * the searched bytes, independent of the number of values. Not thread-safe.
 */
public final class ValueSearch {
    /** Minimum length of a value; shorter ones occur by chance. */
    private static final int SHORTEST = Long.BYTES;

    /**
     * Maximum length that is searched for, from the middle of a longer value, because keys and certificates begin and
     * end alike.
     */
    private static final int LONGEST = 64;

    private static final int CHUNK = 1 << 20;

    /** Values by their first eight bytes. */
    private final Map<Long, List<byte[]>> values = new HashMap<>();

    /** A bit per possible start, which rules out nearly all positions. */
    private final BitSet starts = new BitSet(1 << 16);

    private int tooShort;

    /** Returns the number of values that were too short to search for. */
    public int tooShort() {
        return tooShort;
    }

    /** Adds the values of {@code data} and {@code binaryData} of a Secret or ConfigMap. */
    void addContentsOf(JsonNode object) {
        for (String field : List.of("data", "binaryData")) {
            for (JsonNode value : object.path(field)) {
                if (value.isTextual()) {
                    add(value.textValue());
                }
            }
        }
    }

    private void add(String value) {
        boolean longEnough = addAsInJson(value);
        try {
            byte[] decoded = Base64.getDecoder().decode(value);
            longEnough |= addAsInJson(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(decoded))
                    .toString());
        } catch (IllegalArgumentException | CharacterCodingException e) {
            // Not base64, or not text: in JSON it can only occur as it is.
        }
        tooShort += longEnough ? 0 : 1;
    }

    private boolean addAsInJson(String text) {
        byte[] bytes = JsonStringEncoder.getInstance().quoteAsUTF8(text);
        if (bytes.length < SHORTEST) {
            return false;
        }
        int length = Math.min(bytes.length, LONGEST);
        int start = (bytes.length - length) / 2;
        byte[] part = Arrays.copyOfRange(bytes, start, start + length);
        long window = ByteBuffer.wrap(part).getLong();
        starts.set(bit(window));
        List<byte[]> alike = values.computeIfAbsent(window, first -> new ArrayList<>());
        if (alike.stream().noneMatch(known -> Arrays.equals(known, part))) {
            alike.add(part);
        }
        return true;
    }

    /** Returns the files in a directory that contain one of the values. */
    public Set<String> filesWith(Disk disk, Path directory) throws IOException {
        Set<String> found = new TreeSet<>();
        for (String name : disk.list(directory)) {
            try (Disk.DiskFile file = disk.openForReading(directory.resolve(name))) {
                if (isIn(file)) {
                    found.add(name);
                }
            }
        }
        return found;
    }

    private boolean isIn(Disk.DiskFile file) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(CHUNK + LONGEST);
        for (long at = 0; at < file.size(); at += CHUNK) {
            buffer.clear();
            int read = file.read(at, buffer);
            if (isIn(buffer.array(), read)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the objects in a log that contain one of the values, with their revisions. */
    public Map<String, Set<Long>> objectsWith(LogInspector log) throws IOException {
        Map<String, Set<Long>> found = new HashMap<>();
        log.walk(1, (batch, end) -> {
            for (Event event : batch.events()) {
                for (Change change : event.changes()) {
                    addMatches(change.object(), found);
                }
            }
            return true;
        });
        for (long revision : log.snapshots().revisions()) {
            log.snapshots().load(revision).objects().forEach(object -> addMatches(object, found));
        }
        return found;
    }

    private void addMatches(StoredObject object, Map<String, Set<Long>> found) {
        if (isIn(object.json(), object.json().length)) {
            found.computeIfAbsent(object.key().text(), key -> new TreeSet<>()).add(object.revision());
        }
    }

    private static int bit(long window) {
        return (int) ((window * 0x9e37_79b9_7f4a_7c15L) >>> 48);
    }

    private static boolean isAt(byte[] bytes, int at, int length, List<byte[]> candidates) {
        for (byte[] value : candidates) {
            if (at + value.length <= length && Arrays.equals(bytes, at, at + value.length, value, 0, value.length)) {
                return true;
            }
        }
        return false;
    }

    private boolean isIn(byte[] bytes, int length) {
        if (length < SHORTEST) {
            return false;
        }
        long window = ByteBuffer.wrap(bytes).getLong();
        for (int at = 0; ; at++) {
            if (starts.get(bit(window)) && isAt(bytes, at, length, values.getOrDefault(window, List.of()))) {
                return true;
            }
            if (at + SHORTEST >= length) {
                return false;
            }
            window = window << 8 | (bytes[at + SHORTEST] & 0xff);
        }
    }
}
