package dev.mooring.volume.local;

import dev.mooring.volume.Access;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The mount options that a single mount of a directory can have, beside other mounts of the same file system. All others belong to the
 * file system as a whole, and would change it for everybody who uses it.
 */
final class BindOptions {
    private static final String READ_ONLY = "ro";

    private static final Set<String> ALLOWED = Set.of(
            READ_ONLY,
            "rw",
            "suid",
            "nosuid",
            "dev",
            "nodev",
            "exec",
            "noexec",
            "atime",
            "noatime",
            "diratime",
            "nodiratime",
            "relatime",
            "norelatime",
            "strictatime",
            "nostrictatime",
            "nosymfollow",
            "symfollow");

    private BindOptions() {}

    static Optional<String> refusal(List<String> asked) {
        for (String each : asked) {
            if (!ALLOWED.contains(each)) {
                return Optional.of("mount option \"" + each
                        + "\" is not supported for local volumes: use only ro, rw, nosuid, nodev, noexec, noatime,"
                        + " nodiratime, relatime, strictatime, nosymfollow or their opposites");
            }
        }
        return Optional.empty();
    }

    /** Read-only if either says so. */
    static Access access(Access wanted, List<String> asked) {
        return asked.contains(READ_ONLY) ? Access.READ_ONLY : wanted;
    }

    /** Whether more is asked for than {@link Access} says. */
    static boolean areNeeded(List<String> asked) {
        return asked.stream().anyMatch(each -> !each.equals("rw") && !each.equals(READ_ONLY));
    }

    /** For mount(8), to change a mount that is there: exactly these hold then. */
    static List<String> remount(Access access, List<String> asked) {
        List<String> options = new ArrayList<>(List.of("remount", "bind"));
        for (String each : asked) {
            if (!each.equals("rw") && !each.equals(READ_ONLY)) {
                options.add(each);
            }
        }
        options.add(access == Access.READ_ONLY ? READ_ONLY : "rw");
        return options;
    }
}
