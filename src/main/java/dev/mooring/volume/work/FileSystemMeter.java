package dev.mooring.volume.work;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.Descriptor;
import dev.mooring.host.FileReference;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.work.MeasuredSpace.FileSystemSharing;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Measures the usage of file systems. Calls statvfs in this process only if the mount table shows only local mounts on
 * the path and the path contains no links; in all other cases a child process with a deadline measures. The mount table
 * is read at most once per {@link #TABLE_KEPT}, because reading it is expensive. Thread-safe.
 */
public final class FileSystemMeter {
    /** Deadline of a child process. */
    public static final Duration DEADLINE = Duration.ofSeconds(5);

    static final Duration TABLE_KEPT = Duration.ofSeconds(5);

    /** Size of struct statvfs, with spare room; all members used are 64 bits wide on 64-bit platforms. */
    private static final int STATVFS_BYTES = 256;

    private static final int WORD = 8;

    private final Mounter mounter;
    private final SystemCalls calls;
    private final Supplier<StatCalls> stat;
    private final CommandRunner commands;
    private final Clock clock;

    private MountPathIndex index;
    private Instant indexRead = Instant.MIN;

    public FileSystemMeter(Mounter mounter, SystemCalls calls, CommandRunner commands, Clock clock) {
        this(mounter, calls, StatCalls::real, commands, clock);
    }

    FileSystemMeter(Mounter mounter, SystemCalls calls, Supplier<StatCalls> stat, CommandRunner commands, Clock clock) {
        this.mounter = mounter;
        this.calls = calls;
        this.stat = stat;
        this.commands = commands;
        this.clock = clock;
    }

    /**
     * Measures without blocking; empty if that is not certain to be possible, in which case the caller uses
     * {@link #measureInChild}.
     */
    public Optional<MeasuredSpace> measureLocal(Path path) throws UsageException {
        MountPathIndex now = index();
        boolean plain = path.isAbsolute() && path.normalize().equals(path);
        if (!plain || !now.isLocalPath(path) || Native.LONG_SIZE != WORD) {
            return Optional.empty();
        }
        try (FileReference directory = FileReference.open(calls, path)) {
            return Optional.of(new MeasuredSpace(statvfs(directory), sharing(now, path)));
        } catch (PathException e) {
            if (e.isMissing()) {
                throw new UsageException(path + " does not exist", e);
            }
            // The path contains a link or is not a directory; measured by a child process.
            return Optional.empty();
        }
    }

    /** Measures in a child process. Blocks for at most {@link #DEADLINE} and the time to reap a killed child. */
    public MeasuredSpace measureInChild(Path path) throws UsageException, InterruptedException {
        FileSystemStats space = statInChild(path);
        return new MeasuredSpace(space, sharing(index(), path));
    }

    /** Measures an NFS export in a child process; its whole file system counts as the volume's. */
    public MeasuredSpace measureExport(Path path) throws UsageException, InterruptedException {
        return new MeasuredSpace(statInChild(path), FileSystemSharing.OWN);
    }

    private static FileSystemSharing sharing(MountPathIndex mountIndex, Path path) {
        return mountIndex.isWholeFileSystem(path) ? FileSystemSharing.OWN : FileSystemSharing.SHARED;
    }

    private synchronized MountPathIndex index() throws UsageException {
        Instant now = clock.instant();
        boolean fresh = index != null && !now.isBefore(indexRead) && now.isBefore(indexRead.plus(TABLE_KEPT));
        if (!fresh) {
            try {
                index = new MountPathIndex(mounter.table());
            } catch (VolumeException e) {
                throw new UsageException("the mount table cannot be read: " + e.getMessage(), e);
            }
            indexRead = now;
        }
        return index;
    }

    private FileSystemStats statvfs(Descriptor directory) throws UsageException {
        Memory result = new Memory(STATVFS_BYTES);
        byte[] path = (directory.procPath() + '\0').getBytes(StandardCharsets.US_ASCII);
        if (stat.get().statvfs(path, result) < 0) {
            throw new UsageException("statvfs of " + directory.path() + " failed with error " + Native.getLastError());
        }
        long fragment = result.getLong(WORD);
        return FileSystemStats.ofBlocks(
                fragment == 0 ? result.getLong(0) : fragment,
                result.getLong(2 * WORD),
                result.getLong(3 * WORD),
                result.getLong(4 * WORD),
                result.getLong(5 * WORD),
                result.getLong(6 * WORD));
    }

    private FileSystemStats statInChild(Path path) throws UsageException, InterruptedException {
        CommandResult result;
        try {
            result = commands.run(Command.of(DEADLINE, "stat", "-f", "-c", "%S %b %f %a %c %d", "--", path.toString()));
        } catch (CommandException e) {
            throw new UsageException(e.getMessage(), e);
        }
        if (!result.succeeded()) {
            throw new UsageException(result.errorOrOutput());
        }
        String[] fields = result.output().strip().split(" ", -1);
        try {
            return FileSystemStats.ofBlocks(
                    Long.parseLong(fields[0]),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    Long.parseLong(fields[3]),
                    Long.parseLong(fields[4]),
                    Long.parseLong(fields[5]));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new UsageException("unexpected output of stat: " + result.errorOrOutput(), e);
        }
    }
}
