package dev.mooring.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The index of a sealed segment, in a file beside it: sparse positions of batches, and for each {@link EventTerm} the
 * revisions of its events. Derived from the segment, so a missing, damaged or outdated one is made again.
 *
 * <p>The file consists of blocks of 4 KiB, each with a CRC32C at its end, so that a search reads and verifies only a
 * few of them and holds none in memory:
 *
 * <pre>
 * header     magic "MOORIDX1" · first revision u64 · end: offset u64, revision u64, chain u32 · positions u32 · postings u32
 * positions  revision u64 · offset u64 · time, ms u64 · chain u32 · 0 u32, ascending
 * postings   hash of the term u32 (high half) · revision minus first revision u32 (low half), ascending as signed u64
 * </pre>
 *
 * <p>The chain at the end covers the whole segment: after a rewrite of the log, the old index does not match.
 * Immutable; thread-safe.
 */
final class SegmentIndexFile implements SegmentIndex {
    private static final long MAGIC = ByteBuffer.wrap(new byte[] {'M', 'O', 'O', 'R', 'I', 'D', 'X', '1'})
            .order(ByteOrder.LITTLE_ENDIAN)
            .getLong();
    private static final int BLOCK = 4096;
    private static final int CRC_AT = BLOCK - 4;
    private static final int POSITION_BYTES = 32;
    private static final int POSTING_BYTES = 8;
    private static final int POSITIONS_PER_BLOCK = CRC_AT / POSITION_BYTES;
    private static final int POSTINGS_PER_BLOCK = CRC_AT / POSTING_BYTES;

    private final Disk disk;
    private final Path path;
    private final long firstRevision;
    private final int positions;
    private final int postings;

    private SegmentIndexFile(Disk disk, Path path, long firstRevision, int positions, int postings) {
        this.disk = disk;
        this.path = path;
        this.firstRevision = firstRevision;
        this.positions = positions;
        this.postings = postings;
    }

