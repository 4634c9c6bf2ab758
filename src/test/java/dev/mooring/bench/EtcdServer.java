package dev.mooring.bench;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A single-member etcd with default settings, on free ports of this machine. It ends with this program. */
final class EtcdServer implements AutoCloseable {
    private static final int START_SECONDS = 30;

    private final Process process;
    private final String url;
    private final Thread stopper = new Thread(this::kill, "bench-etcd-stopper");

    EtcdServer(Path directory) throws IOException {
        int[] ports = freePorts();
        url = "http://127.0.0.1:" + ports[0];
        String peers = "http://127.0.0.1:" + ports[1];
        Path output = directory.resolve("etcd.out");
        Runtime.getRuntime().addShutdownHook(stopper);
        try {
            process = new ProcessBuilder(
                            "etcd",
                            "--name=bench",
                            "--data-dir=" + directory.resolve("data"),
                            "--listen-client-urls=" + url,
                            "--advertise-client-urls=" + url,
                            "--listen-peer-urls=" + peers,
                            "--initial-advertise-peer-urls=" + peers,
                            "--initial-cluster=bench=" + peers)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException e) {
            throw new IOException("Failed to start etcd, the yardstick; scripts/setup bench installs it", e);
        }
        awaitReady(output);
    }

    private void awaitReady(Path output) throws IOException {
        try (Client client = Client.builder().endpoints(url).build()) {
            ByteSequence ready = ByteSequence.from("ready", StandardCharsets.UTF_8);
            client.getKVClient().put(ready, ready).get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            String log = Files.readString(output);
            close();
            throw new IOException("etcd did not answer within " + START_SECONDS + " s; its log:\n" + log, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    String url() {
        return url;
    }

    long pid() {
        return process.pid();
    }

    private static int[] freePorts() throws IOException {
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket two = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new int[] {one.getLocalPort(), two.getLocalPort()};
        }
    }

    private void kill() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() {
        kill();
        process.onExit().join();
        Runtime.getRuntime().removeShutdownHook(stopper);
    }
}
