package dev.mooring.api.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;

/** Where the lines of a watch go: into a response that does not end, or, if the client asks for it, into a WebSocket, a message each. */
interface WatchSink {
    /** Writes whole lines. */
    void write(Buffer lines);

    boolean isFull();

    /** Calls back once, when there is room again. */
    void whenDrained(Runnable then);

    void whenClosed(Runnable then);

    void end();

    void end(Buffer lastLines);

    /** Ends it without waiting for anybody. */
    void reset();

    /** Whether the client asks for messages. */
    static boolean isWebSocket(Exchange exchange) {
        return exchange.header(HttpHeaders.UPGRADE).equalsIgnoreCase("websocket");
    }

    static Future<WatchSink> of(Exchange exchange) {
        if (isWebSocket(exchange)) {
            return exchange.request().toWebSocket().map(Messages::new);
        }
        HttpServerResponse response = exchange.response();
        Exchange.head(response, Exchange.JSON).setChunked(true);
        response.writeHead();
        return Future.succeededFuture(new Chunks(response));
    }

    /** A response, chunk by chunk. */
    record Chunks(HttpServerResponse response) implements WatchSink {
        @Override
        public void write(Buffer lines) {
            response.write(lines);
        }

        @Override
        public boolean isFull() {
            return response.writeQueueFull();
        }

        @Override
        public void whenDrained(Runnable then) {
            response.drainHandler(v -> {
                response.drainHandler(null);
                then.run();
            });
        }

        @Override
        public void whenClosed(Runnable then) {
            response.closeHandler(v -> then.run());
            response.exceptionHandler(e -> then.run());
        }

        @Override
        public void end() {
            response.end();
        }

        @Override
        public void end(Buffer lastLines) {
            response.end(lastLines);
        }

        @Override
        public void reset() {
            response.reset();
        }
    }

    /** A WebSocket, message by message. */
    record Messages(ServerWebSocket socket) implements WatchSink {
        @Override
        public void write(Buffer lines) {
            int start = 0;
            for (int i = 0; i < lines.length(); i++) {
                if (lines.getByte(i) == '\n') {
                    socket.writeTextMessage(lines.getString(start, i));
                    start = i + 1;
                }
            }
        }

        @Override
        public boolean isFull() {
            return socket.writeQueueFull();
        }

        @Override
        public void whenDrained(Runnable then) {
            socket.drainHandler(v -> {
                socket.drainHandler(null);
                then.run();
            });
        }

        @Override
        public void whenClosed(Runnable then) {
            socket.closeHandler(v -> then.run());
            socket.exceptionHandler(e -> then.run());
        }

        @Override
        public void end() {
            socket.close();
        }

        @Override
        public void end(Buffer lastLines) {
            write(lastLines);
            socket.close();
        }

        @Override
        public void reset() {
            socket.close();
        }
    }
}
