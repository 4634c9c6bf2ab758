package dev.mooring.log;

import dev.mooring.model.Event;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A segment file for readers: its location and its index. The index of the active segment is in memory and grows with
 * each append; that of a sealed one is in a {@linkplain SegmentIndexFile file}, made on the first search that needs it.
 * Thread-safe.
 */
final class Segment {
    private static final Logger LOG = LoggerFactory.getLogger(Segment.class);

    private final Disk disk;
    private final Path path;
    private final long firstRevision;
    private final Encryption encryption;

    /** Held while an index is made, so that two searches do not both make it. */
    private final Object indexing = new Object();

    /** Index of the batches from {@link #notedFrom} on. */
    private volatile SegmentIndex.Builder noted;

    /** Offset from which batches were {@linkplain #noteBatch noted}. */
    private volatile long notedFrom;

    private volatile boolean active;

    /** Index of the batches before {@link #notedFrom} of the active segment; null until a search needs it. */
    private SegmentIndex.Builder older;

    /** The index file of a sealed segment; null until a search needs it. */
    private volatile SegmentIndexFile stored;

    private Segment(Disk disk, Path path, long firstRevision, Encryption encryption) {
        this.disk = disk;
        this.path = path;
        this.firstRevision = firstRevision;
        this.encryption = encryption;
        this.notedFrom = Long.MAX_VALUE;
        this.noted = new SegmentIndex.Builder(firstRevision);
    }

    /** Creates an instance for an existing segment. */
    static Segment existing(Disk disk, Path directory, long firstRevision, Encryption encryption) {
        return new Segment(disk, directory.resolve(LogFiles.segment(firstRevision)), firstRevision, encryption);
    }

    /** Creates an instance for a new segment, each batch of which will be {@linkplain #noteBatch noted}. */
    static Segment created(Disk disk, Path directory, long firstRevision, Encryption encryption) {
        Segment segment = existing(disk, directory, firstRevision, encryption);
        segment.activate(SegmentFormat.SEGMENT_HEADER);
        return segment;
    }

    /** Announces that each batch from an offset on will be {@linkplain #noteBatch noted}. */
    void activate(long offset) {
        notedFrom = offset;
        active = true;
    }

    /** Announces that no batch will be added. */
    void seal() {
        active = false;
    }

    long firstRevision() {
        return firstRevision;
    }

    Path path() {
        return path;
    }

    String name() {
        return path.getFileName().toString();
    }

    Disk.DiskFile open() throws IOException {
        return disk.openForReading(path);
    }

    long size() throws IOException {
        return disk.size(path);
    }

    /** Returns the start of the first batch. */
    LogPosition start(Disk.DiskFile file) throws IOException {
        return SegmentFormat.readSegmentHeader(header(file), name(), firstRevision, encryption);
    }

    /** Returns the {@linkplain Encryption#keyMark() mark} of the segment's key; 0 if there is none. */
    int keyMark() throws IOException {
        try (Disk.DiskFile file = open()) {
            return SegmentFormat.keyMark(header(file));
        }
    }

