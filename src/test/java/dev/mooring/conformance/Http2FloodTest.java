package dev.mooring.conformance;

import static dev.mooring.conformance.Http2Socket.frame;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the server disconnects clients without a token that send an endless number of HTTP/2 frames. */
@Timeout(300)
class Http2FloodTest {
    private static final int MAX_FRAMES = 3_000_000;
    private static final int BATCH = 500;

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        // Longer than this test, so that no connection is closed for being idle.
        api = ApiUnderTest.start(data, Map.of("api.authenticationTimeout", "1h", "api.idleTimeout", "1h"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @Test
    void connection_emptyContinuationFrames_isClosed() throws IOException {
        try (Http2Socket socket = Http2Socket.open(api, new byte[0])) {
            socket.send(frame(Http2Socket.HEADERS, 0, 1, request()));
            assertThat(sentUntilClosed(socket, i -> frame(Http2Socket.CONTINUATION, 0, 1)))
                    .isLessThan(MAX_FRAMES);
        }
        assertThat(api.get("/api/v1/nodes").code()).isEqualTo(200);
    }

    @Test
    void connection_streamsResetAtOnce_isClosed() throws IOException {
        byte[] request = request();
        try (Http2Socket socket = Http2Socket.open(api, new byte[0])) {
            assertThat(sentUntilClosed(
                            socket,
                            i -> i % 2 == 0
                                    ? frame(Http2Socket.HEADERS, Http2Socket.END_HEADERS, i + 1, request)
                                    : frame(Http2Socket.RST_STREAM, 0, i, new byte[] {0, 0, 0, 8})))
                    .isLessThan(MAX_FRAMES);
        }
        assertThat(api.get("/api/v1/nodes").code()).isEqualTo(200);
    }

    @Test
    void connection_pingsWithUnreadReplies_isClosed() throws IOException {
        assertConnectionIsClosed(i -> frame(Http2Socket.PING, 0, 0, new byte[8]));
    }

    @Test
    void connection_settingsWithUnreadReplies_isClosed() throws IOException {
        assertConnectionIsClosed(i ->
                frame(Http2Socket.SETTINGS, 0, 0, Http2Socket.setting(Http2Socket.INITIAL_WINDOW_SIZE, 1000 + i % 2)));
    }

    /**
     * Asserts that the server closes the connection: once too many replies are unread, it queues an error behind them
     * and closes at once or when the client has read that error.
     */
    private static void assertConnectionIsClosed(IntFunction<byte[]> frames) throws IOException {
        try (Http2Socket socket = Http2Socket.open(api, new byte[0])) {
            assertThat(sentUntilClosed(socket, frames) < MAX_FRAMES || socket.endsAfterReading())
                    .isTrue();
        }
        assertThat(api.get("/api/v1/nodes").code()).isEqualTo(200);
    }

    @Test
    void connection_emptyDataFrames_isClosed() throws IOException {
        try (Http2Socket socket = Http2Socket.open(api, new byte[0])) {
            socket.send(frame(Http2Socket.HEADERS, Http2Socket.END_HEADERS, 1, request()));
            assertThat(sentUntilClosed(socket, i -> frame(Http2Socket.DATA, 0, 1)))
                    .isLessThan(MAX_FRAMES);
        }
        assertThat(api.get("/api/v1/nodes").code()).isEqualTo(200);
    }

    @Test
    void connection_requestsWithoutToken_isClosed() throws IOException {
        byte[] request = request();
        try (Http2Socket socket = Http2Socket.open(api, new byte[0])) {
            assertThat(sentUntilClosed(
                            socket,
                            i -> frame(
                                    Http2Socket.HEADERS,
                                    Http2Socket.END_HEADERS | Http2Socket.END_STREAM,
                                    2 * i + 1,
                                    request)))
                    .isLessThan(MAX_FRAMES);
        }
        assertThat(api.get("/api/v1/nodes").code()).isEqualTo(200);
    }

    private static byte[] request() {
        return Http2Socket.get(api.withToken(""), "/api/v1/nodes");
    }

    /** Number of frames sent before the server closed the connection; nothing is read meanwhile. */
    private static int sentUntilClosed(Http2Socket socket, IntFunction<byte[]> frames) {
        for (int sent = 0; sent < MAX_FRAMES; sent += BATCH) {
            byte[][] batch = new byte[BATCH][];
            int first = sent;
            Arrays.setAll(batch, i -> frames.apply(first + i));
            try {
                socket.send(batch);
            } catch (IOException e) {
                return sent;
            }
        }
        return MAX_FRAMES;
    }
}
