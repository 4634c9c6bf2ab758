package dev.mooring.replay;

import dev.mooring.log.Batch;
import dev.mooring.log.LogDamagedException;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.log.Snapshot;
import dev.mooring.world.ReplayMismatchException;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Checks a log from end to end: every checksum, that each batch continues the one before, that replaying it gives at each commit the World that was
 * live when it was written, and that every snapshot is that World.
 */
public final class LogVerifier {
    /**
     * What was found.
     *
     * @param events how many events were readable
     * @param end the end of the log, if it has one
     * @param tornTail whether something incomplete stands behind it, which is harmless
     * @param snapshots how many snapshots are good
     * @param problems in words; empty if all is well
     */
    public record Report(
            long events, Optional<LogPosition> end, boolean tornTail, int snapshots, List<String> problems) {
        public boolean isWell() {
            return problems.isEmpty();
        }
    }

    private final LogInspector inspector;
    private final LongConsumer progress;
    private final List<String> problems = new ArrayList<>();
    private final TreeSet<Long> unchecked = new TreeSet<>();
    private World world = World.EMPTY;
    private boolean replays = true;
    private long events;
    private int goodSnapshots;

    /** @param progress told how many bytes have been walked over */
    public LogVerifier(LogInspector inspector, LongConsumer progress) {
        this.inspector = inspector;
        this.progress = progress;
    }

    public Report verify() throws IOException {
        unchecked.addAll(inspector.snapshots().revisions());
        long oldest = inspector.segments().get(0).firstRevision();
        if (oldest > 1) {
            startFromSnapshot(oldest);
        }
        LogInspector.End end = inspector.walk(oldest, new Checks());
        for (long revision : unchecked) {
            load(revision).ifPresent(snapshot -> {
                if (replays && revision > world.revision()) {
                    problems.add("The snapshot of revision " + revision
                            + " is newer than the log, which ends with revision " + world.revision());
                }
                goodSnapshots++;
            });
        }
        return new Report(events, end.position(), end.tornTail(), goodSnapshots, List.copyOf(problems));
    }

    /** When the oldest history was cut off, the oldest snapshot takes its place; the events before it can only be checked by themselves. */
    private void startFromSnapshot(long oldestRevision) throws IOException {
        while (!unchecked.isEmpty()) {
            long revision = unchecked.pollFirst();
            Optional<Snapshot> snapshot = revision >= oldestRevision - 1 ? load(revision) : Optional.empty();
            if (snapshot.isPresent()) {
                world = World.of(snapshot.get());
                goodSnapshots++;
                return;
            }
        }
        replays = false;
        problems.add("The log starts with revision " + oldestRevision + " and no snapshot is there to start from");
    }

    private Optional<Snapshot> load(long revision) throws IOException {
        try {
            return Optional.of(inspector.snapshots().load(revision));
        } catch (LogDamagedException e) {
            problems.add(e.getMessage());
            return Optional.empty();
        }
    }

    private final class Checks implements LogInspector.Visitor {
        @Override
        public boolean batch(Batch batch, LogPosition end) throws IOException {
            events += batch.events().size();
            if (replays && batch.lastRevision() > world.revision()) {
                try {
                    replay(batch);
                } catch (ReplayMismatchException e) {
                    replays = false;
                    problems.add(e.getMessage());
                }
            }
            return true;
        }

        private void replay(Batch batch) throws IOException {
            WorldRestore restore = WorldRestore.from(world);
            restore.batch(batch.from(world.revision() + 1));
            world = restore.world();
            if (unchecked.remove(world.revision())) {
                Optional<Snapshot> snapshot = load(world.revision());
                if (snapshot.isPresent()) {
                    goodSnapshots++;
                    if (!World.of(snapshot.get()).equals(world)) {
                        problems.add(
                                "The snapshot of revision " + world.revision() + " is not the World that replay gives");
                    }
                }
            }
        }

        @Override
        public void progress(long bytes) {
            progress.accept(bytes);
        }

        @Override
        public void damage(LogDamagedException damage) {
            replays = false;
            problems.add(damage.getMessage());
        }
    }
}
