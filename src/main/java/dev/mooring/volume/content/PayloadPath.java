package dev.mooring.volume.content;

import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Normalizes and validates the path of a file in a volume: it stays inside the volume and does not begin with a name
 * that the writer reserves. Errors have Kubernetes' wording. Stateless.
 */
final class PayloadPath {
    private static final int MAX_LENGTH = 4096;
    private static final int MAX_NAME = 255;
    private static final String UP = "..";

    private PayloadPath() {}

    /** Removes empty and "." components. */
    static String normalize(String path) throws VolumeException {
        if (path.isEmpty()) {
            throw refused("must not be empty: \"\"");
        }
        if (path.startsWith("/")) {
            throw refused("must be relative path: " + path);
        }
        if (bytes(path) > MAX_LENGTH) {
            throw refused("must be less than or equal to " + MAX_LENGTH + " characters");
        }
        List<String> names = names(path);
        for (String name : names) {
            if (name.equals(UP)) {
                throw refused("must not contain '..': " + path);
            }
            if (bytes(name) > MAX_NAME) {
                throw refused("filenames must be less than or equal to " + MAX_NAME + " characters");
            }
        }
        if (names.get(0).startsWith(UP)) {
            throw refused("must not start with '..': " + path);
        }
        List<String> plain = new ArrayList<>(names);
        plain.removeIf(name -> name.isEmpty() || name.equals("."));
        if (plain.isEmpty() || path.indexOf('\0') >= 0) {
            throw refused("must name a file: " + path.replace("\0", "\\0"));
        }
        if (plain.get(0).startsWith(UP)) {
            // "./..data" is as bad as "..data"; Kubernetes does not check it.
            throw refused("must not start with '..': " + path);
        }
        return String.join("/", plain);
    }

    static List<String> names(String path) {
        return List.of(path.split("/", -1));
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static VolumeException refused(String why) {
        return VolumeException.clean("InvalidPath", "invalid path: " + why);
    }
}
