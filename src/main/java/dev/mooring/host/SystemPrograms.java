package dev.mooring.host;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Finds the machine's programs in a fixed list of directories, so that the environment of this process cannot
 * substitute them.
 */
final class SystemPrograms {
    static final String SEARCH_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

    private static final List<Path> DIRECTORIES =
            List.of(Path.of("/usr/sbin"), Path.of("/usr/bin"), Path.of("/sbin"), Path.of("/bin"));

    private static final Map<String, String> PACKAGES = Map.ofEntries(
            Map.entry("mount", "mount"),
            Map.entry("umount", "mount"),
            Map.entry("losetup", "mount"),
            Map.entry("mount.nfs", "nfs-common"),
            Map.entry("resize2fs", "e2fsprogs"),
            Map.entry("e2fsck", "e2fsprogs"),
            Map.entry("dumpe2fs", "e2fsprogs"),
            Map.entry("mkfs.ext4", "e2fsprogs"),
            Map.entry("blkid", "util-linux"),
            Map.entry("blockdev", "util-linux"),
            Map.entry("cmp", "diffutils"),
            Map.entry("xfs_growfs", "xfsprogs"),
            Map.entry("xfs_db", "xfsprogs"),
            Map.entry("xfs_repair", "xfsprogs"),
            Map.entry("mkfs.xfs", "xfsprogs"));

    private SystemPrograms() {}

    static Path find(String program) throws CommandException {
        return find(program, DIRECTORIES);
    }

    static Path find(String program, List<Path> directories) throws CommandException {
        if (program.startsWith("/")) {
            return Path.of(program);
        }
        for (Path each : directories) {
            Path candidate = each.resolve(program);
            if (Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        String advice = PACKAGES.containsKey(program) ? ": install the package " + PACKAGES.get(program) : "";
        throw new CommandException(
                CommandException.CommandFailureKind.MISSING,
                "Program " + program + " not found in " + SEARCH_PATH + advice);
    }
}
