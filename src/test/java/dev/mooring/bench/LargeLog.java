package dev.mooring.bench;

import dev.mooring.log.Batch;
import dev.mooring.log.FileEventLog;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A log with a long history: many events on about 50,000 claims, eight updates per creation and removal, in batches
 * like those of a few dozen writers, with the snapshots of the default policy.
 *
 * @param directory with snapshots
 * @param bare the same segment files (hard links) without snapshots
 * @param events number of events
 * @param logBytes size of the segments
 */
record LargeLog(Path directory, Path bare, int events, long logBytes) {
    static final int CLAIMS = 55_555;
    private static final int JSON_BYTES = 350;
    private static final int LARGEST_BATCH = 32;
    private static final double REMOVALS = 1.0 / 9;
    private static final long SNAPSHOT_EVERY_BYTES = 64L << 20;
    private static final long START_MILLIS = 1_700_000_000_000L;

    static LargeLog write(Path parent, int events) throws IOException {
        Path directory = Files.createDirectories(parent.resolve("log"));
        WorldRestore empty = new WorldRestore();
        try (FileEventLog log = FileEventLog.open(
                new UnsyncedDisk(), directory, RunningLedger.SEGMENT_BYTES, Clock.systemUTC(), empty)) {
            new LogWriter(log, empty.world()).write(events);
        }
        for (Path file : files(directory)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
        }
        Path bare = Files.createDirectories(parent.resolve("bare"));
        long bytes = 0;
        for (Path segment : segments(directory)) {
            Files.createLink(bare.resolve(segment.getFileName()), segment);
            bytes += Files.size(segment);
        }
        return new LargeLog(directory, bare, events, bytes);
    }

    static List<Path> segments(Path directory) throws IOException {
        return files(directory).stream()
                .filter(file -> file.toString().endsWith(".log"))
                .toList();
    }

    /** Reads the given number of bytes of the log from a position on. */
    void read(SequentialRead reader, LogPosition from, long bytes) throws IOException {
        long left = bytes;
        for (Path segment : segments(directory)) {
            if (left > 0 && revisionIn(segment) >= from.segment()) {
                long offset = revisionIn(segment) == from.segment() ? from.offset() : 0;
                left -= reader.read(segment, offset, left);
            }
        }
    }

    Path snapshot(long revision) throws IOException {
        return files(directory).stream()
                .filter(file -> file.toString().endsWith(".snapshot") && revisionIn(file) == revision)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the revision in a file name, which has no other digits. */
    private static long revisionIn(Path file) {
        return Long.parseLong(file.getFileName().toString().replaceAll("\\D", ""));
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /** Generates the same events each time. */
    private static final class LogWriter {
        private final FileEventLog log;
        private final Random random = new Random(1);
        private final Draft[] drafts = new Draft[CLAIMS];
        private final long[] writtenAt = new long[CLAIMS];
        private World.Editor world;
        private LogPosition lastSnapshot = LogPosition.BEGINNING;
        private long lastSize;

        LogWriter(FileEventLog log, World world) {
            this.log = log;
            this.world = world.edit();
            for (int i = 0; i < CLAIMS; i++) {
                drafts[i] = SampleObjects.draft(i, JSON_BYTES, random);
            }
        }

        void write(int events) throws IOException {
            while (world.revision() < events) {
                long size = Math.min(1 + random.nextInt(LARGEST_BATCH), events - world.revision());
                List<Event> batch = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    Event event = event(world.revision() + 1);
                    world.apply(event);
                    batch.add(event);
                }
                log.append(new Batch(batch, world.digest()));
                if (log.bytesSince(lastSnapshot) >= Math.max(SNAPSHOT_EVERY_BYTES, lastSize)) {
                    snapshot();
                }
            }
        }

        private Event event(long revision) {
            int claim = random.nextInt(CLAIMS);
            long prior = writtenAt[claim];
            boolean removal = prior != 0 && random.nextDouble() < REMOVALS;
            Change change = removal
                    ? Change.removed(drafts[claim].at(revision), prior)
                    : Change.put(drafts[claim].at(revision), prior);
            writtenAt[claim] = removal ? 0 : revision;
            String type = removal ? "ClaimRemoved" : prior == 0 ? "ClaimCreated" : "ClaimChanged";
            // Half of them from users, whose requests have an id each, half from controllers.
            boolean fromUser = random.nextBoolean();
            Cause cause = fromUser ? Cause.request("req-" + revision) : Cause.revision(revision - 1);
            String actor = fromUser ? "admin" : "persistentvolume-controller";
            return new Event(
                    revision, Instant.ofEpochMilli(START_MILLIS + revision), type, actor, cause, List.of(change));
        }

        /** Writes a snapshot like the Snapshotter. */
        private void snapshot() throws IOException {
            World now = world.done();
            log.snapshots().write(log.end(), now.size(), now.list(Scope.all()));
            lastSnapshot = log.end();
            lastSize = log.snapshots().size(now.revision());
            world = now.edit();
        }
    }
}
