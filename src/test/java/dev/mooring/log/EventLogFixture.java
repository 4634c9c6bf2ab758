package dev.mooring.log;

import dev.mooring.model.Event;
import dev.mooring.testing.Samples;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A log with its World, and the end position of every acknowledged batch. */
final class EventLogFixture implements AutoCloseable {
    static final Path DIRECTORY = Path.of("/data/log");

    final Disk disk;
    final FileEventLog log;
    final World restored;
    World world;
    final List<LogPosition> ends = new ArrayList<>();

    private EventLogFixture(Disk disk, FileEventLog log, World world) {
        this.disk = disk;
        this.log = log;
        this.restored = world;
        this.world = world;
        ends.add(log.end());
    }

    static EventLogFixture open(Disk disk) throws IOException {
        return open(disk, DIRECTORY, 1 << 20);
    }

    static EventLogFixture open(Disk disk, Path directory, long segmentBytes) throws IOException {
        WorldRestore restore = new WorldRestore();
        FileEventLog log = FileEventLog.open(disk, directory, segmentBytes, Clock.systemUTC(), restore);
        return new EventLogFixture(disk, log, restore.world());
    }

    /** Appends one batch of events that put claims with the given contents. */
    void append(String... contents) throws IOException {
        World next = world;
        List<Event> events = new ArrayList<>();
        for (String content : contents) {
            Event event = Samples.put(next, Samples.claim("c" + (next.revision() % 7)), content);
            events.add(event);
            next = next.after(event);
        }
        log.append(new Batch(events, next.digest()));
        world = next;
        ends.add(log.end());
    }

    void snapshot() throws IOException {
        log.snapshots().write(log.end(), world.size(), world.list(dev.mooring.model.Scope.all()));
    }

    List<Event> readFrom(long revision) throws IOException {
        List<Event> events = new ArrayList<>();
        try (EventReader reader = log.read(revision)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                events.addAll(batch.get().events());
            }
        }
        return events;
    }

    Path segment(long firstRevision) {
        return DIRECTORY.resolve(LogFiles.segment(firstRevision));
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