    /** A damaged block. The index must be made again. */
    static final class IndexDamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        IndexDamagedException(Path path, int block) {
            super("Block " + block + " of " + path + " has a wrong checksum");
        }
    }

    /** Opens the index of a sealed segment; empty if there is none that matches the segment. */
    static Optional<SegmentIndexFile> open(Disk disk, Path path, Segment segment, Disk.DiskFile log)
            throws IOException {
        try (Disk.DiskFile file = disk.openForReading(path)) {
            ByteBuffer header = block(file, path, 0);
            long endOffset = header.getLong(16);
            boolean matches = header.getLong(0) == MAGIC
                    && header.getLong(8) == segment.firstRevision()
                    && endOffset >= SegmentFormat.SEGMENT_HEADER
                    && endOffset == log.size()
                    && endsWith(log, endOffset, header.getInt(32));
            return matches
                    ? Optional.of(new SegmentIndexFile(
                            disk, path, segment.firstRevision(), header.getInt(36), header.getInt(40)))
                    : Optional.empty();
        } catch (NoSuchFileException | IndexDamagedException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the batch that ends at an offset has the chain, which covers everything before. */
    private static boolean endsWith(Disk.DiskFile log, long end, int chain) throws IOException {
        if (end < SegmentFormat.SEGMENT_HEADER + SegmentFormat.COMMIT_FRAME) {
            return false;
        }
        ByteBuffer frame = ByteBuffer.allocate(SegmentFormat.COMMIT_FRAME).order(ByteOrder.LITTLE_ENDIAN);
        log.read(end - SegmentFormat.COMMIT_FRAME, frame);
        frame.flip();
        return SegmentFormat.isCommit(frame, 0)
                && SegmentFormat.Commit.read(frame, 0).chain() == chain;
    }

    /**
     * Writes the index of a sealed segment. Not synced: a lost or torn file is detected and made again.
     *
     * @param postings in any order; is sorted
     */
    static SegmentIndexFile write(
            Disk disk, Path path, long firstRevision, LogPosition end, List<LogPosition> positions, long[] postings)
            throws IOException {
        Arrays.sort(postings);
        Path unfinished = path.resolveSibling(path.getFileName() + LogFiles.UNFINISHED);
        try (Disk.DiskFile file = disk.openForWriting(unfinished)) {
            file.truncate(0);
            BlockWriter out = new BlockWriter(file);
            out.buffer
                    .putLong(MAGIC)
                    .putLong(firstRevision)
                    .putLong(end.offset())
                    .putLong(end.revision());
            out.buffer.putInt(end.chain()).putInt(positions.size()).putInt(postings.length);
            out.endBlock();
            for (LogPosition position : positions) {
                out.ensure(POSITION_BYTES);
                out.buffer
                        .putLong(position.revision())
                        .putLong(position.offset())
                        .putLong(position.timeMillis());
                out.buffer.putInt(position.chain()).putInt(0);
            }
            out.endBlock();
            for (long posting : postings) {
                out.ensure(POSTING_BYTES);
                out.buffer.putLong(posting);
            }
            out.endBlock();
        } catch (IOException | RuntimeException e) {
            disk.delete(unfinished);
            throw e;
        }
        disk.rename(unfinished, path);
        return new SegmentIndexFile(disk, path, firstRevision, positions.size(), postings.length);
    }

    @Override
    public Optional<LogPosition> lastPosition(Predicate<LogPosition> condition) throws IOException {
        try (Disk.DiskFile file = disk.openForReading(path)) {
            BlockReader blocks = new BlockReader(file);
            int count = SegmentIndex.countLeading(positions, number -> condition.test(position(blocks, number)));
            return count == 0 ? Optional.empty() : Optional.of(position(blocks, count - 1));
        }
    }

    private LogPosition position(BlockReader blocks, int number) throws IOException {
        ByteBuffer block = blocks.at(1 + number / POSITIONS_PER_BLOCK);
        int at = number % POSITIONS_PER_BLOCK * POSITION_BYTES;
        return new LogPosition(
                block.getLong(at),
                firstRevision,
                block.getLong(at + 8),
                block.getInt(at + 24),
                0,
                block.getLong(at + 16));
    }

    @Override
    public void find(EventTerm term, List<Long> found) throws IOException {
        try (Disk.DiskFile file = disk.openForReading(path)) {
            BlockReader blocks = new BlockReader(file);
            long wanted = SegmentIndex.posting(term.hash(), 0);
            int first = SegmentIndex.countLeading(postings, number -> posting(blocks, number) < wanted);
            for (int i = first; i < postings; i++) {
                long posting = posting(blocks, i);
                if (SegmentIndex.hash(posting) != term.hash()) {
                    break;
                }
                found.add(firstRevision + SegmentIndex.offset(posting));
            }
        }
    }

    private long posting(BlockReader blocks, int number) throws IOException {
        int first = 1 + (positions + POSITIONS_PER_BLOCK - 1) / POSITIONS_PER_BLOCK;
        return blocks.at(first + number / POSTINGS_PER_BLOCK).getLong(number % POSTINGS_PER_BLOCK * POSTING_BYTES);
    }

    private static ByteBuffer block(Disk.DiskFile file, Path path, int number) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        int read = file.read((long) number * BLOCK, block);
        if (read != BLOCK || block.getInt(CRC_AT) != SegmentFormat.crc(block.slice(0, CRC_AT))) {
            throw new IndexDamagedException(path, number);
        }
        return block;
    }

    /** Reads blocks and keeps the last one, because searches end with neighbours. */
    private final class BlockReader {
        private final Disk.DiskFile file;
        private int number = -1;
        private ByteBuffer block;

        BlockReader(Disk.DiskFile file) {
            this.file = file;
        }

        ByteBuffer at(int wanted) throws IOException {
            if (wanted != number) {
                block = block(file, path, wanted);
                number = wanted;
            }
            return block;
        }
    }

    /** Writes blocks one after the other. */
    private static final class BlockWriter {
        private final Disk.DiskFile file;
        private final ByteBuffer buffer = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        private long at;

        BlockWriter(Disk.DiskFile file) {
            this.file = file;
        }

        /** Starts another block if an entry does not fit into this one. */
        void ensure(int bytes) throws IOException {
            if (buffer.position() + bytes > CRC_AT) {
                endBlock();
            }
        }

        void endBlock() throws IOException {
            if (buffer.position() == 0) {
                return;
            }
            buffer.putInt(CRC_AT, SegmentFormat.crc(buffer.slice(0, CRC_AT)));
            file.write(at, buffer.clear());
            at += BLOCK;
            Arrays.fill(buffer.array(), (byte) 0);
            buffer.clear();
        }
    }
}
