package dev.mooring.node.volumemanager;

import dev.mooring.model.EventReasons;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of volume directories that local users of the machine can enter: a root container can leave a set-user-ID
 * program in its volume, and a user who executes it through the directory becomes root. Does not change permissions,
 * because an administrator may have chosen them. Any thread; blocks on local disks only.
 */
public final class VolumeDirectoryPermissionCheck {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeDirectoryPermissionCheck.class);

    /** Exists in every directory that holds volumes. */
    private static final String MARKERS = ".mooring";

    private final List<Path> bases;
    private final NodeWarnings warnings;

    /**
     * Creates a check.
     *
     * @param bases base directories of volumes, without symbolic links
     */
    public VolumeDirectoryPermissionCheck(List<Path> bases, NodeWarnings warnings) {
        this.bases = List.copyOf(bases);
        this.warnings = warnings;
    }

    /** Warns of each directory that is accessible. */
    public void report(ObservedMachine machine) {
        for (Path base : bases) {
            try {
                for (Path each : volumeDirectories(base, machine)) {
                    report(each, machine);
                }
            } catch (IOException | DirectoryIteratorException e) {
                LOG.atWarn()
                        .addKeyValue("path", base)
                        .setCause(e)
                        .log("Failed to read permissions of volume directory");
            }
        }
    }

    /**
     * Returns the directory itself or, if it holds no volumes, its subdirectories that do. Does not touch remote paths.
     */
    private static List<Path> volumeDirectories(Path base, ObservedMachine machine) throws IOException {
        List<Path> holders = new ArrayList<>();
        if (!machine.mounts().isLocalPath(base) || !Files.isDirectory(base, LinkOption.NOFOLLOW_LINKS)) {
            return holders;
        }
        if (holdsVolumes(base)) {
            return List.of(base);
        }
        try (DirectoryStream<Path> below = Files.newDirectoryStream(base)) {
            for (Path each : below) {
                if (machine.mounts().isLocalPath(each) && holdsVolumes(each)) {
                    holders.add(each);
                }
            }
        }
        return holders;
    }

    private static boolean holdsVolumes(Path directory) {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.isDirectory(directory.resolve(MARKERS), LinkOption.NOFOLLOW_LINKS);
    }

    private void report(Path directory, ObservedMachine machine) throws IOException {
        boolean ignoresSetId = machine.mounts().of(directory).options().contains("nosuid");
        if (ignoresSetId || !isReachable(directory)) {
            warnings.forget(directory.toString());
            return;
        }
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(directory));
        String message = "local users of this machine can enter " + directory + " (" + mode
                + "), which holds volumes: a set-user-ID program that a container leaves in its volume makes every"
                + " user who starts it root. chmod 0700 " + directory + ", or mount its file system with nosuid";
        warnings.warn(directory.toString(), EventReasons.VOLUMES_REACHABLE, message, message);
    }

    private static boolean isReachable(Path directory) throws IOException {
        for (Path at = directory; at != null; at = at.getParent()) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(at, LinkOption.NOFOLLOW_LINKS);
            if (!permissions.contains(PosixFilePermission.OTHERS_EXECUTE)) {
                return false;
            }
        }
        return true;
    }
}
