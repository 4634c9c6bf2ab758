package dev.mooring.node.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Tells, without touching it, whether a directory is on a file system of this machine. One of another machine may never answer, and must
 * not be asked just to fill in a figure. As of one reading of the kernel's list of mounts; links are not followed.
 */
final class LocalFileSystems {
    /** Behind these is another machine, or a program that may be anything. */
    private static final Set<String> REMOTE = Set.of(
            "nfs",
            "nfs4",
            "cifs",
            "smb3",
            "smbfs",
            "ceph",
            "glusterfs",
            "lustre",
            "beegfs",
            "afs",
            "coda",
            "ncpfs",
            "autofs",
            "fuse");

    private static final String REMOTE_PREFIX = "fuse.";

    private record Mount(Path at, String type) {}

    private final List<Mount> mounts;

    private LocalFileSystems(List<Mount> mounts) {
        this.mounts = mounts;
    }

    /** @param mountInfo {@code /proc/self/mountinfo} */
    static LocalFileSystems read(Path mountInfo) throws IOException {
        List<Mount> mounts = new ArrayList<>();
        for (String line : Files.readAllLines(mountInfo)) {
            int optional = line.indexOf(" - ");
            String[] fields = line.split(" ", 6);
            if (optional > 0 && fields.length == 6) {
                String type = line.substring(optional + 3).split(" ", 2)[0];
                mounts.add(new Mount(Path.of(unescape(fields[4])), type));
            }
        }
        return new LocalFileSystems(mounts);
    }

    /** Blanks and the like are written as three octal digits. */
    private static String unescape(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        return field.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    boolean contains(Path directory) {
        Path path = directory.toAbsolutePath().normalize();
        Optional<Mount> innermost = Optional.empty();
        for (Mount mount : mounts) {
            // Of two at the same place the later one hides the earlier.
            if (path.startsWith(mount.at())
                    && innermost
                            .filter(found ->
                                    found.at().getNameCount() > mount.at().getNameCount())
                            .isEmpty()) {
                innermost = Optional.of(mount);
            }
        }
        return innermost
                .filter(mount -> !REMOTE.contains(mount.type()) && !mount.type().startsWith(REMOTE_PREFIX))
                .isPresent();
    }
}
