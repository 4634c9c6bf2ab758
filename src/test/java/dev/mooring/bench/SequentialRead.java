package dev.mooring.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The yardstick for reading: reads the same bytes sequentially. */
final class SequentialRead {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);

    /** Returns the seconds to read whole files. */
    double seconds(List<Path> files) throws IOException {
        long start = System.nanoTime();
        for (Path file : files) {
            read(file, 0, Files.size(file));
        }
        return (System.nanoTime() - start) / 1e9;
    }

    /**
     * Reads a part of a file.
     *
     * @return the number of bytes read
     */
    long read(Path file, long offset, long count) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long done = 0;
            while (done < count) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), count - done));
                int read = channel.read(buffer, offset + done);
                if (read < 0) {
                    break;
                }
                done += read;
            }
            return done;
        }
    }
}
