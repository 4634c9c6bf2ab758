package dev.mooring.runtime.docker.stream;

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
 * TLS with certificates on both ends, the engine's checked against its name.
 *
 * <p>Layered upon a channel: that can be interrupted, and closed without waiting for a thread that is stuck in writing, as a TLS socket of its own would.
 */
final class TlsWire implements Wire {
    private static final Logger LOG = LoggerFactory.getLogger(TlsWire.class);

    private final InetSocketAddress address;
    private final SSLContext context;
    private final SocketChannel channel;
    private volatile SSLSocket socket;

    TlsWire(InetSocketAddress address, SSLContext context, SocketChannel channel) {
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

    /** The machine's own: docker-java's context goes no further than 1.2, and only 1.3 can end one direction for good. */
    private static SSLParameters parameters() throws IOException {
        try {
            return SSLContext.getDefault().getDefaultSSLParameters();
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("There is no TLS here: " + e.getMessage(), e);
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
            LOG.debug("Closing the connection to {} failed", address, e);
        }
    }
}
