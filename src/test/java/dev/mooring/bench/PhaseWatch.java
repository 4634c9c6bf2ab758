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
 * A watch that detects when objects reach a phase, each once. Objects are identified by the number at the end of their
 * names. Parses as little of a line as possible, to leave the processors to the server.
 *
 * <p>Runs on the event loop of its clients; {@link #expect}, {@link #await} and {@link #close} are for the benchmark's
 * thread.
 */
final class PhaseWatch extends ApiResponseReader implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 120;
    private static final int DIGITS = 7;

    private final String nameStart;
    private final String phase;
    private final CountDownLatch started = new CountDownLatch(1);
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(4096);
    private final BitSet seen = new BitSet();
    private Channel channel;
    private LongConsumer listener = number -> {};
    private volatile CountDownLatch waiting = new CountDownLatch(0);
    private volatile long lastNanos;
    private volatile Throwable failure;
    private volatile boolean closing;

    private PhaseWatch(String namePrefix, String phase) {
        this.nameStart = "\"name\":\"" + namePrefix;
        this.phase = "\"phase\":\"" + phase + '"';
    }

    /**
     * Starts the watch.
     *
     * @param namePrefix common prefix of the names, before the number
     */
    static PhaseWatch open(ApiClients clients, int port, RequestTemplate watch, String namePrefix, String phase)
            throws InterruptedException {
        PhaseWatch opened = new PhaseWatch(namePrefix, phase);
        opened.channel = clients.connect(port, opened);
        var unused = opened.channel.writeAndFlush(Unpooled.wrappedBuffer(watch.bytes(0)));
        if (!opened.started.await(DEADLINE_SECONDS, TimeUnit.SECONDS) || opened.failure != null) {
            throw new IllegalStateException("Watch did not start", opened.failure);
        }
        return opened;
    }

    /** Sets the listener for the number of each object that reaches the phase. For the event loop. */
    void listen(LongConsumer next) {
        listener = next;
    }

    /** Sets the number of further objects; call before they can arrive. */
    void expect(int count) {
        waiting = new CountDownLatch(count);
    }

    /**
     * Waits for all expected objects.
     *
     * @return the time at which the last one was seen
     */
    long await() throws InterruptedException {
        CountDownLatch latch = waiting;
        long left = latch.getCount();
        while (!latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            if (failure != null || latch.getCount() == left) {
                throw new IllegalStateException(latch.getCount() + " objects did not reach " + phase, failure);
            }
            left = latch.getCount();
        }
        if (failure != null) {
            throw new IllegalStateException("Watch failed", failure);
        }
        return lastNanos;
    }

    @Override
    void head(int answerCode) {
        if (answerCode != 200) {
            closed(new IllegalStateException("Watch was answered with status " + answerCode));
        }
        started.countDown();
    }

    @Override
    void part(ByteBuf from, int index, int length) {
        int end = index + length;
        int start = index;
        for (int at = from.indexOf(start, end, (byte) '\n'); at >= 0; at = from.indexOf(start, end, (byte) '\n')) {
            append(from, start, at - start);
            line(line.toString(StandardCharsets.ISO_8859_1));
            line.reset();
            start = at + 1;
        }
        append(from, start, end - start);
    }

    private void append(ByteBuf from, int index, int length) {
        try {
            from.getBytes(index, line, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void line(String text) {
        if (!text.contains(phase)) {
            if (text.startsWith("{\"type\":\"ERROR\"")) {
                closed(new IllegalStateException("Watch failed: " + text));
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
        closed(new IllegalStateException("Watch was ended by the server"));
    }

    @Override
    void closed(Throwable cause) {
        if (!closing && failure == null) {
            failure = cause;
            started.countDown();
        }
    }

    @Override
    public void close() {
        closing = true;
        channel.close().syncUninterruptibly();
    }
}
