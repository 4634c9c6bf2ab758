package dev.mooring.volume.nfs;

import dev.mooring.host.MountTable.Mount;
import dev.mooring.volume.Access;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Compares a mount with the requested one, using the mount table only. Stateless. */
final class MountVerifier {
    private static final Set<String> TYPES = Set.of("nfs", "nfs4");
    private static final Set<String> COMPARED = Set.of("proto", "sec", "timeo", "retrans", "nconnect", "local_lock");
    private static final Set<String> RECOVERY_MODES = Set.of("hard", "soft", "softerr");

    private MountVerifier() {}

    /** Returns why the mount is not the requested one, as a text that follows the path; empty if it is. */
    static Optional<String> mismatch(List<Mount> mounts, NfsVolume requested) {
        Mount seen = mounts.get(mounts.size() - 1);
        if (mounts.size() > 1) {
            return Optional.of("has " + mounts.size() + " stacked mounts");
        }
        if (!requested.isSource(seen.source()) || !isNfs(seen)) {
            return Optional.of("has " + seen.type() + " " + seen.source() + " instead of " + requested);
        }
        return accessMismatch(seen, requested);
    }

    static boolean isNfs(Mount mount) {
        return TYPES.contains(mount.type());
    }

    static Optional<String> accessMismatch(Mount seen, NfsVolume requested) {
        boolean readOnly = requested.access() == Access.READ_ONLY;
        if (seen.isReadOnly() == readOnly) {
            return Optional.empty();
        }
        return Optional.of(
                readOnly ? "is writable, but read-only was requested" : "is read-only, but writable was requested");
    }

    /** Returns the requested options that are not in force: {@code timeo=50 (in force: timeo=600)}. */
    static List<String> differences(NfsVolume requested, List<String> inForce) {
        List<String> differences = new ArrayList<>();
        for (String option : requested.options()) {
            Optional<String> found = other(option, inForce);
            found.ifPresent(each -> differences.add(option + " (in force: " + each + ")"));
        }
        return differences;
    }

    /**
     * Returns the option in force in place of the requested one; empty if the requested one is in force or the kernel
     * does not report it.
     */
    private static Optional<String> other(String option, List<String> inForce) {
        Optional<String> version = NfsOptions.version(option);
        if (version.isPresent()) {
            return inForce.stream()
                    .filter(each -> NfsOptions.version(each)
                            .filter(now -> !now.equals(version.get()) && !now.startsWith(version.get() + "."))
                            .isPresent())
                    .findFirst();
        }
        if (RECOVERY_MODES.contains(option)) {
            return inForce.stream()
                    .filter(each -> RECOVERY_MODES.contains(each) && !inForce.contains(option))
                    .findFirst();
        }
        String name = NfsOptions.name(option);
        boolean isChoice = NfsOptions.value(option).orElse("").indexOf(':') >= 0;
        if (!COMPARED.contains(name) || isChoice || inForce.contains(option)) {
            return Optional.empty();
        }
        return inForce.stream()
                .filter(each -> NfsOptions.name(each).equals(name))
                .findFirst();
    }
}
