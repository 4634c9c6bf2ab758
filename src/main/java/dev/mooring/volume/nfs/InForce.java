package dev.mooring.volume.nfs;

import dev.mooring.volume.Access;
import dev.mooring.volume.path.MountTable.Mount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Compares what is mounted with what was asked for. Stateless; looks at the mount table only. */
final class InForce {
    private static final Set<String> TYPES = Set.of("nfs", "nfs4");
    private static final Set<String> COMPARED = Set.of("proto", "sec", "timeo", "retrans", "nconnect", "local_lock");
    private static final Set<String> PATIENCE = Set.of("hard", "soft", "softerr");

    private InForce() {}

    /** Why it is not the asked-for mount, in words that follow its place; nothing if it is. */
    static Optional<String> wrong(List<Mount> there, NfsVolume asked) {
        Mount seen = there.get(there.size() - 1);
        if (there.size() > 1) {
            return Optional.of("has " + there.size() + " mounts over each other");
        }
        if (!asked.isSource(seen.source()) || !isNfs(seen)) {
            return Optional.of("has " + seen.type() + " " + seen.source() + " instead of " + asked);
        }
        return wrongAccess(seen, asked);
    }

    static boolean isNfs(Mount mount) {
        return TYPES.contains(mount.type());
    }

    static Optional<String> wrongAccess(Mount seen, NfsVolume asked) {
        boolean readOnly = asked.access() == Access.READ_ONLY;
        if (seen.isReadOnly() == readOnly) {
            return Optional.empty();
        }
        return Optional.of(
                readOnly ? "is writable, but read-only was asked for" : "is read-only, but writable was asked for");
    }

    /** The options that were asked for and are not in force: {@code timeo=50 (in force: timeo=600)}. */
    static List<String> differences(NfsVolume asked, List<String> inForce) {
        List<String> differences = new ArrayList<>();
        for (String option : asked.options()) {
            Optional<String> found = other(option, inForce);
            found.ifPresent(each -> differences.add(option + " (in force: " + each + ")"));
        }
        return differences;
    }

    /** What is in force in place of an option; nothing if it is in force itself, or the kernel does not tell. */
    private static Optional<String> other(String option, List<String> inForce) {
        Optional<String> version = NfsOptions.version(option);
        if (version.isPresent()) {
            return inForce.stream()
                    .filter(each -> NfsOptions.version(each)
                            .filter(now -> !now.equals(version.get()) && !now.startsWith(version.get() + "."))
                            .isPresent())
                    .findFirst();
        }
        if (PATIENCE.contains(option)) {
            return inForce.stream()
                    .filter(each -> PATIENCE.contains(each) && !inForce.contains(option))
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
