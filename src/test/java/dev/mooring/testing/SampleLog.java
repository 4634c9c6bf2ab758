package dev.mooring.testing;

import dev.mooring.log.Disk;
import dev.mooring.log.FileEventLog;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.stream.LongStream;

/** Writes logs for tests of log readers. */
public final class SampleLog {
    public static final Path DIRECTORY = Path.of("/data/log");
    private static final long SEGMENT_BYTES = 6_000;

    private SampleLog() {}

    /** Writes a log with the given number of events, each in its own batch, with snapshots at some revisions. */
    public static void write(Disk disk, int events, long... snapshots) throws IOException {
        write(disk, DIRECTORY, "content", events, snapshots);
    }

    /** As {@link #write(Disk, int, long...)}, with objects that differ. */
    public static void writeWithOtherContents(Disk disk, int events, long... snapshots) throws IOException {
        write(disk, DIRECTORY, "other", events, snapshots);
    }

    public static void write(Disk disk, Path directory, String content, int events, long... snapshots)
            throws IOException {
        WorldRestore restore = new WorldRestore();
        try (FileEventLog log = FileEventLog.open(disk, directory, SEGMENT_BYTES, Clock.systemUTC(), restore)) {
            World world = restore.world();
            for (int i = 0; i < events; i++) {
                Event event = Samples.put(world, Samples.claim("c" + i % 11), content + " " + i);
                world = world.after(event);
                log.append(Samples.batch(world, event));
                long revision = world.revision();
                if (LongStream.of(snapshots).anyMatch(snapshot -> snapshot == revision)) {
                    log.snapshots().write(log.end(), world.size(), world.list(Scope.all()));
                }
            }
        }
    }

    public static List<Path> segments(Disk disk) throws IOException {
        return files(disk, ".log");
    }

    public static List<Path> snapshots(Disk disk) throws IOException {
        return files(disk, ".snapshot");
    }

    private static List<Path> files(Disk disk, String suffix) throws IOException {
        return disk.list(DIRECTORY).stream()
                .filter(name -> name.endsWith(suffix))
                .map(DIRECTORY::resolve)
                .toList();
    }

    /** Returns the offset of the trailing zeros. */
    public static int endOfContent(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
