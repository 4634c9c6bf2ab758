package dev.mooring.runtime.docker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transport with mutual TLS that verifies the engine's host name.
 *
 * <p>Layered on a channel, which can be interrupted, and closed without waiting for a blocked writer, unlike an SSL
 * socket.
 */
final class TlsTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(TlsTransport.class);

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

    /** Uses the JDK's parameters: docker-java's context is limited to TLS 1.2, and only 1.3 supports a half-close. */
    private static SSLParameters parameters() throws IOException {
        try {
            return SSLContext.getDefault().getDefaultSSLParameters();
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("TLS is not available: " + e.getMessage(), e);
        }
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int count = socket.getInputStream().read(into.array(), into.arrayOffset() + into.position(), into.remaining());
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
