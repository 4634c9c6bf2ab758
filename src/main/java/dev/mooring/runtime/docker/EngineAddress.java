package dev.mooring.runtime.docker;

import com.github.dockerjava.core.LocalDirectorySSLConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The address of an engine, as in {@code DOCKER_HOST} and {@code DOCKER_CERT_PATH}. */
final class EngineAddress {
    private static final Logger LOG = LoggerFactory.getLogger(EngineAddress.class);

    private final String host;
    private final TransportFactory dialer;

    private interface TransportFactory {
        Transport open() throws IOException;
    }

    private EngineAddress(String host, TransportFactory dialer) {
        this.host = host;
        this.dialer = dialer;
    }

    /**
     * Creates an address.
     *
     * @param host {@code unix:///path} or {@code tcp://host:port}
     * @param tlsDirectory with ca.pem, cert.pem and key.pem; empty: without TLS
     */
    static EngineAddress of(String host, Optional<Path> tlsDirectory) {
        if (host.startsWith("unix://")) {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(host.substring("unix://".length()));
            return new EngineAddress(
                    host, () -> new PlainTransport(address, SocketChannel.open(StandardProtocolFamily.UNIX)));
        }
        URI uri = URI.create(host);
        if (!"tcp".equals(uri.getScheme()) || uri.getHost() == null || uri.getPort() < 0) {
            throw new IllegalArgumentException("Engine address must be unix:///path or tcp://host:port, got " + host);
        }
        String name = uri.getHost().replaceAll("^\\[|\\]$", "");
        Optional<SSLContext> tls = tlsDirectory.map(EngineAddress::context);
        return new EngineAddress(host, () -> {
            // Resolved each time, because the address of a name may change.
            InetSocketAddress address = new InetSocketAddress(name, uri.getPort());
            if (address.isUnresolved()) {
                throw new IOException("lookup " + name + ": no such host");
            }
            SocketChannel channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return tls.<Transport>map(context -> new TlsTransport(address, context, channel))
                    .orElseGet(() -> new PlainTransport(address, channel));
        });
    }

    /** Creates a transport that is not connected yet. */
    Transport newTransport() throws IOException {
        return dialer.open();
    }

    @Override
    public String toString() {
        return host;
    }

    private static SSLContext context(Path directory) {
        for (String file : List.of("ca.pem", "cert.pem", "key.pem")) {
            if (!Files.isReadable(directory.resolve(file))) {
                throw new IllegalArgumentException(
                        directory + " must contain ca.pem, cert.pem and key.pem: cannot read " + file);
            }
        }
        try {
            return new LocalDirectorySSLConfig(directory.toString()).getSSLContext();
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "Cannot use the certificates and the key in " + directory + ": " + e.getMessage(), e);
        }
    }

    /** A transport over a Unix or TCP socket without TLS. */
    private static final class PlainTransport implements Transport {
        private final SocketAddress address;
        private final SocketChannel channel;

        PlainTransport(SocketAddress address, SocketChannel channel) {
            this.address = address;
            this.channel = channel;
        }

        @Override
        public void connect() throws IOException {
            channel.connect(address);
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            return channel.read(into);
        }

        @Override
        public void write(ByteBuffer from) throws IOException {
            int end = from.limit();
            while (from.position() < end) {
                from.limit(Math.min(end, from.position() + LARGEST_PIECE));
                channel.write(from);
            }
        }

        @Override
        public void endOutput() throws IOException {
            channel.shutdownOutput();
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("Failed to close connection to {}", address, e);
            }
        }
    }

    /**
     * A transport with mutual TLS that verifies the engine's host name.
     *
     * <p>Layered on a channel, which can be interrupted, and closed without waiting for a blocked writer, unlike an SSL
     * socket.
     */
    private static final class TlsTransport implements Transport {
        private final InetSocketAddress address;
        private final SSLContext context;
        private final SocketChannel channel;
        private volatile SSLSocket socket;

        TlsTransport(InetSocketAddress address, SSLContext context, SocketChannel channel) {
            this.address = address;
            this.context = context;
            this.channel = channel;
        }

        @Override
        public void connect() throws IOException {
            channel.connect(address);
            SSLSocket layered = (SSLSocket) context.getSocketFactory()
                    .createSocket(channel.socket(), address.getHostString(), address.getPort(), true);
            SSLParameters parameters = parameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            layered.setSSLParameters(parameters);
            layered.startHandshake();
            socket = layered;
        }

        /**
         * Uses the JDK's parameters: docker-java's context is limited to TLS 1.2, and only 1.3 supports a half-close.
         */
        private static SSLParameters parameters() throws IOException {
            try {
                return SSLContext.getDefault().getDefaultSSLParameters();
            } catch (NoSuchAlgorithmException e) {
                throw new IOException("TLS is not available: " + e.getMessage(), e);
            }
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            int count =
                    socket.getInputStream().read(into.array(), into.arrayOffset() + into.position(), into.remaining());
            if (count > 0) {
                into.position(into.position() + count);
            }
            return count;
        }

        @Override
        public void write(ByteBuffer from) throws IOException {
            socket.getOutputStream().write(from.array(), from.arrayOffset() + from.position(), from.remaining());
            from.position(from.limit());
        }

        @Override
        public void endOutput() throws IOException {
            socket.shutdownOutput();
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("Failed to close connection to {}", address, e);
            }
        }
    }
}
