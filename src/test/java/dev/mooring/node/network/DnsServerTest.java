package dev.mooring.node.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.control.WorldFixture;
import dev.mooring.world.World;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DnsServerTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final World WORLD =
            WorldFixture.of("{kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.96.0.7}}");
    private static final int SERVER_FAILURE = 2;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private int start(Predicate<InetAddress> permitted, InetSocketAddress... upstream) throws InterruptedException {
        DnsServer server = new DnsServer(group, () -> WORLD, permitted, () -> List.of(upstream));
        server.open(new InetSocketAddress(LOOPBACK, 0));
        return server.udpPort();
    }

    private static byte[] ask(int port, byte[] query, int timeoutMillis) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(timeoutMillis);
            socket.send(new DatagramPacket(query, query.length, LOOPBACK, port));
            DatagramPacket answer = new DatagramPacket(new byte[2_000], 2_000);
            socket.receive(answer);
            return Arrays.copyOf(answer.getData(), answer.getLength());
        }
    }

    @Test
    void server_nameOfService_isAnsweredByUdpAndTcp() throws Exception {
        int port = start(each -> true);
        byte[] query = ClusterDnsTest.query("web.shop.svc.cluster.local", 1);

        byte[] byUdp = ask(port, query, 60_000);

        assertThat(byUdp).endsWith(10, 96, 0, 7);
        try (Socket socket = new Socket(LOOPBACK, port)) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeShort(query.length);
            out.write(query);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertThat(in.readNBytes(in.readUnsignedShort())).isEqualTo(byUdp);
        }
    }

    @Test
    void server_otherName_isAskedUpstreamAndFailsWithoutAnswer() throws Exception {
        byte[] query = ClusterDnsTest.query("example.com", 1);
        byte[] expected = query.clone();
        expected[2] = (byte) 0x81;
        try (DatagramSocket upstream = new DatagramSocket(new InetSocketAddress(LOOPBACK, 0))) {
            CompletableFuture<Void> answering = CompletableFuture.runAsync(() -> {
                try {
                    DatagramPacket received = new DatagramPacket(new byte[2_000], 2_000);
                    upstream.receive(received);
                    upstream.send(new DatagramPacket(expected, expected.length, received.getSocketAddress()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            int port = start(each -> true, (InetSocketAddress) upstream.getLocalSocketAddress());
            assertThat(ask(port, query, 60_000)).isEqualTo(expected);
            answering.get();
        }

        byte[] failed = ask(start(each -> true), query, 60_000);
        assertThat(failed[3] & 0xf).isEqualTo(SERVER_FAILURE);
    }

    @Test
    void server_clientOutsideOfPodNetworks_getsNoAnswer() throws Exception {
        int port = start(each -> false);
        byte[] query = ClusterDnsTest.query("web.shop.svc.cluster.local", 1);
        assertThatThrownBy(() -> ask(port, query, 500)).isInstanceOf(SocketTimeoutException.class);
    }
}
