package dev.mooring.api.http;

import dev.mooring.api.ApiLimits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks connections whose clients have not sent a valid token yet. A connection is counted when it is accepted, before
 * TLS, because each one costs a file descriptor. At the limit, each new connection closes the oldest one, so that a
 * client that can authenticate always gets in. A connection on which no request starts within the authentication
 * timeout is closed as well. Thread-safe; the lock is held for a few map operations.
 *
 * <p>Belongs to a Vert.x instance that was built with {@link #transport}, because an HTTP server does not see
 * connections before their TLS handshake.
 */
public final class AnonymousConnections {
    private static final Logger LOG = LoggerFactory.getLogger(AnonymousConnections.class);

    /** Both endpoints of an open connection. */
    private record ConnectionKey(String address, int port, String localAddress, int localPort) {
        static ConnectionKey of(InetSocketAddress remote, InetSocketAddress local) {
            return new ConnectionKey(
                    remote.getAddress().getHostAddress(),
                    remote.getPort(),
                    local.getAddress().getHostAddress(),
                    local.getPort());
        }

        static ConnectionKey of(HttpConnection connection) {
            return new ConnectionKey(
                    connection.remoteAddress().hostAddress(),
                    connection.remoteAddress().port(),
                    connection.localAddress().hostAddress(),
                    connection.localAddress().port());
        }
    }

    /** An open connection; guarded by the lock. */
    private static final class AnonymousConnection {
        private final Channel channel;
        private ScheduledFuture<?> deadline;
        private boolean used;

        /** Bytes received since the last request. */
        private long received;

        private AnonymousConnection(Channel channel) {
            this.channel = channel;
        }
    }

    /** Open connections, oldest first. */
    private final LinkedHashMap<ConnectionKey, AnonymousConnection> all = new LinkedHashMap<>();

    /** Open connections by client address, without loopback addresses. */
    private final Map<String, LinkedHashSet<ConnectionKey>> byAddress = new HashMap<>();

    private int maxConnections = Integer.MAX_VALUE;
    private int maxPerAddress = Integer.MAX_VALUE;
    private Duration timeout = Duration.ofHours(1);
    private long evicted;
    private boolean full;

    /** Bytes received on all connections since their last requests. */
    private long received;

    /** Returns the tracker of a Vert.x instance that was built with {@link #transport}. */
    static AnonymousConnections of(Vertx vertx) {
        if (((VertxInternal) vertx).transport() instanceof CountingTransport counting) {
            return counting.connections;
        }
        throw new IllegalArgumentException(
                "Vert.x must be built with the transport of AnonymousConnections; use withTransport");
    }

    /** Returns a transport to build a Vert.x instance with. */
    public static Transport transport() {
        CountingTransport counting = new CountingTransport(new AnonymousConnections());
        return new Transport() {
            @Override
            public String name() {
                return Transport.NIO.name();
            }

            @Override
            public boolean available() {
                return true;
            }

            @Override
            public Throwable unavailabilityCause() {
                return null;
            }

            @Override
            public io.vertx.core.spi.transport.Transport implementation() {
                return counting;
            }
        };
    }

    synchronized void setLimits(ApiLimits limits) {
        maxConnections = limits.anonymousConnections();
        maxPerAddress = limits.anonymousConnectionsPerAddress();
        timeout = limits.authenticationTimeout();
    }

    /** Returns how many connections were closed in favour of new ones. */
    synchronized long evicted() {
        return evicted;
    }

    /** Records that a request started on a connection. */
    synchronized void requestStarted(HttpConnection connection) {
        AnonymousConnection open = all.get(ConnectionKey.of(connection));
        if (open != null) {
            open.used = true;
            received -= open.received;
            open.received = 0;
        }
    }

    /** Stops tracking a connection whose client has sent a valid token. */
    void authenticated(HttpConnection connection) {
        remove(ConnectionKey.of(connection));
    }

    /** @param timer runs deadlines */
    private void accepted(Channel channel, EventExecutor timer) {
        if (channel.remoteAddress() instanceof InetSocketAddress remote
                && channel.localAddress() instanceof InetSocketAddress local) {
            ConnectionKey key = ConnectionKey.of(remote, local);
            add(key, new AnonymousConnection(channel), remote.getAddress().isLoopbackAddress(), timer)
                    .ifPresent(AnonymousConnections::close);
            channel.closeFuture().addListener(closed -> remove(key));
            channel.pipeline().addFirst(new ReceivedBytes(this, key));
        } // else it is already closed
    }

    /** Adds a connection and returns the one to close if the limit is exceeded. */
    private synchronized Optional<Channel> add(
            ConnectionKey key, AnonymousConnection open, boolean loopback, EventExecutor timer) {
        all.put(key, open);
        schedule(key, open, timer);
        Collection<ConnectionKey> among = all.keySet();
        int allowed = maxConnections;
        if (!loopback) {
            Set<ConnectionKey> same = byAddress.computeIfAbsent(key.address(), address -> new LinkedHashSet<>());
            same.add(key);
            if (same.size() > maxPerAddress) {
                among = same;
                allowed = maxPerAddress;
            }
        }
        if (among.size() <= allowed) {
            return Optional.empty();
        }
        evicted++;
        if (!full) {
            full = true;
            LOG.atWarn()
                    .addKeyValue("limit", allowed)
                    .addKeyValue("client", key.address())
                    .log("Anonymous connection limit reached; closing the oldest connection for each new one");
        }
        return remove(among.iterator().next());
    }

    /**
     * Counts bytes of a connection. A request line may be long, so a client whose bytes exceed the limit together with
     * those of all others is disconnected; small requests are exempt.
     *
     * @return whether the connection is still tracked
     */
    private boolean received(ConnectionKey key, int bytes) {
        Optional<Channel> exceeding = Optional.empty();
        synchronized (this) {
            AnonymousConnection open = all.get(key);
            if (open == null) {
                return false;
            }
            open.received += bytes;
            received += bytes;
            if (received > HttpLimits.ANONYMOUS_BYTES && open.received > HttpLimits.SMALL_BODY_BYTES) {
                evicted++;
                exceeding = remove(key);
            }
        }
        exceeding.ifPresent(AnonymousConnections::close);
        return exceeding.isEmpty();
    }

    private void schedule(ConnectionKey key, AnonymousConnection open, EventExecutor timer) {
        open.deadline = timer.schedule(
                () -> expired(key, open, timer).ifPresent(AnonymousConnections::close),
                timeout.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private synchronized Optional<Channel> expired(ConnectionKey key, AnonymousConnection open, EventExecutor timer) {
        if (all.get(key) != open) {
            return Optional.empty();
        }
        if (open.used) {
            open.used = false;
            schedule(key, open, timer);
            return Optional.empty();
        }
        return remove(key);
    }

    private synchronized Optional<Channel> remove(ConnectionKey key) {
        AnonymousConnection removed = all.remove(key);
        if (removed == null) {
            return Optional.empty();
        }
        removed.deadline.cancel(false);
        received -= removed.received;
        byAddress.computeIfPresent(key.address(), (address, same) -> {
            same.remove(key);
            return same.isEmpty() ? null : same;
        });
        full &= all.size() > maxConnections / 2;
        return Optional.of(removed.channel);
    }

    /** Closes the channel immediately: TLS and HTTP/2 would first wait for a client that may never respond. */
    private static void close(Channel channel) {
        if (channel.isRegistered()) {
            channel.eventLoop().execute(() -> channel.unsafe().close(channel.newPromise()));
        } else {
            channel.unsafe().closeForcibly();
        }
    }

    private static final class CountingTransport extends NioTransport {
        private final AnonymousConnections connections;

        private CountingTransport(AnonymousConnections connections) {
            this.connections = connections;
        }

        @Override
        public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
            super.configure(config, domainSocket, bootstrap);
            bootstrap.handler(new AcceptHandler(connections));
        }
    }

    /** Handler in the pipeline of a listening socket, whose messages are accepted connections. */
    @ChannelHandler.Sharable
    private static final class AcceptHandler extends ChannelInboundHandlerAdapter {
        private final AnonymousConnections connections;

        private AcceptHandler(AnonymousConnections connections) {
            this.connections = connections;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            connections.accepted((Channel) accepted, context.executor());
            context.fireChannelRead(accepted);
        }
    }

    /** Counts the bytes of a connection until its client has sent a valid token. */
    private static final class ReceivedBytes extends ChannelInboundHandlerAdapter {
        private final AnonymousConnections connections;
        private final ConnectionKey key;

        private ReceivedBytes(AnonymousConnections connections, ConnectionKey key) {
            this.connections = connections;
            this.key = key;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof ByteBuf bytes && !connections.received(key, bytes.readableBytes())) {
                context.pipeline().remove(this);
            }
            context.fireChannelRead(message);
        }
    }
}
