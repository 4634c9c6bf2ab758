package dev.mooring.bench;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Baseline for watches: a client that sends a GET becomes a watcher, and each PATCH sends the same line to all
 * watchers, one chunk and one TLS record each. Uses the same TLS and transport as the server, on one event loop.
 * Arguments: a file with key and certificate, and the length of a line.
 */
public final class BaselineServer {
    private static final String WATCHED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String PATCHED = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private final List<Channel> watchers = new ArrayList<>();
    private final ByteBuf chunk;

    private BaselineServer(int lineLength) {
        String line = "x".repeat(lineLength - 1) + '\n';
        chunk = Unpooled.unreleasableBuffer(direct(Integer.toHexString(lineLength) + "\r\n" + line + "\r\n"));
    }

    public static void main(String[] args) throws Exception {
        File pem = new File(args[0]);
        SslContext tls = SslContextBuilder.forServer(pem, pem)
                .sslProvider(SslProvider.JDK)
                .build();
        BaselineServer bare = new BaselineServer(Integer.parseInt(args[1]));
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Channel listening = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel accepted) {
                        accepted.pipeline().addLast(tls.newHandler(accepted.alloc()), bare.new Requests());
                    }
                })
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        System.out.println(((InetSocketAddress) listening.localAddress()).getPort());
        System.out.flush();
        listening.closeFuture().sync();
    }

    private static ByteBuf direct(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return Unpooled.directBuffer(bytes.length).writeBytes(bytes);
    }

    /** Handles requests; those of the benchmark are short, so the first byte of each arrives first. */
    private final class Requests extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf in) {
            byte first = in.getByte(in.readerIndex());
            if (first == 'G') {
                watchers.add(context.channel());
                var unused = context.writeAndFlush(direct(WATCHED));
            } else if (first == 'P') {
                for (Channel watcher : watchers) {
                    var unused = watcher.writeAndFlush(chunk.duplicate(), watcher.voidPromise());
                }
                var unused = context.writeAndFlush(direct(PATCHED));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            watchers.remove(context.channel());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            var unused = context.close();
        }
    }
}
