package dev.mooring.runtime.docker.stream;

import com.github.dockerjava.core.LocalDirectorySSLConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Where an engine is, as {@code DOCKER_HOST} and {@code DOCKER_CERT_PATH} say it. */
final class EngineAddress {
    private final String host;
    private final Dialer dialer;

    private interface Dialer {
        Wire wire() throws IOException;
    }

    private EngineAddress(String host, Dialer dialer) {
        this.host = host;
        this.dialer = dialer;
    }

    /**
     * @param host {@code unix:///path} or {@code tcp://host:port}
     * @param tlsDirectory with ca.pem, cert.pem and key.pem; nothing: without TLS
     */
    static EngineAddress of(String host, Optional<Path> tlsDirectory) {
        if (host.startsWith("unix://")) {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(host.substring("unix://".length()));
            return new EngineAddress(
                    host, () -> new PlainWire(address, SocketChannel.open(StandardProtocolFamily.UNIX)));
        }
        URI uri = URI.create(host);
        if (!"tcp".equals(uri.getScheme()) || uri.getHost() == null || uri.getPort() < 0) {
            throw new IllegalArgumentException("Expected unix:///path or tcp://host:port, but got " + host + ".");
        }
        String name = uri.getHost().replaceAll("^\\[|\\]$", "");
        Optional<SSLContext> tls = tlsDirectory.map(EngineAddress::context);
        return new EngineAddress(host, () -> {
            // Looked up each time: a name may move.
            InetSocketAddress address = new InetSocketAddress(name, uri.getPort());
            if (address.isUnresolved()) {
                throw new IOException("lookup " + name + ": no such host");
            }
            SocketChannel channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return tls.<Wire>map(context -> new TlsWire(address, context, channel))
                    .orElseGet(() -> new PlainWire(address, channel));
        });
    }

    /** Not connected yet. */
    Wire wire() throws IOException {
        return dialer.wire();
    }

    @Override
    public String toString() {
        return host;
    }

    private static SSLContext context(Path directory) {
        for (String file : List.of("ca.pem", "cert.pem", "key.pem")) {
            if (!Files.isReadable(directory.resolve(file))) {
                throw new IllegalArgumentException(
                        "Expected ca.pem, cert.pem and key.pem in " + directory + ", but cannot read " + file + ".");
            }
        }
        try {
            return new LocalDirectorySSLConfig(directory.toString()).getSSLContext();
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "Expected certificates and a key in " + directory + ", but they are of no use: " + e.getMessage(),
                    e);
        }
    }
}