    private static ByteBuffer header(Disk.DiskFile file) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(SegmentFormat.SEGMENT_HEADER);
        file.read(0, header);
        return header.flip();
    }

    /** Returns a scanner of its batches from the end of one of them. */
    SegmentScanner scan(Disk.DiskFile file, LogPosition from) {
        return new SegmentScanner(file, from, encryption);
    }

    /** Adds a durable batch to the index. */
    void noteBatch(Batch batch, LogPosition end) {
        if (active) {
            for (Event event : batch.events()) {
                EventTerm.hashes(event, hash -> noted.add(event.revision(), hash));
            }
            noted.add(end);
        }
    }

    /** Returns the closest indexed position before a revision, from which a scan can start. */
    LogPosition closestBefore(long revision, Disk.DiskFile file) throws IOException {
        LogPosition start = start(file);
        return revision <= firstRevision
                ? start
                : lastPosition(position -> position.revision() < revision, file).orElse(start);
    }

    /** Returns the last indexed position at or before a time, from which a scan can start. */
    LogPosition closestAtOrBefore(long timeMillis, Disk.DiskFile file) throws IOException {
        return lastPosition(position -> position.timeMillis() <= timeMillis, file)
                .orElse(start(file));
    }

    private Optional<LogPosition> lastPosition(Predicate<LogPosition> condition, Disk.DiskFile file)
            throws IOException {
        Optional<LogPosition> recent = noted.lastPosition(condition);
        return recent.isPresent() ? recent : search(file, index -> index.lastPosition(condition));
    }

    /** Returns the revisions of events that have a term, and rarely others, ascending. */
    List<Long> find(EventTerm term) throws IOException {
        try (Disk.DiskFile file = open()) {
            List<Long> found = search(file, index -> {
                List<Long> revisions = new ArrayList<>();
                index.find(term, revisions);
                return revisions;
            });
            return found;
        }
    }

    /** A search in one index. */
    private interface IndexSearch<T> {
        T run(SegmentIndex index) throws IOException;
    }

    private <T> T search(Disk.DiskFile file, IndexSearch<T> search) throws IOException {
        try {
            return search.run(index(file));
        } catch (SegmentIndexFile.IndexDamagedException e) {
            LOG.atWarn().addKeyValue("segment", name()).log("Rebuilding damaged index: {}", e.getMessage());
            synchronized (indexing) {
                stored = null;
                return search.run(store(scanned(file, Long.MAX_VALUE)));
            }
        }
    }

    private SegmentIndex index(Disk.DiskFile file) throws IOException {
        SegmentIndex known = stored;
        if (known != null) {
            return known;
        }
        synchronized (indexing) {
            if (stored != null) {
                return stored;
            }
            if (notedFrom == SegmentFormat.SEGMENT_HEADER) {
                return noted;
            }
            if (active) {
                if (older == null) {
                    older = scanned(file, notedFrom).index();
                }
                return new BothIndexes(older, noted);
            }
            Optional<SegmentIndexFile> existing = SegmentIndexFile.open(disk, indexPath(), this, file);
            if (existing.isPresent()) {
                replaceBy(existing.get());
                return stored;
            }
            return store(scanned(file, Long.MAX_VALUE));
        }
    }

    /** Returns whether the segment is sealed and its index still in memory, or not known to exist. */
    boolean needsStoredIndex() {
        return !active && stored == null;
    }

    /** Makes sure that the index of a sealed segment is in its file. */
    void storeIndex() throws IOException {
        synchronized (indexing) {
            try (Disk.DiskFile file = open()) {
                if (notedFrom == SegmentFormat.SEGMENT_HEADER && needsStoredIndex()) {
                    Optional<LogPosition> last = noted.lastPosition(position -> true);
                    SegmentScanner scanner = scan(file, last.isPresent() ? last.get() : start(file));
                    while (scanner.skip(Long.MAX_VALUE)) {
                        // to the end, which may be behind the last position of the sparse index
                    }
                    store(new ScannedIndex(noted, scanner.position()));
                } else {
                    index(file);
                }
            }
        }
    }

    /** An index in memory, and the position up to which it goes. */
    private record ScannedIndex(SegmentIndex.Builder index, LogPosition end) {}

    private ScannedIndex scanned(Disk.DiskFile file, long limit) throws IOException {
        SegmentIndex.Builder index = new SegmentIndex.Builder(firstRevision);
        SegmentScanner scanner = scan(file, start(file));
        while (scanner.skip(limit, index::add)) {
            index.add(scanner.position());
        }
        if (!scanner.problem().isEmpty()) {
            throw new LogDamagedException(
                    name(), scanner.badOffset(), scanner.position().revision() + 1, scanner.problem());
        }
        return new ScannedIndex(index, scanner.position());
    }

    /** Writes the index of a sealed segment; if that fails, it is returned, and made again by the next search. */
    private SegmentIndex store(ScannedIndex scanned) {
        try {
            replaceBy(SegmentIndexFile.write(
                    disk,
                    indexPath(),
                    firstRevision,
                    scanned.end(),
                    scanned.index().positions(),
                    scanned.index().postings()));
            return stored;
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("segment", name()).log("Failed to write index of segment: {}", e.getMessage());
            return scanned.index();
        }
    }

    /** Uses the index file from now on, and releases the memory. */
    private void replaceBy(SegmentIndexFile index) {
        stored = index;
        notedFrom = Long.MAX_VALUE;
        noted = new SegmentIndex.Builder(firstRevision);
        older = null;
    }

    private Path indexPath() {
        return path.resolveSibling(LogFiles.index(firstRevision));
    }

    /** Removes the segment and its index. */
    void delete() throws IOException {
        if (disk.exists(indexPath())) {
            disk.delete(indexPath());
        }
        disk.delete(path);
    }

    /** Two indexes of one segment; the second continues the first. */
    private record BothIndexes(SegmentIndex first, SegmentIndex second) implements SegmentIndex {
        @Override
        public Optional<LogPosition> lastPosition(Predicate<LogPosition> condition) throws IOException {
            Optional<LogPosition> last = second.lastPosition(condition);
            return last.isPresent() ? last : first.lastPosition(condition);
        }

        @Override
        public void find(EventTerm term, List<Long> found) throws IOException {
            first.find(term, found);
            second.find(term, found);
        }
    }
}
