package dev.mooring.runtime.docker.stream;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Takes apart what an engine sends of a process without a terminal: frames of eight bytes (where from, three zeros, length) and as many as that length says.
 *
 * <p>A log's line that is longer than 16 KiB comes in several frames, and with timestamps each of them has one: those inside a line are left out.
 *
 * <p>Frames may be cut anywhere by reading. Neighbours from the same channel are handed over as one piece; no more than what was read is ever kept.
 */
final class Frames implements Decoder {
    private static final int HEADER = 8;
    /** The engine's own words about what went wrong, in place of output. */
    private static final int ENGINE = 3;

    private final boolean stamped;
    private final byte[] header = new byte[HEADER];
    private int headerFilled;
    private long left;
    private boolean skipping;
    private final boolean[] insideLine = new boolean[ENGINE + 1];
    private byte[] piece = new byte[0];
    private int pieceFilled;
    private int pieceFrom;

    private Frames(boolean stamped) {
        this.stamped = stamped;
    }

    static Frames plain() {
        return new Frames(false);
    }

    /** Of a log whose lines begin with timestamps. */
    static Frames stamped() {
        return new Frames(true);
    }

    @Override
    public void decode(byte[] bytes, int count, Output output)
            throws IOException, InterruptedException, EngineException {
        if (piece.length < count) {
            piece = new byte[count];
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
            throw new EOFException("the engine broke off in the middle of what a process wrote");
        }
    }

    private void begin(Output output) throws IOException, InterruptedException, EngineException {
        int from = header[0];
        if (from < 0 || from > ENGINE || header[1] != 0 || header[2] != 0 || header[3] != 0) {
            throw new ProtocolException("Expected a frame, but the engine sent " + Arrays.toString(header) + ".");
        }
        headerFilled = 0;
        left = Integer.toUnsignedLong(
                (header[4] & 0xff) << 24 | (header[5] & 0xff) << 16 | (header[6] & 0xff) << 8 | (header[7] & 0xff));
        skipping = stamped && insideLine[from];
        if (from != pieceFrom) {
            flush(output);
            pieceFrom = from;
        }
    }

    private void take(byte[] bytes, int from, int length) {
        int start = from;
        while (skipping && start < from + length) {
            skipping = bytes[start++] != ' ';
        }
        int kept = from + length - start;
        System.arraycopy(bytes, start, piece, pieceFilled, kept);
        pieceFilled += kept;
        left -= length;
        insideLine[pieceFrom] = bytes[from + length - 1] != '\n';
    }

    private void flush(Output output) throws EngineException, InterruptedException {
        if (pieceFilled == 0) {
            return;
        }
        byte[] out = Arrays.copyOf(piece, pieceFilled);
        pieceFilled = 0;
        if (pieceFrom == ENGINE) {
            throw new EngineException(EngineException.Kind.FAILED, new String(out, StandardCharsets.UTF_8).strip());
        }
        output.take(pieceFrom == 2 ? Channel.STDERR : Channel.STDOUT, out);
    }
}
