package dev.mooring.volume.nfs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A validated export to mount: no part can be misinterpreted by mount. Immutable.
 *
 * @param path absolute and normalized
 * @param options requested options, each valid; without ro and rw
 * @param access read-only if the Pod, the volume source or an option asks for it
 */
record NfsVolume(ServerName server, String path, List<String> options, Access access) {
    private static final int MAX_PATH = 1024;

    /**
     * Limits mount.nfs to one attempt, instead of two minutes of retries; the caller decides about the next attempt.
     */
    private static final String ONE_TRY = "retry=0";

    static NfsVolume of(VolumeSpec volume, Access access) throws VolumeException {
        JsonNode nfs = volume.source().path("nfs");
        String server = nfs.path("server").asText("");
        ServerName name = ServerName.parse(server)
                .orElseThrow(() -> VolumeException.clean(
                        "InvalidServer",
                        "invalid nfs.server " + shown(server)
                                + ": it must be a host name, an IPv4 or an IPv6 address"));
        String path = path(nfs.path("path").asText(""));
        List<String> asked = volume.mountOptions();
        Optional<String> refusal = NfsOptions.validationError(asked);
        if (refusal.isPresent()) {
            throw VolumeException.clean("InvalidOptions", refusal.get());
        }
        boolean readOnly = access == Access.READ_ONLY
                || nfs.path("readOnly").asBoolean(false)
                || asked.lastIndexOf("ro") > asked.lastIndexOf("rw");
        List<String> options = asked.stream()
                .filter(each -> !each.equals("ro") && !each.equals("rw"))
                .toList();
        return new NfsVolume(name, path, options, readOnly ? Access.READ_ONLY : Access.READ_WRITE);
    }

    private static String path(String text) throws VolumeException {
        boolean right = text.startsWith("/")
                && text.length() <= MAX_PATH
                && text.chars().noneMatch(each -> each < ' ' || each == 0x7f)
                && !List.of(text.split("/", -1)).contains("..");
        if (!right) {
            throw VolumeException.clean(
                    "InvalidPath",
                    "invalid nfs.path " + shown(text)
                            + ": it must be an absolute path without '..' and control characters");
        }
        try {
            return normalized(Path.of(text).toString());
        } catch (InvalidPathException e) {
            // The character would reach mount as a question mark and might name another export.
            throw VolumeException.clean(
                    "InvalidPath",
                    "nfs.path " + shown(text) + " cannot be encoded in this process's locale: start Mooring with"
                            + " LC_ALL=C.UTF-8");
        }
    }

    private static String shown(String text) {
        StringBuilder shown = new StringBuilder("\"");
        text.chars().limit(MAX_PATH).forEach(each -> shown.append(each < ' ' || each == 0x7f ? '?' : (char) each));
        return shown.append('"').toString();
    }

    private static String normalized(String path) {
        StringBuilder text = new StringBuilder();
        for (String each : path.split("/", -1)) {
            if (!each.isEmpty() && !each.equals(".")) {
                text.append('/').append(each);
            }
        }
        return text.isEmpty() ? "/" : text.toString();
    }

    /** Returns the mount source: {@code nas:/exports/data}. */
    String source() {
        return server.inSource() + ":" + path;
    }

    /** Returns whether the kernel's mount source is this export, with or without a trailing slash. */
    boolean isSource(String kernelSource) {
        String prefix = server.inSource() + ":";
        return isOnServer(kernelSource)
                && normalized(kernelSource.substring(prefix.length())).equals(path);
    }

    /** Returns whether the kernel's mount source is on the same server. */
    boolean isOnServer(String kernelSource) {
        String prefix = server.inSource() + ":";
        return kernelSource.startsWith(prefix + "/");
    }

    /** Returns the options for mount. */
    List<String> mountOptions() {
        List<String> all = BindSettings.restricted(options);
        if (access == Access.READ_ONLY) {
            all.add("ro");
        }
        if (NfsOptions.value(options, "retry").isEmpty()) {
            all.add(ONE_TRY);
        }
        return all;
    }

    /** Returns the requested NFS version, such as 3 or 4.1. */
    Optional<String> version() {
        return NfsOptions.version(options);
    }

    /** Returns a readable name of the export. */
    @Override
    public String toString() {
        return source();
    }
}
