package dev.mooring.log;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The format of a snapshot, little-endian.
 *
 * <pre>
 * header   magic "MOORSNP1" · revision u64 · segment u64 · offset u64 · chain u32 · objects u32 · world digest u64 · time, ms u64
 *          · crc32c u32 of the header · 0 u32
 * object   key (u16 + UTF-8) · revision u64 · JSON (u32 + bytes)
 * footer   crc32c u32 of all that stands before it
 * </pre>
 */
final class SnapshotFile {
    private static final long MAGIC = ByteBuffer.wrap(new byte[] {'M', 'O', 'O', 'R', 'S', 'N', 'P', '1'})
            .order(ByteOrder.LITTLE_ENDIAN)
            .getLong();
    private static final int HEADER = 64;
    private static final int FOOTER = 4;
    private static final int BUFFER = 1 << 20;

    private SnapshotFile() {}

    static void write(Disk.DiskFile file, LogPosition position, int count, Iterable<StoredObject> objects)
            throws IOException {
        Output out = new Output(file);
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC)
                .putLong(position.revision())
                .putLong(position.segment())
                .putLong(position.offset());
        header.putInt(position.chain()).putInt(count).putLong(position.digest()).putLong(position.timeMillis());
        header.putInt(Frames.crc(header.duplicate().flip())).putInt(0);
        out.put(header.array());
        int written = 0;
        for (StoredObject object : objects) {
            byte[] key = object.key().text().getBytes(StandardCharsets.UTF_8);
            out.room(2 + 8 + 4).putShort((short) key.length);
            out.put(key);
            out.room(8 + 4).putLong(object.revision()).putInt(object.json().length);
            out.put(object.json());
            written++;
        }
        if (written != count) {
            throw new IllegalStateException("Expected " + count + " objects in the snapshot, but wrote " + written);
        }
        out.finish();
    }

    static Snapshot read(Disk.DiskFile file, String name, long revision) throws IOException {
        ByteBuffer header = readHeader(file, name, revision);
        Input in = new Input(file, file.size() - FOOTER);
        in.take(HEADER);
        int count = header.getInt(36);
        List<StoredObject> objects = new ArrayList<>(count);
        try {
            for (int i = 0; i < count; i++) {
                String key = new String(in.take(in.number(2)), StandardCharsets.UTF_8);
                long objectRevision = in.number64();
                objects.add(new StoredObject(ObjectKey.parse(key), objectRevision, in.take(in.number(4))));
            }
            in.verify();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new LogDamagedException(name, in.offset(), revision, "the snapshot is not as it was written");
        }
        return new Snapshot(position(header), objects);
    }

    static LogPosition readPosition(Disk.DiskFile file, String name, long revision) throws IOException {
        return position(readHeader(file, name, revision));
    }

    private static ByteBuffer readHeader(Disk.DiskFile file, String name, long revision) throws IOException {
        long size = file.size();
        if (size < HEADER + FOOTER) {
            throw new LogDamagedException(name, size, revision, "the snapshot is not whole");
        }
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        file.read(0, header);
        boolean whole = header.getLong(0) == MAGIC
                && header.getLong(8) == revision
                && header.getInt(56) == Frames.crc(header.slice(0, 56));
        if (!whole) {
            throw new LogDamagedException(name, 0, revision, "the snapshot's header is not as it was written");
        }
        return header;
    }

    private static LogPosition position(ByteBuffer header) {
        return new LogPosition(
                header.getLong(8),
                header.getLong(16),
                header.getLong(24),
                header.getInt(32),
                header.getLong(40),
                header.getLong(48));
    }

    private static final class Output {
        private final Disk.DiskFile file;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
        private final CRC32C crc = new CRC32C();
        private long offset;

        Output(Disk.DiskFile file) {
            this.file = file;
        }

        ByteBuffer room(int bytes) throws IOException {
            if (buffer.remaining() < bytes) {
                flush();
            }
            return buffer;
        }

        void put(byte[] bytes) throws IOException {
            int done = 0;
            while (done < bytes.length) {
                room(1);
                int part = Math.min(buffer.remaining(), bytes.length - done);
                buffer.put(bytes, done, part);
                done += part;
            }
        }

        void finish() throws IOException {
            flush();
            buffer.putInt((int) crc.getValue());
            flush();
        }

        private void flush() throws IOException {
            buffer.flip();
            crc.update(buffer.duplicate());
            int count = buffer.remaining();
            file.write(offset, buffer);
            offset += count;
            buffer.clear();
        }
    }

    /** Reads forward; asking for more than there is, or for a negative length, is an index out of bounds. */
    private static final class Input {
        private final Disk.DiskFile file;
        private final long end;
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
        private final CRC32C crc = new CRC32C();
        private long filled;

        Input(Disk.DiskFile file, long end) {
            this.file = file;
            this.end = end;
            buffer.limit(0);
        }

        long offset() {
            return filled - buffer.remaining();
        }

        int number(int bytes) throws IOException {
            ensure(bytes);
            return bytes == 2 ? buffer.getShort() & 0xffff : buffer.getInt();
        }

        long number64() throws IOException {
            ensure(8);
            return buffer.getLong();
        }

        byte[] take(int count) throws IOException {
            if (count < 0 || count > end - offset()) {
                throw new IndexOutOfBoundsException(count);
            }
            byte[] bytes = new byte[count];
            int done = 0;
            while (done < count) {
                ensure(1);
                int part = Math.min(buffer.remaining(), count - done);
                buffer.get(bytes, done, part);
                done += part;
            }
            return bytes;
        }

        private void ensure(int bytes) throws IOException {
            if (buffer.remaining() >= bytes) {
                return;
            }
            buffer.compact();
            int before = buffer.position();
            buffer.limit((int) Math.min(buffer.capacity(), before + end - filled));
            int read = file.read(filled, buffer);
            filled += read;
            crc.update(buffer.duplicate().flip().position(before));
            buffer.flip();
            if (buffer.remaining() < bytes) {
                throw new IndexOutOfBoundsException(bytes);
            }
        }

        void verify() throws IOException {
            ByteBuffer footer = ByteBuffer.allocate(FOOTER).order(ByteOrder.LITTLE_ENDIAN);
            file.read(end, footer);
            if (offset() != end || footer.getInt(0) != (int) crc.getValue()) {
                throw new IndexOutOfBoundsException("checksum");
            }
        }
    }
}
