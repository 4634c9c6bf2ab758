package dev.mooring.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** One connection for requests and responses. For the event loop of its clients, except {@link #open}. */
final class ApiConnection extends ApiResponseReader {
    private static final int SHOWN_OF_REFUSAL = 600;

    /** Receives the response to a request. */
    interface Listener {
        void answered(ApiResponse answer);

        void failed(Throwable cause);
    }

    /**
     * A response.
     *
     * @param refusal the beginning of the body, if the code is not a success
     */
    record ApiResponse(int code, long bytes, String refusal) {
        boolean isSuccess() {
            return code >= 200 && code < 300;
        }
    }

    private final Deque<Listener> waiting = new ArrayDeque<>();
    private Channel channel;
    private int code;
    private long bytes;
    private final StringBuilder refusal = new StringBuilder();

    static ApiConnection open(ApiClients clients, int port) throws InterruptedException {
        ApiConnection connection = new ApiConnection();
        connection.channel = clients.connect(port, connection);
        return connection;
    }

    void send(RequestTemplate request, long number, Listener listener) {
        if (!channel.isActive()) {
            listener.failed(new IllegalStateException("Connection is closed"));
            return;
        }
        ByteBuf out = channel.alloc().directBuffer(request.length());
        request.writeTo(out, number);
        waiting.add(listener);
        var unused = channel.writeAndFlush(out, channel.voidPromise());
    }

    void close() {
        waiting.clear();
        var unused = channel.close();
    }

    @Override
    void head(int answerCode) {
        code = answerCode;
        bytes = 0;
        refusal.setLength(0);
    }

    @Override
    void part(ByteBuf from, int index, int length) {
        bytes += length;
        if (code >= 300 && refusal.length() < SHOWN_OF_REFUSAL) {
            refusal.append(from.toString(index, length, StandardCharsets.UTF_8));
        }
    }

    @Override
    void end() {
        ApiResponse answer = new ApiResponse(code, bytes, refusal.toString());
        waiting.remove().answered(answer);
    }

    @Override
    void closed(Throwable cause) {
        waiting.forEach(listener -> listener.failed(cause));
        waiting.clear();
    }
}
