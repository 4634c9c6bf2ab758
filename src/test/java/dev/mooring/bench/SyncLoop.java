package dev.mooring.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * What the disk can do: the plainest loop that makes records durable one by one. The file has its size and its blocks already, so a sync
 * has only data to write.
 */
final class SyncLoop implements AutoCloseable {
    private static final int FILE_BYTES = 32 << 20;

    private final FileChannel channel;
    private long offset;

    SyncLoop(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        for (int at = 0; at < FILE_BYTES; at += zeros.capacity()) {
            channel.write(zeros.clear(), at);
        }
        channel.force(true);
    }

    /** The seconds that each record took. */
    Rounds run(int recordBytes, Duration time) throws IOException {
        ByteBuffer record = ByteBuffer.allocateDirect(recordBytes);
        while (record.hasRemaining()) {
            record.put((byte) 'x');
        }
        Rounds seconds = new Rounds();
        long start = System.nanoTime();
        for (long before = start, now; before - start < time.toNanos(); before = now) {
            if (offset + recordBytes > FILE_BYTES) {
                offset = 0;
            }
            channel.write(record.clear(), offset);
            channel.force(false);
            offset += recordBytes;
            now = System.nanoTime();
            seconds.add((now - before) / 1e9);
        }
        return seconds;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
