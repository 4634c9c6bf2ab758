package dev.mooring.volume.work;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.path.RelativePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Says for which volume something below a base was made, and what was promised about its end. Immutable.
 *
 * @param volume name of the PersistentVolume
 * @param uid its identity
 * @param path where, below the base
 */
record Marker(String volume, String uid, RelativePath path, OnDelete onDelete) {
    /** It becomes a file name; without a point, which tells markers from what is under way. */
    private static final Pattern UID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,127}");

    /** It becomes part of a file name when archived. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,252}");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int UID_PREFIX = 8;
    private static final int MAX_NAME = 255;

    static Marker of(String volume, String uid, String path, OnDelete onDelete) throws VolumeWorkException {
        if (!isUid(uid) || !NAME.matcher(volume).matches()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Expected the name and uid of a PersistentVolume, but found \"" + volume + "\" and \"" + uid
                            + "\"");
        }
        return new Marker(volume, uid, path(path), onDelete);
    }

    static boolean isUid(String name) {
        return UID.matcher(name).matches();
    }

    private static RelativePath path(String text) throws VolumeWorkException {
        RelativePath path;
        try {
            path = RelativePath.of(text);
            // Not every text can be the name of a file, which depends on the machine's encoding.
            if (Path.of(path.toString()).isAbsolute()) {
                throw new IllegalArgumentException("Expected a relative path, but found " + path);
            }
        } catch (IllegalArgumentException e) {
            throw new VolumeWorkException(
                    VolumeWorkException.OUTSIDE_BASE,
                    e.getMessage() + ": correct the pathPattern of the storage class");
        }
        String first = path.names().get(0);
        if (first.startsWith(MarkedBase.AREA) || first.startsWith(MarkedBase.ARCHIVED)) {
            throw new VolumeWorkException(
                    VolumeWorkException.OUTSIDE_BASE,
                    "Expected the path of a volume, but \"" + text + "\" begins with a name that Mooring uses itself ("
                            + MarkedBase.AREA + ", " + MarkedBase.ARCHIVED
                            + "…): correct the pathPattern of the storage class");
        }
        return path;
    }

    /** Under which name the data lies in its base when it was archived. */
    String archiveName() {
        String end = "-" + uid.substring(0, Math.min(UID_PREFIX, uid.length()));
        String name = MarkedBase.ARCHIVED + volume;
        return name.substring(0, Math.min(name.length(), MAX_NAME - end.length())) + end;
    }

    byte[] bytes() {
        ObjectNode json = JSON.createObjectNode();
        json.put("volume", volume);
        json.put("uid", uid);
        json.put("path", path.toString());
        json.put("onDelete", onDelete.toString());
        return (json + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** What was written there; damaged ones are an error, because then nobody knows what may be deleted. */
    static Marker parse(byte[] bytes, String where) throws VolumeWorkException {
        try {
            JsonNode json = JSON.readTree(bytes);
            return of(
                    json.path("volume").asText(""),
                    json.path("uid").asText(""),
                    json.path("path").asText(""),
                    OnDelete.of(json.path("onDelete").asText("delete")));
        } catch (JsonProcessingException e) {
            throw damaged(where, e.getOriginalMessage());
        } catch (IOException e) {
            throw damaged(where, e.getMessage());
        }
    }

    private static VolumeWorkException damaged(String where, String raw) {
        return new VolumeWorkException(
                VolumeWorkException.WRONG_MARKER,
                "Expected a marker in " + where
                        + ", but it cannot be read: look whose data it was, then remove or repair it",
                raw);
    }
}
