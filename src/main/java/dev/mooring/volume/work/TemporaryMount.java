package dev.mooring.volume.work;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.volume.nfs.NfsFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mounts an NFS share at a private path for the duration of a job. Nothing is done in the bare directory if the mount
 * table does not show the mount, and the directory (never its content) is removed only when the table no longer shows
 * it. Unmounting escalates: plain, forced, lazy. The next job on the volume unmounts what a crash left. Thread-safe for
 * different volumes.
 */
final class TemporaryMount {
    private static final Logger LOG = LoggerFactory.getLogger(TemporaryMount.class);
    private static final Duration MOUNT_DEADLINE = Duration.ofSeconds(60);
    private static final Duration UNMOUNT_DEADLINE = Duration.ofSeconds(20);
    private static final List<List<String>> WAYS_TO_UNMOUNT = List.of(List.of(), List.of("-f"), List.of("-l"));

    private final Path directory;
    private final String options;
    private final MountTableSupplier mounts;
    private final CommandRunner runner;

    TemporaryMount(WorkerSettings settings, MountTableSupplier mounts, CommandRunner runner) {
        this.directory = settings.mountDirectory();
        this.options = settings.nfs().mountOptions();
        this.mounts = mounts;
        this.runner = runner;
    }

    /** Work in a mounted share. */
    interface MountedWork {
        Optional<String> run(Path point) throws VolumeWorkException, InterruptedException;
    }

    Optional<String> withMount(String server, Path export, String uid, MountedWork work)
            throws VolumeWorkException, InterruptedException {
        if (!Marker.isUid(uid)) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID, "uid of a PersistentVolume is invalid, got \"" + uid + "\"");
        }
        Path point = directory.resolve("nfs-" + uid);
        unmount(point);
        Optional<String> note;
        try {
            mount(server, export, point);
            note = work.run(point);
        } catch (VolumeWorkException | InterruptedException e) {
            unmountAfter(e, point);
            throw e;
        }
        unmount(point);
        return note;
    }

    private void mount(String server, Path export, Path point) throws VolumeWorkException, InterruptedException {
        String device = NfsLocation.device(server, export);
        try {
            Files.createDirectories(
                    point, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Command command = Command.of(MOUNT_DEADLINE, "mount", "-t", "nfs", "-o", options, device, point.toString());
            CommandResult result = runner.run(command);
            if (!result.succeeded()) {
                NfsFailure failure = NfsFailure.of(result, server, export, options);
                throw new VolumeWorkException(failure.reason(), failure.message(), result.errorOrOutput());
            }
            if (!mounts.read().isMountPoint(point)) {
                throw new VolumeWorkException(
                        VolumeWorkException.MOUNT_FAILED,
                        "mount reported success, but the mount table does not contain " + device + " at " + point
                                + ": nothing was done");
            }
        } catch (CommandException e) {
            throw e.kind() == CommandException.CommandFailureKind.TIMED_OUT
                    ? new VolumeWorkException(
                            VolumeWorkException.TOO_SLOW,
                            NfsFailure.tooSlow(server, export).message(),
                            e.getMessage())
                    : VolumeWorkException.of(e);
        } catch (IOException e) {
            throw VolumeWorkException.of("mount " + device + " at " + point, e);
        }
    }

    /** Unmounts after a failure, even if the thread was interrupted. The first failure is reported to the user. */
    private void unmountAfter(Exception first, Path point) {
        boolean interrupted = Thread.interrupted();
        try {
            unmount(point);
        } catch (VolumeWorkException e) {
            LOG.warn("Failed to unmount temporary mount {}: {}", point, e.getMessage());
            first.addSuppressed(e);
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Unmounts the share. A missing mount is success. */
    private void unmount(Path point) throws VolumeWorkException, InterruptedException {
        try {
            String output = "";
            for (List<String> flags : WAYS_TO_UNMOUNT) {
                if (!mounts.read().isMountPoint(point)) {
                    break;
                }
                output = unmount(point, flags);
            }
            if (mounts.read().isMountPoint(point)) {
                throw new VolumeWorkException(
                        VolumeWorkException.MOUNT_FAILED,
                        "Cannot unmount " + point + ", neither normally, nor forced, nor lazily: " + output
                                + "; unmount it manually; retrying",
                        output);
            }
            Files.deleteIfExists(point);
        } catch (IOException e) {
            throw VolumeWorkException.of("unmount " + point, e);
        }
    }

    private String unmount(Path point, List<String> flags) throws InterruptedException {
        List<String> arguments = new ArrayList<>(flags);
        arguments.add(point.toString());
        Command command = new Command("umount", arguments, "", UNMOUNT_DEADLINE);
        try {
            CommandResult result = runner.run(command);
            if (!result.succeeded()) {
                LOG.warn(
                        "Failed to unmount: `{}` exited with {}: {}",
                        command,
                        result.exitCode(),
                        result.errorOrOutput());
            }
            return result.errorOrOutput();
        } catch (CommandException e) {
            LOG.warn("Failed to unmount {}: {}", point, e.getMessage());
            return e.getMessage();
        }
    }
}
