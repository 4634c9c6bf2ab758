package dev.mooring.runtime.docker;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A transport over a Unix or TCP socket without TLS. */
final class PlainTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(PlainTransport.class);

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
