package dev.mooring.bench;

import dev.mooring.log.FileEventLog;
import dev.mooring.log.RealDisk;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;

/** Opens a log, restores the World and closes the log. As a program, prints the seconds that this took. */
final class OpenOnce {
    private OpenOnce() {}

    public static void main(String[] args) throws IOException {
        System.out.println(seconds(Path.of(args[0]), Long.parseLong(args[1])));
    }

    static double seconds(Path directory, long expectedRevision) throws IOException {
        WorldRestore restore = new WorldRestore();
        long start = System.nanoTime();
        FileEventLog log =
                FileEventLog.open(new RealDisk(), directory, RunningLedger.SEGMENT_BYTES, Clock.systemUTC(), restore);
        World world = restore.world();
        double seconds = (System.nanoTime() - start) / 1e9;
        log.close();
        if (world.revision() != expectedRevision) {
            throw new IllegalStateException(
                    "Restored " + world + " instead of the World at revision " + expectedRevision);
        }
        return seconds;
    }

    static double secondsInNewJvm(Path directory, long expectedRevision) throws IOException, InterruptedException {
        return Double.parseDouble(BenchmarkJvm.run(
                System.getProperty("java.class.path"),
                OpenOnce.class,
                directory.toString(),
                Long.toString(expectedRevision)));
    }
}
