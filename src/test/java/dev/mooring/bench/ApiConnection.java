package dev.mooring.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** One connection on which requests are sent and answers awaited. For the event loop of its clients, but for {@link #open}. */
final class ApiConnection extends ApiAnswerReader {
    private static final int SHOWN_OF_REFUSAL = 600;

    /** What an answer is told to. */
    interface Listener {
        void answered(Answer answer);

        void failed(Throwable cause);
    }

    /** @param refusal the beginning of the body, if the code is not one of success */
    record Answer(int code, long bytes, String refusal) {
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

    void send(ApiRequest request, long number, Listener listener) {
        if (!channel.isActive()) {
            listener.failed(new IllegalStateException("Expected an open connection, but it was closed"));
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
        Answer answer = new Answer(code, bytes, refusal.toString());
        waiting.remove().answered(answer);
    }

    @Override
    void closed(Throwable cause) {
        waiting.forEach(listener -> listener.failed(cause));
        waiting.clear();
    }
}
