package dev.mooring.volume.work;

import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
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
 * Mounts an NFS share in a private place for as long as some work takes. Nothing is done in the bare directory if the mount table does not
 * show the mount, and the directory is only removed (never what is in it) when the table shows it no more. Unmounting escalates: plain,
 * forced, lazy. What a crash has left mounted is unmounted by the next work on that volume. Any thread, one at a time per volume.
 */
final class ShortMount {
    private static final Logger LOG = LoggerFactory.getLogger(ShortMount.class);
    private static final Duration MOUNT_DEADLINE = Duration.ofSeconds(60);
    private static final Duration UNMOUNT_DEADLINE = Duration.ofSeconds(20);
    private static final List<List<String>> WAYS_TO_UNMOUNT = List.of(List.of(), List.of("-f"), List.of("-l"));

    private final Path directory;
    private final String options;
    private final Mounts mounts;
    private final CommandRunner runner;

    ShortMount(WorkerSettings settings, Mounts mounts, CommandRunner runner) {
        this.directory = settings.mountDirectory();
        this.options = settings.nfs().mountOptions();
        this.mounts = mounts;
        this.runner = runner;
    }

    /** Work in a mounted share. */
    interface Work {
        Optional<String> in(Path point) throws VolumeWorkException, InterruptedException;
    }

    Optional<String> during(String device, String uid, Work work) throws VolumeWorkException, InterruptedException {
        if (!Marker.isUid(uid)) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID, "Expected the uid of a PersistentVolume, but found \"" + uid + "\"");
        }
        Path point = directory.resolve("nfs-" + uid);
        unmount(point);
        Optional<String> note;
        try {
            mount(device, point);
            note = work.in(point);
        } catch (VolumeWorkException | InterruptedException e) {
            unmountAfter(e, point);
            throw e;
        }
        unmount(point);
        return note;
    }

    private void mount(String device, Path point) throws VolumeWorkException, InterruptedException {
        try {
            Files.createDirectories(
                    point, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Command command = Command.of(MOUNT_DEADLINE, "mount", "-t", "nfs", "-o", options, device, point.toString());
            CommandResult result = runner.run(command);
            if (!result.succeeded()) {
                throw new VolumeWorkException(
                        VolumeWorkException.MOUNT_FAILED,
                        "Expected to mount " + device + ", but `" + command + "` ended with " + result.exit() + ": "
                                + result.words()
                                + ": is the server alive, does it export that directory to this machine, is the"
                                + " package nfs-common installed?",
                        result.words());
            }
            if (!mounts.read().isMountPoint(point)) {
                throw new VolumeWorkException(
                        VolumeWorkException.MOUNT_FAILED,
                        "Expected " + device + " at " + point
                                + " after mounting it, but the mount table does not show it: nothing was done");
            }
        } catch (CommandException e) {
            throw VolumeWorkException.of(e);
        } catch (IOException e) {
            throw VolumeWorkException.of("mounting " + device + " at " + point, e);
        }
    }

    /** What went wrong first is what the user must hear; and an interrupted thread must still clean up. */
    private void unmountAfter(Exception first, Path point) {
        boolean interrupted = Thread.interrupted();
        try {
            unmount(point);
        } catch (VolumeWorkException e) {
            LOG.warn("{}", e.getMessage());
            first.addSuppressed(e);
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Nothing mounted there is fine. */
    private void unmount(Path point) throws VolumeWorkException, InterruptedException {
        try {
            String said = "";
            for (List<String> way : WAYS_TO_UNMOUNT) {
                if (!mounts.read().isMountPoint(point)) {
                    break;
                }
                said = unmount(point, way);
            }
            if (mounts.read().isMountPoint(point)) {
                throw new VolumeWorkException(
                        VolumeWorkException.MOUNT_FAILED,
                        "Expected to unmount " + point + ", but neither plain, forced nor lazy unmounting worked: "
                                + said + ": unmount it by hand; it is tried again",
                        said);
            }
            Files.deleteIfExists(point);
        } catch (IOException e) {
            throw VolumeWorkException.of("unmounting " + point, e);
        }
    }

    private String unmount(Path point, List<String> way) throws InterruptedException {
        List<String> arguments = new ArrayList<>(way);
        arguments.add(point.toString());
        Command command = new Command("umount", arguments, "", UNMOUNT_DEADLINE);
        try {
            CommandResult result = runner.run(command);
            if (!result.succeeded()) {
                LOG.warn("`{}` ended with {}: {}", command, result.exit(), result.words());
            }
            return result.words();
        } catch (CommandException e) {
            LOG.warn("{}", e.getMessage());
            return e.getMessage();
        }
    }
}
