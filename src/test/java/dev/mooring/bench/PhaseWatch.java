package dev.mooring.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * A watch that notices when objects come into a phase, each once. Objects are known by the number at the end of their names. It reads as
 * little of a line as it can, because the processors are the server's.
 *
 * <p>It lives on the event loop of its clients; {@link #expect}, {@link #await} and {@link #close} are for the benchmark's thread.
 */
final class PhaseWatch extends ApiAnswerReader implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 120;
    private static final int DIGITS = 7;

    private final String nameStart;
    private final String phase;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(4096);
    private final BitSet seen = new BitSet();
    private Channel channel;
    private LongConsumer listener = number -> {};
    private volatile CountDownLatch waiting = new CountDownLatch(0);
    private volatile long lastNanos;
    private volatile Throwable failure;
    private volatile boolean closing;

    private PhaseWatch(String namesBegin, String phase) {
        this.nameStart = "\"name\":\"" + namesBegin;
        this.phase = "\"phase\":\"" + phase + '"';
    }

    /**
     * Returns when it watches.
     *
     * @param namesBegin how the names of all objects begin, before the number
     */
    static PhaseWatch open(ApiClients clients, int port, ApiRequest watch, String namesBegin, String phase)
            throws InterruptedException {
        PhaseWatch made = new PhaseWatch(namesBegin, phase);
        made.channel = clients.connect(port, made);
        var unused = made.channel.writeAndFlush(Unpooled.wrappedBuffer(watch.bytes(0)));
        if (!made.begun.await(DEADLINE_SECONDS, TimeUnit.SECONDS) || made.failure != null) {
            throw new IllegalStateException("Expected a watch to begin, but it did not", made.failure);
        }
        return made;
    }

    /** Who is told the number of each object that comes into the phase, from now on. For the event loop. */
    void tell(LongConsumer next) {
        listener = next;
    }

    /** So many more objects; to be called before they can come. */
    void expect(int count) {
        waiting = new CountDownLatch(count);
    }

    /** Returns when all that are expected have come, with the time at which the last was seen. */
    long await() throws InterruptedException {
        CountDownLatch latch = waiting;
        long left = latch.getCount();
        while (!latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            if (failure != null || latch.getCount() == left) {
                throw new IllegalStateException(
                        "Expected all to come into " + phase + ", but " + latch.getCount() + " did not", failure);
            }
            left = latch.getCount();
        }
        if (failure != null) {
            throw new IllegalStateException("Expected the watch to go on", failure);
        }
        return lastNanos;
    }

    @Override
    void head(int answerCode) {
        if (answerCode != 200) {
            closed(new IllegalStateException("Expected a watch to begin, but the answer was " + answerCode));
        }
        begun.countDown();
    }

    @Override
    void part(ByteBuf from, int index, int length) {
        int end = index + length;
        int start = index;
        for (int at = from.indexOf(start, end, (byte) '\n'); at >= 0; at = from.indexOf(start, end, (byte) '\n')) {
            take(from, start, at - start);
            line(line.toString(StandardCharsets.ISO_8859_1));
            line.reset();
            start = at + 1;
        }
        take(from, start, end - start);
    }

    private void take(ByteBuf from, int index, int length) {
        try {
            from.getBytes(index, line, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void line(String text) {
        if (!text.contains(phase)) {
            if (text.startsWith("{\"type\":\"ERROR\"")) {
                closed(new IllegalStateException("Expected the watch to go on, but it said " + text));
            }
            return;
        }
        int name = text.indexOf(nameStart) + nameStart.length();
        int number = Integer.parseInt(text, name, name + DIGITS, 10);
        if (!seen.get(number)) {
            seen.set(number);
            lastNanos = System.nanoTime();
            waiting.countDown();
            listener.accept(number);
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
            begun.countDown();
        }
    }

    @Override
    public void close() {
        closing = true;
        channel.close().syncUninterruptibly();
    }
}
