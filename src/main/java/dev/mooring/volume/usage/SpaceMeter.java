package dev.mooring.volume.usage;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import dev.mooring.volume.usage.Measured.Belonging;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Finds out how full file systems are. This process asks the kernel itself only where the mount table says that nothing on the way is
 * another machine's, and only along a way without links, for these could lead elsewhere; in all other cases a child process with a
 * deadline asks. The mount table is read at most once in {@link #TABLE_KEPT}, since reading it costs more than all else. Any thread.
 */
public final class SpaceMeter {
    /** For a child. */
    public static final Duration DEADLINE = Duration.ofSeconds(5);

    static final Duration TABLE_KEPT = Duration.ofSeconds(5);

    /** struct statvfs, all of whose members are 64 bits wide on 64-bit machines: block size, fragment size, then counts of these. */
    private static final int STATVFS_BYTES = 256;

    private static final int WORD = 8;

    private final Mounter mounter;
    private final SystemCalls calls;
    private final Supplier<StatCalls> stat;
    private final CommandRunner commands;
    private final Clock clock;

    private MountWays ways;
    private Instant waysRead = Instant.MIN;

    public SpaceMeter(Mounter mounter, SystemCalls calls, CommandRunner commands, Clock clock) {
        this(mounter, calls, StatCalls::real, commands, clock);
    }

    SpaceMeter(Mounter mounter, SystemCalls calls, Supplier<StatCalls> stat, CommandRunner commands, Clock clock) {
        this.mounter = mounter;
        this.calls = calls;
        this.stat = stat;
        this.commands = commands;
        this.clock = clock;
    }

    /** Without waiting for anybody. Nothing if that is not certain to be possible: then {@link #patiently}. */
    public Optional<Measured> atOnce(Path path) throws UsageException {
        MountWays now = ways();
        boolean plain = path.isAbsolute() && path.normalize().equals(path);
        if (!plain || !now.isLocalAllTheWay(path) || Native.LONG_SIZE != WORD) {
            return Optional.empty();
        }
        try (Reference directory = Reference.open(calls, path)) {
            return Optional.of(new Measured(ask(directory), belonging(now, path)));
        } catch (PathException e) {
            if (e.isMissing()) {
                throw new UsageException("there is nothing at " + path, e);
            }
            // A link on the way, or no directory at its end: not a case for this process.
            return Optional.empty();
        }
    }

    /** Waits for at most {@link #DEADLINE} and what a killed child takes to go. */
    public Measured patiently(Path path) throws UsageException, InterruptedException {
        Space space = child(path);
        return new Measured(space, belonging(ways(), path));
    }

    /** The same for what is known to be an export of a server, whose whole file system counts as the volume's. */
    public Measured export(Path path) throws UsageException, InterruptedException {
        return new Measured(child(path), Belonging.OWN);
    }

    private static Belonging belonging(MountWays ways, Path path) {
        return ways.isWholeFileSystem(path) ? Belonging.OWN : Belonging.SHARED;
    }

    private synchronized MountWays ways() throws UsageException {
        Instant now = clock.instant();
        boolean fresh = ways != null && !now.isBefore(waysRead) && now.isBefore(waysRead.plus(TABLE_KEPT));
        if (!fresh) {
            try {
                ways = new MountWays(mounter.table());
            } catch (VolumeException e) {
                throw new UsageException("the mount table cannot be read: " + e.getMessage(), e);
            }
            waysRead = now;
        }
        return ways;
    }

    private Space ask(Descriptor directory) throws UsageException {
        Memory result = new Memory(STATVFS_BYTES);
        byte[] path = (directory.handle() + '\0').getBytes(StandardCharsets.US_ASCII);
        if (stat.get().statvfs(path, result) < 0) {
            throw new UsageException("statvfs of " + directory.path() + " failed with error " + Native.getLastError());
        }
        long fragment = result.getLong(WORD);
        return Space.ofBlocks(
                fragment == 0 ? result.getLong(0) : fragment,
                result.getLong(2 * WORD),
                result.getLong(3 * WORD),
                result.getLong(4 * WORD),
                result.getLong(5 * WORD),
                result.getLong(6 * WORD));
    }

    private Space child(Path path) throws UsageException, InterruptedException {
        CommandResult result;
        try {
            result = commands.run(Command.of(DEADLINE, "stat", "-f", "-c", "%S %b %f %a %c %d", "--", path.toString()));
        } catch (CommandException e) {
            throw new UsageException(e.getMessage(), e);
        }
        if (!result.succeeded()) {
            throw new UsageException(result.words());
        }
        String[] words = result.output().strip().split(" ", -1);
        try {
            return Space.ofBlocks(
                    Long.parseLong(words[0]),
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]),
                    Long.parseLong(words[5]));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new UsageException("stat said " + result.words(), e);
        }
    }
}
