package dev.mooring.node.network;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards TCP connections. Each side is read only as fast as the other side accepts data, and the end of the data of
 * one side is passed on while the other direction stays open. A connection keeps its backend until one side closes it.
 * Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the closed channel reports a failure
final class TcpProxy {
    private static final Logger LOG = LoggerFactory.getLogger(TcpProxy.class);

    private static final int CONNECT_MILLIS = 3_000;
    private static final int MAX_ATTEMPTS = 3;
    static final int MAX_CONNECTIONS = 8_192;
    static final int MAX_PER_CLIENT = 1_024;

    private final EventLoopGroup group;
    private final AtomicInteger connections = new AtomicInteger();
    private final Map<InetAddress, Integer> perClient = new ConcurrentHashMap<>();

    TcpProxy(EventLoopGroup group) {
        this.group = group;
    }

    /**
     * Starts to listen.
     *
     * @param permitted which clients are served; other connections are closed
     * @param backends returns the backends for a client, best first; called on an event loop
     */
    ChannelFuture listen(
            InetSocketAddress address,
            Predicate<InetAddress> permitted,
            Function<InetAddress, List<InetSocketAddress>> backends) {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel client) {
                        accept(client, address, permitted, backends);
                    }
                })
                .bind(address);
    }

    private void accept(
            SocketChannel client,
            InetSocketAddress address,
            Predicate<InetAddress> permitted,
            Function<InetAddress, List<InetSocketAddress>> backends) {
        InetSocketAddress remote = client.remoteAddress();
        if (remote == null || !permitted.test(remote.getAddress()) || !take(remote.getAddress())) {
            reset(client);
            return;
        }
        client.closeFuture().addListener(closed -> release(remote.getAddress()));
        List<InetSocketAddress> candidates = backends.apply(remote.getAddress());
        connect(client, address, candidates.subList(0, Math.min(MAX_ATTEMPTS, candidates.size())));
    }

    private boolean take(InetAddress client) {
        if (connections.incrementAndGet() > MAX_CONNECTIONS) {
            connections.decrementAndGet();
            LOG.warn("Connection limit reached; rejecting connection limit={}", MAX_CONNECTIONS);
            return false;
        }
        if (perClient.merge(client, 1, Integer::sum) > MAX_PER_CLIENT) {
            release(client);
            LOG.warn("Connection limit reached; rejecting connection client={} limit={}", client, MAX_PER_CLIENT);
            return false;
        }
        return true;
    }

    private void release(InetAddress client) {
        connections.decrementAndGet();
        perClient.computeIfPresent(client, (unused, count) -> count == 1 ? null : count - 1);
    }

    /** Returns the number of open connections. */
    int connections() {
        return connections.get();
    }

    /** Connects to the first backend that accepts; without one, the client's connection is reset. */
    private void connect(SocketChannel client, InetSocketAddress address, List<InetSocketAddress> backends) {
        if (backends.isEmpty()) {
            reset(client);
            return;
        }
        InetSocketAddress backend = backends.get(0);
        Bootstrap bootstrap = new Bootstrap()
                .group(client.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .handler(new Pipe(client));
        SocketAddress local = null;
        if (backend.getAddress().isLoopbackAddress() && !address.getAddress().isAnyLocalAddress()) {
            // A backend on loopback (the API) must not take the client for a process of this machine.
            local = new InetSocketAddress(address.getAddress(), 0);
        }
        ChannelFuture connecting = bootstrap.connect(backend, local);
        connecting.addListener(done -> {
            if (done.isSuccess()) {
                client.pipeline().addLast(new Pipe((DuplexChannel) connecting.channel()));
                client.read();
                connecting.channel().read();
            } else {
                LOG.debug("Failed to connect to endpoint {}", backend, done.cause());
                connect(client, address, backends.subList(1, backends.size()));
            }
        });
        client.closeFuture().addListener(closed -> connecting.channel().close());
    }

    private static void reset(SocketChannel client) {
        client.config().setSoLinger(0);
        client.close();
    }

    /** Writes everything that a channel receives to its peer. */
    private static final class Pipe extends ChannelInboundHandlerAdapter {
        private final DuplexChannel peer;

        Pipe(DuplexChannel peer) {
            this.peer = peer;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            Channel from = context.channel();
            peer.writeAndFlush(message).addListener(written -> {
                if (written.isSuccess()) {
                    from.read();
                } else {
                    from.close();
                }
            });
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                DuplexChannel from = (DuplexChannel) context.channel();
                // Behind everything that was written before.
                peer.writeAndFlush(Unpooled.EMPTY_BUFFER)
                        .addListener(flushed -> peer.shutdownOutput().addListener(ended -> {
                            if (from.isOutputShutdown()) {
                                from.close();
                                peer.close();
                            }
                        }));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            peer.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.debug("Connection failed", cause);
            context.close();
        }
    }
}
