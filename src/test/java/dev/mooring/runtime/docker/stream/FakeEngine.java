package dev.mooring.runtime.docker.stream;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Answers as a test says, for what a real engine does not do when asked to: breaking off, being silent, talking nonsense. */
final class FakeEngine implements AutoCloseable {
    private final Path socket;
    private final ServerSocketChannel server;
    private final Answer answer;

    /** The connection is closed afterwards. */
    interface Answer {
        void give(String request, Caller caller) throws IOException, InterruptedException;
    }

    record Caller(SocketChannel channel) {
        void say(String text) throws IOException {
            send(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        void send(byte[] bytes) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        void json(int status, String json) throws IOException {
            say("HTTP/1.1 " + status + " Words\r\nContent-Type: application/json\r\nContent-Length: " + json.length()
                    + "\r\n\r\n" + json);
        }
    }

    FakeEngine(Path directory, Answer answer) throws IOException {
        this.socket = directory.resolve("engine.sock");
        this.answer = answer;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        daemon(this::accept);
    }

    String host() {
        return "unix://" + socket;
    }

    /** Nobody answers any more. */
    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel channel = server.accept();
                daemon(() -> serve(channel));
            }
        } catch (IOException expected) {
            // Closed.
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
            String request = "";
            while (!request.contains("\r\n\r\n") && channel.read(buffer) > 0) {
                request = new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
            }
            answer.give(request.lines().findFirst().orElse(""), new Caller(channel));
        } catch (IOException expected) {
            // The caller has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "fake engine");
        thread.setDaemon(true);
        thread.start();
    }
}
