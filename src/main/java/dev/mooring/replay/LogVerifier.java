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
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Verifies a whole log: every checksum, that each batch continues the one before, that a replay gives the recorded
 * World at each commit, and that every snapshot equals that World.
 */
public final class LogVerifier {
    /**
     * The result of a verification.
     *
     * @param events number of readable events
     * @param end the end of the log, if it has one
     * @param tornTail whether an incomplete batch follows it, which is harmless
     * @param snapshots number of valid snapshots
     * @param problems human-readable; empty if there are none
     * @param missingKeys encryption keys that were missing for a full replay; checksums were verified nevertheless
     */
    public record Report(
            long events,
            Optional<LogPosition> end,
            boolean tornTail,
            int snapshots,
            List<String> problems,
            Set<Integer> missingKeys) {
        public boolean isValid() {
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

    /** @param progress receives the number of bytes read so far */
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
        return new Report(
                events, end.position(), end.tornTail(), goodSnapshots, List.copyOf(problems), inspector.missingKeys());
    }

    /**
     * Starts with the oldest snapshot if retention removed the oldest history; events before that snapshot can only be
     * checked individually.
     */
    private void startFromSnapshot(long oldestRevision) throws IOException {
        while (!unchecked.isEmpty()) {
            long revision = unchecked.pollFirst();
            Optional<Snapshot> snapshot = revision >= oldestRevision - 1 ? load(revision) : Optional.empty();
            if (snapshot.isPresent()) {
                replays = inspector.missingKeys().isEmpty();
                world = replays ? World.of(snapshot.get()) : World.EMPTY;
                goodSnapshots++;
                return;
            }
        }
        replays = false;
        problems.add("The log starts with revision " + oldestRevision + ", but there is no snapshot to start from");
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
            replays &= inspector.missingKeys().isEmpty();
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
                    boolean readable = inspector.missingKeys().isEmpty();
                    if (readable && !World.of(snapshot.get()).equals(world)) {
                        problems.add(
                                "The snapshot of revision " + world.revision() + " does not match the replayed World");
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
