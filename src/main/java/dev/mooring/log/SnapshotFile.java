package dev.mooring.log;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import javax.crypto.AEADBadTagException;

/**
 * The format of a snapshot, little-endian.
 *
 * <pre>
 * header   magic "MOORSNP1" · revision u64 · segment u64 · offset u64 · chain u32 · objects u32 · world digest u64 · time, ms u64
 *          · crc32c u32 of the header · 0 u32
 * object   key (u16 + UTF-8) · revision u64 · JSON (u32 + bytes)
 * footer   crc32c u32 of everything before it
 * </pre>
 *
 * <p>With encryption the magic is "MOORSNP2"; the header ends in key mark u32 · crc32c u32, its digest is masked by that key, and an
 * encoding u8 precedes each JSON: 0 for plain, 1 for encrypted by {@link Encryption}.
 */
final class SnapshotFile {
    private static final long MAGIC = ByteBuffer.wrap(new byte[] {'M', 'O', 'O', 'R', 'S', 'N', 'P', '1'})
            .order(ByteOrder.LITTLE_ENDIAN)
            .getLong();
    private static final long MAGIC_ENCRYPTED = MAGIC + (1L << 56);
    private static final int HEADER = 64;
    private static final int FOOTER = 4;
    private static final int BUFFER = 1 << 20;

    private SnapshotFile() {}

    static void write(
            Disk.DiskFile file, LogPosition position, int count, Iterable<StoredObject> objects, Encryption encryption)
            throws IOException {
        Output out = new Output(file);
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(encryption.isOn() ? MAGIC_ENCRYPTED : MAGIC)
                .putLong(position.revision())
                .putLong(position.segment())
                .putLong(position.offset());
        header.putInt(position.chain())
                .putInt(count)
                .putLong(encryption.masked(position.digest(), position.revision()))
                .putLong(position.timeMillis());
        if (encryption.isOn()) {
            header.putInt(encryption.keyMark())
                    .putInt(SegmentFormat.crc(header.duplicate().flip()));
        } else {
            header.putInt(SegmentFormat.crc(header.duplicate().flip())).putInt(0);
        }
        out.put(header.array());
        int written = 0;
        for (StoredObject object : objects) {
            byte[] key = object.key().text().getBytes(StandardCharsets.UTF_8);
            out.room(2 + 8 + 4).putShort((short) key.length);
            out.put(key);
            out.room(8 + 1 + 4).putLong(object.revision());
            byte[] content = object.json();
            if (encryption.isOn()) {
                boolean encrypted = encryption.encrypts(object.key());
                content = encrypted ? encryption.encrypt(object) : content;
                out.room(1 + 4).put(encrypted ? SegmentFormat.ENCRYPTED : SegmentFormat.IN_CLEAR);
            }
            out.room(4).putInt(content.length);
            out.put(content);
            written++;
        }
        if (written != count) {
            throw new IllegalStateException("Snapshot must have " + count + " objects, wrote " + written);
        }
        out.finish();
    }

    static Snapshot read(
            Disk.DiskFile file,
            String name,
            long revision,
            Encryption encryption,
            UnaryOperator<StoredObject> substitute)
            throws IOException {
        ByteBuffer header = readHeader(file, name, revision);
        LogPosition position = position(header, encryption);
        boolean hasEncodings = header.getLong(0) == MAGIC_ENCRYPTED;
        Input in = new Input(file, file.size() - FOOTER);
        in.take(HEADER);
        int count = header.getInt(36);
        List<StoredObject> objects = new ArrayList<>(count);
        try {
            for (int i = 0; i < count; i++) {
                ObjectKey key = ObjectKey.parse(new String(in.take(in.number(2)), StandardCharsets.UTF_8));
                long objectRevision = in.number64();
                boolean encrypted = hasEncodings && in.take(1)[0] == SegmentFormat.ENCRYPTED;
                byte[] content = in.take(in.number(4));
                byte[] json = encrypted ? encryption.decrypt(key, objectRevision, content) : content;
                objects.add(substitute.apply(new StoredObject(key, objectRevision, json)));
            }
            in.verify();
        } catch (IllegalArgumentException | IndexOutOfBoundsException | AEADBadTagException e) {
            throw new LogDamagedException(name, in.offset(), revision, "the snapshot's content is invalid");
        }
        return new Snapshot(position, objects);
    }

    static LogPosition readPosition(Disk.DiskFile file, String name, long revision, Encryption encryption)
            throws IOException {
        return position(readHeader(file, name, revision), encryption);
    }

    private static ByteBuffer readHeader(Disk.DiskFile file, String name, long revision) throws IOException {
        long size = file.size();
        if (size < HEADER + FOOTER) {
            throw new LogDamagedException(name, size, revision, "the snapshot is incomplete");
        }
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        file.read(0, header);
        boolean encrypted = header.getLong(0) == MAGIC_ENCRYPTED;
        int checked = encrypted ? 60 : 56;
        boolean whole = (encrypted || header.getLong(0) == MAGIC)
                && header.getLong(8) == revision
                && header.getInt(checked) == SegmentFormat.crc(header.slice(0, checked));
        if (!whole) {
            throw new LogDamagedException(name, 0, revision, "the snapshot's header is invalid");
        }
        return header;
    }

    private static LogPosition position(ByteBuffer header, Encryption encryption) throws EncryptionKeyException {
        boolean encrypted = header.getLong(0) == MAGIC_ENCRYPTED;
        int key = encrypted ? encryption.requireKey(header.getInt(56)) : 0;
        return new LogPosition(
                header.getLong(8),
                header.getLong(16),
                header.getLong(24),
                header.getInt(32),
                encryption.unmasked(key, header.getLong(40), header.getLong(8)),
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

    /** Reads forward; a read past the end, or of a negative length, throws an IndexOutOfBoundsException. */
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
