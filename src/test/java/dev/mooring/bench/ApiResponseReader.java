package dev.mooring.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads HTTP/1.1 responses, with a known length or in chunks, as far as a benchmark needs: the code, and the body as it
 * arrives. For one connection, on its event loop.
 */
abstract class ApiResponseReader extends SimpleChannelInboundHandler<ByteBuf> {
    private enum State {
        HEAD,
        BODY,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER
    }

    private static final String LENGTH = "content-length:";
    private static final String CHUNKED = "transfer-encoding: chunked";

    private final byte[] line = new byte[8192];
    private int lineLength;
    private State state = State.HEAD;
    private int code;
    private boolean chunked;
    private long left;

    /** Called after the head of a response. */
    abstract void head(int answerCode);

    /** Called for a part of the body: {@code length} bytes from {@code index} on. */
    abstract void part(ByteBuf from, int index, int length);

    /** Called when the response is complete. */
    abstract void end();

    /** Called when the connection was closed or failed. */
    abstract void closed(Throwable cause);

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf in) {
        while (in.isReadable()) {
            if (state == State.BODY || state == State.CHUNK) {
                int length = (int) Math.min(left, in.readableBytes());
                part(in, in.readerIndex(), length);
                in.skipBytes(length);
                left -= length;
                if (left == 0) {
                    if (state == State.CHUNK) {
                        state = State.CHUNK_END;
                    } else {
                        finish();
                    }
                }
            } else {
                byte next = in.readByte();
                if (next == '\n') {
                    String text = new String(line, 0, lineLength, StandardCharsets.ISO_8859_1);
                    lineLength = 0;
                    line(text);
                } else if (next != '\r') {
                    line[lineLength++] = next;
                }
            }
        }
    }

    private void line(String text) {
        switch (state) {
            case HEAD -> headLine(text);
            case CHUNK_SIZE -> {
                left = Long.parseLong(text.trim(), 16);
                state = left == 0 ? State.TRAILER : State.CHUNK;
            }
            case CHUNK_END -> state = State.CHUNK_SIZE;
            default -> {
                if (text.isEmpty()) {
                    finish();
                }
            }
        }
    }

    private void headLine(String text) {
        if (code == 0) {
            code = Integer.parseInt(text.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        } else if (!text.isEmpty()) {
            String lower = text.toLowerCase(Locale.ROOT);
            if (lower.startsWith(LENGTH)) {
                left = Long.parseLong(lower.substring(LENGTH.length()).trim());
            } else if (lower.startsWith(CHUNKED)) {
                chunked = true;
            }
        } else {
            head(code);
            state = chunked ? State.CHUNK_SIZE : State.BODY;
            if (!chunked && left == 0) {
                finish();
            }
        }
    }

    private void finish() {
        state = State.HEAD;
        code = 0;
        chunked = false;
        left = 0;
        end();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closed(new IllegalStateException("Connection was closed by the server"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        closed(cause);
        var unused = context.close();
    }
}
