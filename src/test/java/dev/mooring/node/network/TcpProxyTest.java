package dev.mooring.node.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TcpProxyTest {
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final TcpProxy proxy = new TcpProxy(group);

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private InetSocketAddress listen(Predicate<InetAddress> permitted, InetSocketAddress... backends) {
        Channel channel = proxy.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), permitted, c -> List.of(backends))
                .syncUninterruptibly()
                .channel();
        return (InetSocketAddress) channel.localAddress();
    }

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    private static InetSocketAddress address(ServerSocket server) {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        return new Socket(address.getAddress(), address.getPort());
    }

    @Test
    void proxy_clientEndsItsData_backendAnswersAfterwards() throws Exception {
        try (ServerSocket backend = server()) {
            byte[] sent = new byte[3_000_000];
            new Random(7).nextBytes(sent);
            CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> {
                try (Socket connection = backend.accept()) {
                    byte[] all = connection.getInputStream().readAllBytes(); // returns when the client ends its data
                    connection.getOutputStream().write("got ".getBytes(StandardCharsets.UTF_8));
                    connection
                            .getOutputStream()
                            .write(Integer.toString(all.length).getBytes(StandardCharsets.UTF_8));
                    return all;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try (Socket client = connect(listen(each -> true, address(backend)))) {
                client.getOutputStream().write(sent);
                client.shutdownOutput();
                assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("got 3000000");
            }
            assertThat(received.get()).isEqualTo(sent);
        }
        while (proxy.connections() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void proxy_firstBackendRefuses_usesNext() throws Exception {
        ServerSocket gone = server();
        InetSocketAddress refused = address(gone);
        gone.close();
        try (ServerSocket backend = server();
                Socket client = connect(listen(each -> true, refused, address(backend)))) {
            try (Socket connection = backend.accept()) {
                connection.getOutputStream().write('x');
            }
            assertThat(client.getInputStream().readAllBytes()).containsExactly('x');
        }
    }

    @Test
    void proxy_noBackendOrForbiddenClient_resetsConnection() throws Exception {
        try (Socket client = connect(listen(each -> true))) {
            assertThatThrownBy(() -> read(client)).isInstanceOf(IOException.class);
        }
        try (ServerSocket backend = server();
                Socket client = connect(listen(each -> false, address(backend)))) {
            assertThatThrownBy(() -> read(client)).isInstanceOf(IOException.class);
        }
    }

    private static void read(Socket client) throws IOException {
        if (client.getInputStream().read() < 0) {
            throw new IOException("closed");
        }
    }
}
