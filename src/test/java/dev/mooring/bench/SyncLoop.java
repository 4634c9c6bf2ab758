package dev.mooring.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * The yardstick for the disk: a simple loop that makes records durable one by one. The file is preallocated, so a sync
 * writes only data.
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

    /** Returns the seconds of each record. */
    Measurements run(int recordBytes, Duration time) throws IOException {
        ByteBuffer record = ByteBuffer.allocateDirect(recordBytes);
        while (record.hasRemaining()) {
            record.put((byte) 'x');
        }
        Measurements seconds = new Measurements();
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
