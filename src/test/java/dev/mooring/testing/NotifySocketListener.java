package dev.mooring.testing;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Predicate;

/** A real datagram socket in place of systemd's, which receives the states of a service. For one thread. */
public final class NotifySocketListener implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int MAX_MESSAGE = 4096;
    private static final LibC C = Native.load("c", LibC.class);

    private final int socket;

    /** The C library. */
    public interface LibC extends Library {
        int socket(int domain, int type, int protocol);

        int bind(int socket, byte[] address, int length);

        NativeLong recv(int socket, byte[] buffer, NativeLong length, int flags);

        int close(int file);
    }

    /** @param path of the socket to create */
    public NotifySocketListener(Path path) {
        byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
        byte[] address = Arrays.copyOf(new byte[] {AF_UNIX, 0}, name.length + 3);
        System.arraycopy(name, 0, address, 2, name.length);
        socket = C.socket(AF_UNIX, SOCK_DGRAM, 0);
        if (socket < 0 || C.bind(socket, address, address.length) != 0) {
            throw new IllegalStateException("bind " + path + ": errno " + Native.getLastError());
        }
    }

    /** Returns the next message; waits for it. */
    public String next() {
        byte[] buffer = new byte[MAX_MESSAGE];
        int length = C.recv(socket, buffer, new NativeLong(buffer.length), 0).intValue();
        if (length < 0) {
            throw new IllegalStateException("recv: errno " + Native.getLastError());
        }
        return new String(buffer, 0, length, StandardCharsets.UTF_8);
    }

    /** Returns the next message that matches; waits for it. */
    public String next(Predicate<String> wanted) {
        String message = next();
        while (!wanted.test(message)) {
            message = next();
        }
        return message;
    }

    @Override
    public void close() {
        C.close(socket);
    }
}
