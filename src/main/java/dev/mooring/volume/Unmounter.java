package dev.mooring.volume;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandException.CommandFailureKind;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import dev.mooring.model.EventReasons;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Unmounts everything at a path, topmost mount first. Only the mount table decides whether it succeeded.
 *
 * <p>Local mounts are unmounted with a plain system call. If the mount is in use, the call fails and is retried later.
 * Force and lazy unmounts are never used: a process may still write, or data may not be on disk yet, and the next step
 * (detach, file system check, deletion) would assume that the unmount is complete.
 *
 * <p>Network mounts are unmounted by a child process. If it hangs, or fails while the server does not respond, a forced
 * unmount aborts pending requests; if that fails, a lazy unmount detaches the mount even if it is in use. Data that had
 * not reached the server could not have reached it anyway. Force is skipped if the same file system is mounted
 * elsewhere, because those mounts must continue when the server is back. If the server responds, a mount that is in use
 * stays.
 *
 * <p>Thread-safe for different targets.
 */
final class Unmounter {
    /** Limits the number of stacked mounts that are removed. */
    static final int MAX_STACK = 64;

    private final LocalMounts local;
    private final MountTableReader tables;
    private final CommandRunner commands;

    Unmounter(LocalMounts local, MountTableReader tables, CommandRunner commands) {
        this.local = local;
        this.tables = tables;
        this.commands = commands;
    }

    void unmount(Path target, UnmountTimeouts limits, OperationProgress progress)
            throws VolumeException, InterruptedException {
        for (int i = 0; i < MAX_STACK; i++) {
            List<MountTable.Mount> all = tables.read().allAt(target);
            if (all.isEmpty()) {
                return;
            }
            MountTable.Mount top = all.get(all.size() - 1);
            if (top.isLocal()) {
                local.unmountOne(target);
            } else {
                new Escalation(target, top, all.size(), progress).run(limits);
            }
        }
        throw VolumeException.uncertain(
                "StillMounted",
                "Something is still mounted at " + target + " after unmounting " + MAX_STACK
                        + " times: check whether a process mounts there repeatedly",
                "");
    }

    /** Unmounts one mount that may hang. For one use. */
    private final class Escalation {
        private final Path target;
        private final MountTable.Mount mount;
        private final int stacked;
        private final OperationProgress progress;
        private String output = "";

        Escalation(Path target, MountTable.Mount mount, int stacked, OperationProgress progress) {
            this.target = target;
            this.mount = mount;
            this.stacked = stacked;
            this.progress = progress;
        }

        void run(UnmountTimeouts limits) throws VolumeException, InterruptedException {
            boolean ended = umount(limits.plain());
            if (isGone()) {
                return;
            }
            if (!mount.isRemote() || (ended && serverAnswers(limits.forced()))) {
                throw busy();
            }
            // The NFS helper would contact the server, which is known not to respond.
            if (!isShared()) {
                report(EventReasons.UNMOUNT_FORCED, "by force; writes that the server has not confirmed are lost");
                umount(limits.forced(), "-i", "-f");
                if (isGone()) {
                    return;
                }
            }
            report(EventReasons.UNMOUNT_LAZY, "lazily; the kernel releases it when no process uses it any more");
            umount(limits.lazy(), "-i", "-l");
            if (!isGone()) {
                throw VolumeException.uncertain(
                        "StillMounted",
                        "Cannot unmount " + target + " (" + mount.type() + " from " + mount.source()
                                + "), neither normally, nor by force, nor lazily; retrying; nothing is deleted until it"
                                + " is unmounted",
                        output);
            }
        }

        private void report(String reason, String how) {
            progress.report(
                    reason,
                    "umount of " + target + " (" + mount.type() + " from " + mount.source() + ") failed: " + output
                            + ". It is now unmounted " + how);
        }

        private VolumeException busy() {
            return VolumeException.uncertain(
                    "Busy",
                    "Cannot unmount " + target + " (" + mount.type() + " from " + mount.source() + "): " + output
                            + "; retrying; nothing is deleted until it is unmounted",
                    output);
        }

        /** Runs umount and returns whether it finished; the mount table shows the effect. */
        private boolean umount(Duration deadline, String... ways) throws VolumeException, InterruptedException {
            // -c: umount does not canonicalize the path, which could hang or follow links.
            List<String> arguments = new ArrayList<>(List.of("-c"));
            arguments.addAll(List.of(ways));
            arguments.add("--");
            arguments.add(target.toString());
            try {
                CommandResult result = commands.run(new Command("umount", arguments, "", deadline));
                output = result.errorOrOutput().isEmpty()
                        ? "umount exited with code " + result.exitCode()
                        : result.errorOrOutput();
                return true;
            } catch (CommandException e) {
                if (e.kind() == CommandFailureKind.MISSING) {
                    throw VolumeException.uncertain("ProgramMissing", e.getMessage(), "");
                }
                output = e.getMessage();
                return false;
            }
        }

        /** Returns whether the server responds. A stale file handle does not count. */
        private boolean serverAnswers(Duration deadline) throws InterruptedException {
            try {
                return commands.run(Command.of(deadline, "stat", "-f", "--", target.toString()))
                        .succeeded();
            } catch (CommandException e) {
                output = output + "; " + e.getMessage();
                return false;
            }
        }

        /**
         * Returns whether the same file system is mounted elsewhere: a forced unmount would abort its pending requests
         * too.
         */
        private boolean isShared() throws VolumeException {
            return tables.read().mounts().stream()
                    .anyMatch(each -> each.device().equals(mount.device())
                            && !each.point().equals(mount.point()));
        }

        private boolean isGone() throws VolumeException {
            return tables.read().allAt(target).size() < stacked;
        }
    }
}
