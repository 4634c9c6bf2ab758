package dev.mooring.volume.mount;

import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandException.Kind;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Unmounts everything at a path, the topmost first, and believes nobody but the mount table.
 *
 * <p>What is local is unmounted plainly, by a system call; if it is in use, that fails and is tried again later. Never by force or lazily:
 * there a process may still write, or data may not be on the disk yet, and whoever came next (a detach, a file system check, a deletion)
 * would believe that all is over.
 *
 * <p>What comes from a server is unmounted by a child process. If that hangs, or fails and the server does not answer either, the
 * server's answers are given up (force), and if that does not help, the mount is taken out of the tree whoever holds it (lazily): what
 * had not reached the server by then could not have reached it anyway. Force is left out where others have mounted the same: theirs are
 * to go on when the server is back. If the server answers, a mount that is in use is left.
 *
 * <p>Any thread, one at a time per target.
 */
final class Unmounts {
    /** Nobody piles up more by mistake. */
    static final int MAX_STACK = 64;

    private final LocalMounts local;
    private final Tables tables;
    private final CommandRunner commands;

    Unmounts(LocalMounts local, Tables tables, CommandRunner commands) {
        this.local = local;
        this.tables = tables;
        this.commands = commands;
    }

    void unmount(Path target, UnmountLimits limits, Progress progress) throws VolumeException, InterruptedException {
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
                "Expected nothing to be mounted at " + target + " after unmounting " + MAX_STACK
                        + " times, but something is: who mounts there again and again?",
                "");
    }

    /** One mount that may hang. Used once. */
    private final class Escalation {
        private final Path target;
        private final MountTable.Mount mount;
        private final int stacked;
        private final Progress progress;
        private String said = "";

        Escalation(Path target, MountTable.Mount mount, int stacked, Progress progress) {
            this.target = target;
            this.mount = mount;
            this.stacked = stacked;
            this.progress = progress;
        }

        void run(UnmountLimits limits) throws VolumeException, InterruptedException {
            boolean ended = umount(limits.plain());
            if (isGone()) {
                return;
            }
            if (!mount.isRemote() || (ended && serverAnswers(limits.forced()))) {
                throw busy();
            }
            // The helper of NFS would ask the server first, which is known not to answer.
            if (!isShared()) {
                tell("UnmountForced", "by force; what the server has not confirmed is given up");
                umount(limits.forced(), "-i", "-f");
                if (isGone()) {
                    return;
                }
            }
            tell("UnmountLazy", "lazily; the kernel lets go of it when the last process does");
            umount(limits.lazy(), "-i", "-l");
            if (!isGone()) {
                throw VolumeException.uncertain(
                        "StillMounted",
                        "Expected to unmount " + target + " (" + mount.type() + " from " + mount.source()
                                + "), but it is mounted still, after trying plainly, by force and lazily. It is tried"
                                + " again, and nothing is deleted until it has worked",
                        said);
            }
        }

        private void tell(String reason, String how) {
            progress.step(
                    reason,
                    "umount of " + target + " (" + mount.type() + " from " + mount.source() + ") did not work: " + said
                            + ". It is now unmounted " + how);
        }

        private VolumeException busy() {
            return VolumeException.uncertain(
                    "Busy",
                    "Expected to unmount " + target + " (" + mount.type() + " from " + mount.source() + "), but " + said
                            + ". It is tried again, and nothing is deleted until it has worked",
                    said);
        }

        /** Whether it came to an end; what it brought about, the table tells. */
        private boolean umount(Duration deadline, String... ways) throws VolumeException, InterruptedException {
            // -c: no path is looked up by the program, which could hang or lead astray.
            List<String> arguments = new ArrayList<>(List.of("-c"));
            arguments.addAll(List.of(ways));
            arguments.add("--");
            arguments.add(target.toString());
            try {
                CommandResult result = commands.run(new Command("umount", arguments, "", deadline));
                said = result.words().isEmpty() ? "umount ended with " + result.exit() : result.words();
                return true;
            } catch (CommandException e) {
                if (e.kind() == Kind.MISSING) {
                    throw VolumeException.uncertain("ProgramMissing", e.getMessage(), "");
                }
                said = e.getMessage();
                return false;
            }
        }

        /** A stale handle is no answer that would help anybody. */
        private boolean serverAnswers(Duration deadline) throws InterruptedException {
            try {
                return commands.run(Command.of(deadline, "stat", "-f", "--", target.toString()))
                        .succeeded();
            } catch (CommandException e) {
                said = said + "; " + e.getMessage();
                return false;
            }
        }

        /** Whether others have a mount of the same file system: with force, the kernel gives up what they wait for, too. */
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
