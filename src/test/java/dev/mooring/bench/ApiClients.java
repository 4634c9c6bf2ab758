package dev.mooring.bench;

import dev.mooring.cli.ServerAccess;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Opens TLS connections to a server, all on one event loop. Uses Netty without an HTTP client: the load generator takes
 * CPU time from the server.
 */
final class ApiClients implements AutoCloseable {
    private static final int HANDSHAKE_SECONDS = 30;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, (ThreadFactory) task -> RunningLedger.daemon(task, "bench-api-clients"), NioIoHandler.newFactory());
    private final SslContext tls;
    private final String host;

    ApiClients(ServerAccess access) throws IOException {
        host = access.server().getHost();
        tls = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(new ByteArrayInputStream(access.authorityPem().getBytes(StandardCharsets.US_ASCII)))
                .build();
    }

    /** Returns the event loop of all connections. */
    Executor loop() {
        return group;
    }

    /** Opens a connection; returns after the TLS handshake. */
    Channel connect(int port, ChannelHandler handler) throws InterruptedException {
        Channel channel = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel opened) {
                        opened.pipeline().addLast(tls.newHandler(opened.alloc(), host, port), handler);
                    }
                })
                .connect(host, port)
                .sync()
                .channel();
        channel.pipeline().get(SslHandler.class).handshakeFuture().sync();
        return channel;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, HANDSHAKE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
