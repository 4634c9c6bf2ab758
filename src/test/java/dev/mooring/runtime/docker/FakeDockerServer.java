package dev.mooring.runtime.docker;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A fake engine with scripted responses, for failures that a real engine cannot produce on request. */
final class FakeDockerServer implements AutoCloseable {
    private final Path socket;
    private final ServerSocketChannel server;
    private final ResponseScript script;

    /** Responds to one request; the connection is closed afterwards. */
    interface ResponseScript {
        void respond(String request, Caller caller) throws IOException, InterruptedException;
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
            say("HTTP/1.1 " + status + " Reason\r\nContent-Type: application/json\r\nContent-Length: " + json.length()
                    + "\r\n\r\n" + json);
        }
    }

    FakeDockerServer(Path directory, ResponseScript script) throws IOException {
        this.socket = directory.resolve("engine.sock");
        this.script = script;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        daemon(this::accept);
    }

    String host() {
        return "unix://" + socket;
    }

    /** Stops the server: a connection made after this is closed or refused. */
    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel channel = server.accept();
                if (!server.isOpen()) {
                    // The kernel may still accept a connection while the channel is being closed.
                    channel.close();
                    return;
                }
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
            script.respond(request.lines().findFirst().orElse(""), new Caller(channel));
        } catch (IOException expected) {
            // The caller closed the connection.
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
