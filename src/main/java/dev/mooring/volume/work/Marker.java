package dev.mooring.volume.work;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.RelativePath;
import dev.mooring.model.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Records for which volume a path below a base was created, and what happens to its data on deletion. Immutable.
 *
 * @param volume name of the PersistentVolume
 * @param uid of the PersistentVolume
 * @param path below the base
 * @param claim the claim it was created for; empty in markers of earlier versions
 */
record Marker(String volume, String uid, RelativePath path, OnDelete onDelete, Optional<ClaimIdentity> claim) {
    /** A uid is a file name without a dot; temporary names have a dot. */
    private static final Pattern UID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,127}");

    /** A volume name is part of the file name of archived data. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,252}");

    private static final int UID_PREFIX = 8;
    private static final int MAX_NAME = 255;

    static Marker of(String volume, String uid, String path, OnDelete onDelete) throws VolumeWorkException {
        if (!isUid(uid) || !NAME.matcher(volume).matches()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Name or uid of a PersistentVolume is invalid, got \"" + volume + "\" and \"" + uid + "\"");
        }
        return new Marker(volume, uid, path(path), onDelete, Optional.empty());
    }

    /** Returns the marker for another claim. */
    Marker forClaim(Optional<ClaimIdentity> owner) {
        return new Marker(volume, uid, path, onDelete, owner);
    }

    static boolean isUid(String name) {
        return UID.matcher(name).matches();
    }

    private static RelativePath path(String text) throws VolumeWorkException {
        RelativePath path;
        try {
            path = RelativePath.of(text);
            // Whether a text is a valid file name depends on the machine's encoding.
            if (Path.of(path.toString()).isAbsolute()) {
                throw new IllegalArgumentException("path must be relative, got " + path);
            }
        } catch (IllegalArgumentException e) {
            throw new VolumeWorkException(
                    VolumeWorkException.OUTSIDE_BASE,
                    e.getMessage() + ": correct the pathPattern of the storage class");
        }
        String first = path.names().get(0);
        if (first.startsWith(VolumeBaseDirectory.AREA) || first.startsWith(VolumeBaseDirectory.ARCHIVED)) {
            throw new VolumeWorkException(
                    VolumeWorkException.OUTSIDE_BASE,
                    "Path \"" + text + "\" of a volume starts with a name that is reserved for Mooring ("
                            + VolumeBaseDirectory.AREA + ", " + VolumeBaseDirectory.ARCHIVED
                            + "…): correct the pathPattern of the storage class");
        }
        return path;
    }

    /** Returns the name of the archived data in its base. */
    String archiveName() {
        String end = "-" + uid.substring(0, Math.min(UID_PREFIX, uid.length()));
        String name = VolumeBaseDirectory.ARCHIVED + volume;
        return name.substring(0, Math.min(name.length(), MAX_NAME - end.length())) + end;
    }

    /** Returns the file content. */
    String text() {
        return "volume " + volume + " (uid " + uid + ") of "
                + claim.map(owner -> "claim " + owner + " (namespace uid " + owner.namespaceUid() + ')')
                        .orElse("an unknown claim");
    }

    byte[] bytes() {
        ObjectNode json = Json.MAPPER.createObjectNode();
        json.put("volume", volume);
        json.put("uid", uid);
        json.put("path", path.toString());
        json.put("onDelete", onDelete.toString());
        claim.ifPresent(owner -> json.set("claim", owner.json()));
        return (json + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Parses a marker; a damaged one is an error, because it is unknown what may be deleted. */
    static Marker parse(byte[] bytes, String where) throws VolumeWorkException {
        try {
            JsonNode json = Json.MAPPER.readTree(bytes);
            return of(
                            json.path("volume").asText(""),
                            json.path("uid").asText(""),
                            json.path("path").asText(""),
                            OnDelete.of(json.path("onDelete").asText("delete")))
                    .forClaim(ClaimIdentity.of(json.path("claim")));
        } catch (JsonProcessingException e) {
            throw damaged(where, e.getOriginalMessage());
        } catch (IOException e) {
            throw damaged(where, e.getMessage());
        }
    }

    private static VolumeWorkException damaged(String where, String raw) {
        return new VolumeWorkException(
                VolumeWorkException.WRONG_MARKER,
                "Marker in " + where + " is damaged: find out which volume it belongs to, then repair or remove it",
                raw);
    }
}
