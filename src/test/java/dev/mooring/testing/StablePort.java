package dev.mooring.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port for a server that is stopped and started again on the same port. Meanwhile another process could get a
 * port that the kernel has chosen; so the port is below those from which the kernel chooses, if there are any.
 */
public final class StablePort {
    private static final Path CHOSEN_BY_KERNEL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int CANDIDATES = 10_000;
    private static final int FIRST_UNPRIVILEGED = 1024;
    private static final int ATTEMPTS = 100;

    private StablePort() {}

    public static int find() throws IOException {
        int end = Integer.parseInt(Files.readString(CHOSEN_BY_KERNEL).strip().split("\\s+", 2)[0]);
        for (int i = 0; i < ATTEMPTS && end >= FIRST_UNPRIVILEGED + CANDIDATES; i++) {
            int port = end - 1 - ThreadLocalRandom.current().nextInt(CANDIDATES);
            if (isFree(port)) {
                return port;
            }
        }
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    private static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}
