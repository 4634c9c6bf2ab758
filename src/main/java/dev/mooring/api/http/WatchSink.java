package dev.mooring.api.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;

/** The destination of a watch's lines: a chunked response or, if requested, a WebSocket with one message per write. */
interface WatchSink {
    /** Writes complete lines. */
    void write(Buffer lines);

    boolean isFull();

    /** Runs a callback once when there is room again. */
    void onDrained(Runnable then);

    void onClosed(Runnable then);

    void end();

    void end(Buffer lastLines);

    /** Ends the stream immediately, without waiting for the client. */
    void reset();

    /** Returns whether the client requests a WebSocket. */
    static boolean isWebSocket(ApiRequest request) {
        return request.header(HttpHeaders.UPGRADE).equalsIgnoreCase("websocket");
    }

    static Future<WatchSink> of(ApiRequest request) {
        if (isWebSocket(request)) {
            return request.request().toWebSocket().map(socket -> new WebSocketWatchSink(socket, new PendingWrites()));
        }
        HttpServerResponse response = request.response();
        ApiRequest.setHeaders(response, ApiRequest.JSON).setChunked(true);
        response.writeHead();
        return Future.succeededFuture(new ChunkedWatchSink(response, new PendingWrites()));
    }

    /** Writes to a chunked response. */
    record ChunkedWatchSink(HttpServerResponse response, PendingWrites pending) implements WatchSink {
        @Override
        public void write(Buffer lines) {
            pending.add(lines.length(), response.write(lines));
        }

        @Override
        public boolean isFull() {
            return pending.isFull() || response.writeQueueFull();
        }

        @Override
        public void onDrained(Runnable then) {
            if (pending.isFull()) {
                pending.onDrained(then);
                return;
            }
            response.drainHandler(v -> {
                response.drainHandler(null);
                then.run();
            });
        }

        @Override
        public void onClosed(Runnable then) {
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

    /** Writes to a WebSocket. */
    record WebSocketWatchSink(ServerWebSocket socket, PendingWrites pending) implements WatchSink {
        @Override
        public void write(Buffer lines) {
            int start = 0;
            for (int i = 0; i < lines.length(); i++) {
                if (lines.getByte(i) == '\n') {
                    pending.add(i - start, socket.writeTextMessage(lines.getString(start, i)));
                    start = i + 1;
                }
            }
        }

        @Override
        public boolean isFull() {
            return pending.isFull() || socket.writeQueueFull();
        }

        @Override
        public void onDrained(Runnable then) {
            if (pending.isFull()) {
                pending.onDrained(then);
                return;
            }
            socket.drainHandler(v -> {
                socket.drainHandler(null);
                then.run();
            });
        }

        @Override
        public void onClosed(Runnable then) {
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
