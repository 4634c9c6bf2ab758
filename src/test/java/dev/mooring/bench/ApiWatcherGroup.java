package dev.mooring.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

/**
 * Watchers with a TLS connection each. They count lines and compute a checksum, which is equal if all received the same
 * lines in the same order. They run on the event loop of their clients.
 */
final class ApiWatcherGroup implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 120;

    private final List<Watcher> watchers = new ArrayList<>();
    private long expected;
    private volatile long target;
    private volatile CountDownLatch waiting;
    private volatile Throwable failure;
    private volatile boolean closing;

    /**
     * Starts the watchers; returns when all have received the initial lines.
     *
     * @param initial number of initial lines
     */
    ApiWatcherGroup(ApiClients clients, int port, RequestTemplate watch, int size, int initial)
            throws InterruptedException {
        CountDownLatch heads = new CountDownLatch(size);
        waiting = new CountDownLatch(initial == 0 ? 0 : size);
        expected = initial;
        target = initial;
        for (int i = 0; i < size; i++) {
            Watcher watcher = new Watcher(heads);
            watcher.channel = clients.connect(port, watcher);
            watchers.add(watcher);
            ByteBuf out = watcher.channel.alloc().directBuffer(watch.length());
            watch.writeTo(out, i);
            var unused = watcher.channel.writeAndFlush(out);
        }
        if (!heads.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(heads.getCount() + " watches did not start");
        }
        await();
    }

    int size() {
        return watchers.size();
    }

    /** Sets the number of further lines; call before they can arrive and after all previous ones have. */
    void expect(int lines) {
        waiting = new CountDownLatch(watchers.size());
        expected += lines;
        target = expected;
    }

    /**
     * Waits until all watchers have received the expected lines; fails if they differ or a watcher was disconnected.
     */
    void await() throws InterruptedException {
        boolean whole = waiting.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (failure != null) {
            throw new IllegalStateException("A watcher was disconnected", failure);
        }
        if (!whole) {
            throw new IllegalStateException(waiting.getCount() + " watchers did not receive every event");
        }
        long different = watchers.stream()
                .mapToLong(watcher -> watcher.checksum)
                .distinct()
                .count();
        if (different > 1) {
            throw new IllegalStateException("Watchers received " + different + " different streams");
        }
    }

    /** Returns the bytes that each watcher had received with the last expected line, without HTTP framing. */
    long bytesEach() {
        return watchers.get(0).bytesThen;
    }

    @Override
    public void close() {
        closing = true;
        watchers.forEach(watcher -> watcher.channel.close().syncUninterruptibly());
    }

    private final class Watcher extends ApiResponseReader {
        private final CountDownLatch heads;
        private final CRC32 crc = new CRC32();
        private Channel channel;
        private long lines;
        private volatile long checksum;
        private volatile long bytesThen;
        private long bytes;

        Watcher(CountDownLatch heads) {
            this.heads = heads;
        }

        @Override
        void head(int answerCode) {
            if (answerCode == 200) {
                heads.countDown();
            } else {
                closed(new IllegalStateException("Watch was answered with status " + answerCode));
            }
        }

        @Override
        void part(ByteBuf from, int index, int length) {
            crc.update(from.internalNioBuffer(index, length));
            bytes += length;
            int end = index + length;
            for (int at = from.indexOf(index, end, (byte) '\n'); at >= 0; at = from.indexOf(at + 1, end, (byte) '\n')) {
                lines++;
                if (lines == target) {
                    checksum = crc.getValue();
                    bytesThen = bytes;
                    waiting.countDown();
                } else if (lines > target) {
                    closed(new IllegalStateException("Received more than the expected " + target + " lines"));
                }
            }
        }

        @Override
        void end() {
            closed(new IllegalStateException("Watch was ended by the server"));
        }

        @Override
        void closed(Throwable cause) {
            if (!closing && failure == null) {
                failure = cause;
            }
        }
    }
}
