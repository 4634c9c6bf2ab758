package dev.mooring.volume.local;

import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Mount options that apply to a single bind mount. All others belong to the file system and would affect all of its
 * mounts.
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

    private static final Set<String> OF_BINDS = Set.of(READ_ONLY, "rw", "suid", "nosuid", "dev", "nodev");

    private BindOptions() {}

    static Optional<String> validationError(List<String> asked) {
        for (String each : asked) {
            if (!ALLOWED.contains(each)) {
                return Optional.of("mount option \"" + each
                        + "\" is not supported for local volumes: use only ro, rw, nosuid, nodev, noexec, noatime,"
                        + " nodiratime, relatime, strictatime, nosymfollow or their opposites");
            }
        }
        return Optional.empty();
    }

    /** Returns read-only if either the access or an option asks for it. */
    static Access access(Access wanted, List<String> asked) {
        return asked.contains(READ_ONLY) ? Access.READ_ONLY : wanted;
    }

    /** Returns whether the options ask for more than {@link BindSettings} covers. */
    static boolean areNeeded(List<String> asked) {
        return asked.stream().anyMatch(each -> !OF_BINDS.contains(each));
    }

    /** Returns the options for a remount with mount(8), which sets exactly these options. */
    static List<String> remount(Access access, List<String> asked) {
        List<String> options = new ArrayList<>(List.of("remount", "bind"));
        for (String each : BindSettings.restricted(asked)) {
            if (!each.equals("rw") && !each.equals(READ_ONLY)) {
                options.add(each);
            }
        }
        options.add(access == Access.READ_ONLY ? READ_ONLY : "rw");
        return options;
    }
}
