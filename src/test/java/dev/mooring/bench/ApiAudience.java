package dev.mooring.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

/**
 * So many watchers, each with a TLS connection of its own. They count lines and keep a checksum, which is the same for all of them if all
 * got the same lines in the same order. They live on the event loop of their clients.
 */
final class ApiAudience implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 120;

    private final List<Watcher> watchers = new ArrayList<>();
    private long expected;
    private volatile long target;
    private volatile CountDownLatch waiting;
    private volatile Throwable failure;
    private volatile boolean closing;

    /**
     * Returns when all of them watch and have got what was there before.
     *
     * @param initial how many lines that is
     */
    ApiAudience(ApiClients clients, int port, ApiRequest watch, int size, int initial) throws InterruptedException {
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
            throw new IllegalStateException("Expected all watches to begin, but " + heads.getCount() + " did not");
        }
        await();
    }

    int size() {
        return watchers.size();
    }

    /** So many more lines; to be called before they can come, and after all before have come. */
    void expect(int lines) {
        waiting = new CountDownLatch(watchers.size());
        expected += lines;
        target = expected;
    }

    /** Returns when all have got what is expected, and the same, and nobody was cut off. */
    void await() throws InterruptedException {
        boolean whole = waiting.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (failure != null) {
            throw new IllegalStateException("Expected no watcher to be cut off", failure);
        }
        if (!whole) {
            throw new IllegalStateException(
                    "Expected all watchers to get every event, but " + waiting.getCount() + " of them wait");
        }
        long different = watchers.stream()
                .mapToLong(watcher -> watcher.checksum)
                .distinct()
                .count();
        if (different > 1) {
            throw new IllegalStateException("Expected all watchers to get the same, but there are " + different);
        }
    }

    /** What each of them had got when all that was expected had come, without the framing of HTTP. */
    long bytesEach() {
        return watchers.get(0).bytesThen;
    }

    @Override
    public void close() {
        closing = true;
        watchers.forEach(watcher -> watcher.channel.close().syncUninterruptibly());
    }

    private final class Watcher extends ApiAnswerReader {
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
                closed(new IllegalStateException("Expected a watch to begin, but the answer was " + answerCode));
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
                    closed(new IllegalStateException("Expected " + target + " lines, but there are more"));
                }
            }
        }

        @Override
        void end() {
            closed(new IllegalStateException("Expected a watch to go on, but it was ended"));
        }

        @Override
        void closed(Throwable cause) {
            if (!closing && failure == null) {
                failure = cause;
            }
        }
    }
}
