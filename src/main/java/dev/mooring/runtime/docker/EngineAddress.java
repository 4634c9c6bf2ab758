package dev.mooring.runtime.docker;

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

/** The address of an engine, as in {@code DOCKER_HOST} and {@code DOCKER_CERT_PATH}. */
final class EngineAddress {
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
}
