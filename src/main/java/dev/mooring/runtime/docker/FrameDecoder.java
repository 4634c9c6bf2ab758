package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Decodes the multiplexed stream of a process without a terminal: frames with an eight-byte header (channel, three
 * zeros, length) and a payload.
 *
 * <p>In a log with timestamps each frame is an entry and begins with its time. A line longer than 16 KiB consists of
 * several entries: times within a line are removed.
 *
 * <p>Reads may split frames anywhere. Adjacent payloads of the same channel are passed on as one chunk; it buffers no
 * more than was read.
 */
final class FrameDecoder implements StreamDecoder {
    private static final int HEADER = 8;
    /** The engine's error message in place of output. */
    private static final int ENGINE = 3;

    /** Longer text before the first space is no time. */
    private static final int MAX_TIME_LENGTH = 64;

    /** Whether entries begin with their time, and whether it is passed on. */
    enum Timestamps {
        NONE,
        KEPT,
        REMOVED
    }

    private final Timestamps timestamps;
    private final DeliveredEntries delivered = new DeliveredEntries();
    private final byte[] time = new byte[MAX_TIME_LENGTH];
    private int timeFilled;
    private final byte[] header = new byte[HEADER];
    private int headerFilled;
    private long left;
    private boolean timeExpected;
    private boolean skipping;
    private long entriesToSkip;
    private final boolean[] insideLine = new boolean[ENGINE + 1];
    private byte[] piece = new byte[0];
    private int pieceFilled;
    private int pieceFrom;
    private boolean hasDelivered;

    FrameDecoder(Timestamps timestamps) {
        this.timestamps = timestamps;
    }

    static FrameDecoder plain() {
        return new FrameDecoder(Timestamps.NONE);
    }

    DeliveredEntries delivered() {
        return delivered;
    }

    boolean hasDelivered() {
        return hasDelivered;
    }

    /** Skips entries at the beginning of the next stream, which were delivered from the previous one. */
    void skipEntries(long count) {
        entriesToSkip = count;
    }

    @Override
    public void decode(byte[] bytes, int count, StreamDecoder.ProcessOutput output)
            throws IOException, InterruptedException, EngineException {
        if (piece.length < count + MAX_TIME_LENGTH) {
            piece = new byte[count + MAX_TIME_LENGTH];
        }
        int at = 0;
        while (at < count) {
            if (left == 0) {
                header[headerFilled++] = bytes[at++];
                if (headerFilled == HEADER) {
                    begin(output);
                }
            } else {
                int length = (int) Math.min(left, count - at);
                take(bytes, at, length);
                at += length;
            }
        }
        flush(output);
    }

    @Override
    public void end() throws IOException {
        if (headerFilled > 0 || left > 0) {
            throw new EOFException("the engine closed the connection in the middle of a process's output");
        }
    }

    private void begin(StreamDecoder.ProcessOutput output) throws IOException, InterruptedException, EngineException {
        int from = header[0];
        if (from < 0 || from > ENGINE || header[1] != 0 || header[2] != 0 || header[3] != 0) {
            throw new ProtocolException("invalid frame header from the engine: " + Arrays.toString(header));
        }
        headerFilled = 0;
        left = Integer.toUnsignedLong(
                (header[4] & 0xff) << 24 | (header[5] & 0xff) << 16 | (header[6] & 0xff) << 8 | (header[7] & 0xff));
        timeExpected = timestamps != Timestamps.NONE && from != ENGINE;
        timeFilled = 0;
        skipping = false;
        if (from != pieceFrom) {
            flush(output);
            pieceFrom = from;
        }
    }

    private void take(byte[] bytes, int from, int length) {
        left -= length;
        int start = from;
        while (timeExpected && start < from + length) {
            time[timeFilled++] = bytes[start++];
            boolean isLast = left == 0 && start == from + length;
            if (time[timeFilled - 1] == ' ' || timeFilled == MAX_TIME_LENGTH || isLast) {
                timeExpected = false;
                beginEntry();
            }
        }
        if (!skipping && start < from + length) {
            keep(bytes, start, from + length - start);
        }
    }

    /** Handles the first word of an entry: its time, unless the engine sent none. */
    private void beginEntry() {
        Optional<Instant> parsed = parseTime();
        skipping = parsed.isPresent() && entriesToSkip-- > 0;
        if (skipping) {
            return;
        }
        parsed.ifPresent(delivered::add);
        if (parsed.isEmpty() || (timestamps == Timestamps.KEPT && !insideLine[pieceFrom])) {
            keep(time, 0, timeFilled);
        }
    }

    private Optional<Instant> parseTime() {
        String text = new String(time, 0, timeFilled, StandardCharsets.US_ASCII);
        try {
            return Optional.of(OffsetDateTime.parse(text.stripTrailing()).toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private void keep(byte[] bytes, int from, int length) {
        System.arraycopy(bytes, from, piece, pieceFilled, length);
        pieceFilled += length;
        insideLine[pieceFrom] = bytes[from + length - 1] != '\n';
    }

    private void flush(StreamDecoder.ProcessOutput output) throws EngineException, InterruptedException {
        if (pieceFilled == 0) {
            return;
        }
        hasDelivered = true;
        byte[] out = Arrays.copyOf(piece, pieceFilled);
        pieceFilled = 0;
        if (pieceFrom == ENGINE) {
            throw new EngineException(EngineException.Kind.FAILED, new String(out, StandardCharsets.UTF_8).strip());
        }
        output.accept(pieceFrom == 2 ? Channel.STDERR : Channel.STDOUT, out);
    }
}
