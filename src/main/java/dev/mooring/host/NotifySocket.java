package dev.mooring.host;

import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Sends states to the service manager, as sd_notify(3) does: a datagram to the socket that {@code NOTIFY_SOCKET} names.
 * Java has no datagrams for Unix sockets. Thread-safe.
 */
public final class NotifySocket {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    /** A full queue of the service manager must not block the server; SIGPIPE is not wanted. */
    private static final int DONTWAIT_NOSIGNAL = 0x40 | 0x4000;

    private static final int FAMILY_BYTES = 2;
    private static final int MAX_PATH = 107;

    private final SystemCalls calls;
    private final String path;
    private final byte[] address;

    /**
     * Creates a sender.
     *
     * @param path absolute path of a socket, or {@code @NAME} for one in the abstract namespace
     * @throws IllegalArgumentException if it is neither
     */
    public NotifySocket(SystemCalls calls, String path) {
        byte[] name = path.getBytes(StandardCharsets.UTF_8);
        if (!(path.startsWith("/") || path.startsWith("@")) || name.length < 2 || name.length > MAX_PATH) {
            throw new IllegalArgumentException(
                    "NOTIFY_SOCKET must be an absolute path or @NAME of at most " + MAX_PATH + " bytes, got " + path);
        }
        this.calls = calls;
        this.path = path;
        // The address of an abstract socket starts with a zero byte and ends with the last byte of its name.
        this.address = new byte[FAMILY_BYTES + name.length + (path.startsWith("@") ? 0 : 1)];
        address[0] = AF_UNIX;
        System.arraycopy(name, 0, address, FAMILY_BYTES, name.length);
        if (path.startsWith("@")) {
            address[FAMILY_BYTES] = 0;
        }
    }

    /**
     * Sends assignments such as {@code READY=1}, one per line. Does not block.
     *
     * @throws IOException if the service manager did not receive them
     */
    public void send(String... assignments) throws IOException {
        byte[] message = String.join("\n", assignments).getBytes(StandardCharsets.UTF_8);
        int socket = (int) Descriptor.retried("socket", path, () -> calls.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0));
        try {
            Descriptor.retried(
                    "sendto",
                    path,
                    () -> calls.sendto(
                                    socket,
                                    message,
                                    new NativeLong(message.length),
                                    DONTWAIT_NOSIGNAL,
                                    Arrays.copyOf(address, address.length),
                                    address.length)
                            .longValue());
        } finally {
            calls.close(socket);
        }
    }
}
