package dev.mooring.node.network;

import dev.mooring.world.World;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A DNS server for Pods, by UDP and TCP: {@link ClusterDns} answers for Services, the machine's DNS servers for all
 * other names. Answers come from the newest World, so it has no state to lose. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the closed channel reports a failure
final class DnsServer implements AutoCloseable {
    static final int PORT = 53;
    private static final int FORWARD_SECONDS = 3;
    private static final int IDLE_SECONDS = 30;
    private static final int MAX_FORWARDED = 1_024;
    private static final int MAX_TCP_CLIENTS = 512;
    private static final int MAX_MESSAGE = 65_535;

    private final EventLoopGroup group;
    private final Supplier<World> world;
    private final Predicate<InetAddress> permitted;
    private final Supplier<List<InetSocketAddress>> upstream;
    private final AtomicInteger forwarded = new AtomicInteger();
    private final AtomicInteger tcpClients = new AtomicInteger();
    private Optional<Channel> udp = Optional.empty();
    private Optional<Channel> tcp = Optional.empty();

    /**
     * @param permitted which clients are answered
     * @param upstream the servers for other names, in the order in which they are asked
     */
    DnsServer(
            EventLoopGroup group,
            Supplier<World> world,
            Predicate<InetAddress> permitted,
            Supplier<List<InetSocketAddress>> upstream) {
        this.group = group;
        this.world = world;
        this.permitted = permitted;
        this.upstream = upstream;
    }

    /** Starts to listen unless it listens. Blocks; throws what binding throws. */
    synchronized void open(InetSocketAddress address) throws InterruptedException {
        if (udp.isEmpty()) {
            ChannelFuture bound = new Bootstrap()
                    .group(group)
                    .channel(NioDatagramChannel.class)
                    .handler(new UdpQueries())
                    .bind(address);
            udp = Optional.of(bound.sync().channel());
        }
        if (tcp.isEmpty()) {
            ChannelFuture bound = new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel client) {
                            acceptTcp(client);
                        }
                    })
                    .bind(new InetSocketAddress(address.getAddress(), udpPort()));
            tcp = Optional.of(bound.sync().channel());
        }
    }

    synchronized boolean isOpen() {
        return udp.isPresent() && tcp.isPresent();
    }

    /** Returns the bound port. */
    synchronized int udpPort() {
        return udp.map(each -> ((InetSocketAddress) each.localAddress()).getPort())
                .orElse(0);
    }

    @Override
    public synchronized void close() {
        udp.ifPresent(Channel::close);
        tcp.ifPresent(Channel::close);
        udp = Optional.empty();
        tcp = Optional.empty();
    }

    private void acceptTcp(SocketChannel client) {
        InetSocketAddress remote = client.remoteAddress();
        int open = tcpClients.incrementAndGet();
        client.closeFuture().addListener(closed -> tcpClients.decrementAndGet());
        if (remote == null || open > MAX_TCP_CLIENTS || !permitted.test(remote.getAddress())) {
            client.close();
            return;
        }
        client.pipeline()
                .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS))
                .addLast(new LengthFieldBasedFrameDecoder(MAX_MESSAGE, 0, 2, 0, 2))
                .addLast(new LengthFieldPrepender(2))
                .addLast(new TcpQueries());
    }

    private final class UdpQueries extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            InetSocketAddress client = packet.sender();
            if (permitted.test(client.getAddress())) {
                answer(
                        ByteBufUtil.getBytes(packet.content()),
                        true,
                        bytes -> context.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(bytes), client)));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // An ICMP error of an earlier answer; the socket stays usable.
        }
    }

    private final class TcpQueries extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf query) {
            answer(ByteBufUtil.getBytes(query), false, bytes -> context.writeAndFlush(Unpooled.wrappedBuffer(bytes)));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            context.close(); // idle
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private void answer(byte[] query, boolean overUdp, Consumer<byte[]> reply) {
        if (query.length < 12 || (query[2] & 0x80) != 0) {
            return; // not a query: an answer to it could make two servers answer each other
        }
        Optional<byte[]> own = ClusterDns.answer(world.get(), query, overUdp);
        if (own.isPresent()) {
            reply.accept(own.get());
        } else {
            forward(query, overUdp, upstream.get(), reply);
        }
    }

    /** Asks the servers one after the other; without an answer, the client gets SERVFAIL. */
    private void forward(byte[] query, boolean overUdp, List<InetSocketAddress> servers, Consumer<byte[]> reply) {
        if (servers.isEmpty() || forwarded.incrementAndGet() > MAX_FORWARDED) {
            if (!servers.isEmpty()) {
                forwarded.decrementAndGet();
            }
            reply.accept(ClusterDns.failure(query));
            return;
        }
        Forwarded handler = new Forwarded(query);
        ChannelFuture asking = new Bootstrap()
                .group(group)
                .channel(overUdp ? NioDatagramChannel.class : NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) TimeUnit.SECONDS.toMillis(FORWARD_SECONDS))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (!overUdp) {
                            channel.pipeline()
                                    .addLast(new LengthFieldBasedFrameDecoder(MAX_MESSAGE, 0, 2, 0, 2))
                                    .addLast(new LengthFieldPrepender(2));
                        }
                        channel.pipeline().addLast(handler);
                    }
                })
                .connect(servers.get(0));
        Channel channel = asking.channel();
        channel.eventLoop().schedule(() -> channel.close(), FORWARD_SECONDS, TimeUnit.SECONDS);
        asking.addListener(done -> {
            if (done.isSuccess()) {
                channel.writeAndFlush(Unpooled.wrappedBuffer(query));
            } else {
                channel.close();
            }
        });
        channel.closeFuture().addListener(closed -> {
            forwarded.decrementAndGet();
            if (handler.answer.isPresent()) {
                reply.accept(handler.answer.get());
            } else {
                forward(query, overUdp, servers.subList(1, servers.size()), reply);
            }
        });
    }

    /** Takes the first answer to a query and closes the channel. Used on one event loop. */
    private static final class Forwarded extends SimpleChannelInboundHandler<Object> {
        private final byte[] query;
        private Optional<byte[]> answer = Optional.empty();

        Forwarded(byte[] query) {
            this.query = query;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, Object message) {
            ByteBuf content = message instanceof DatagramPacket packet ? packet.content() : (ByteBuf) message;
            byte[] bytes = ByteBufUtil.getBytes(content);
            if (bytes.length >= 12 && bytes[0] == query[0] && bytes[1] == query[1]) {
                answer = Optional.of(bytes);
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
