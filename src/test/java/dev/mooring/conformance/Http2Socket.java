package dev.mooring.conformance;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** HTTP/2 client over TLS that sends arbitrary frames in any order, to simulate attacks. */
final class Http2Socket implements Closeable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;
    static final int INITIAL_WINDOW_SIZE = 4;
    private static final int PRIORITY_FLAG = 0x20;

    private final SSLSocket socket;
    private final DataInputStream in;
    private static final int RECEIVE_BYTES = 64 * 1024;

    private final OutputStream out;
    private final DefaultHttp2HeadersDecoder headers = new DefaultHttp2HeadersDecoder();

    /** A frame received from the server. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Frame(int type, int stream, byte[] payload) {}

    private Http2Socket(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** Opens a connection and sends the preface and settings. */
    static Http2Socket open(ApiUnderTest api, byte[] settings) throws IOException {
        Http2Socket opened = handshake(api);
        opened.out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        opened.send(frame(SETTINGS, 0, 0, settings));
        return opened;
    }

    /** Opens a TLS connection and sends nothing. */
    static Http2Socket handshake(ApiUnderTest api) throws IOException {
        Socket plain = new Socket();
        // Otherwise a machine with large buffers accepts megabytes of responses that the test does not read.
        plain.setReceiveBufferSize(RECEIVE_BYTES);
        plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port()));
        SSLSocket socket = (SSLSocket) api.tls().getSocketFactory().createSocket(plain, "127.0.0.1", api.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(90_000);
        socket.startHandshake();
        return new Http2Socket(socket);
    }

    /** Reads everything that arrives and returns whether the server then closes the connection. */
    boolean endsAfterReading() {
        byte[] unused = new byte[RECEIVE_BYTES];
        try {
            while (in.read(unused) >= 0) {
                // Discards the responses.
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // reset
        }
    }

    static byte[] setting(int id, int value) {
        return ByteBuffer.allocate(6).putShort((short) id).putInt(value).array();
    }

    static byte[] frame(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** Header block of a GET request, without compression. */
    static byte[] get(ApiUnderTest api, String path) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        header(block, ":method", "GET");
        header(block, ":scheme", "https");
        header(block, ":authority", "127.0.0.1:" + api.port());
        header(block, ":path", path);
        if (!api.token().isEmpty()) {
            header(block, "authorization", "Bearer " + api.token());
        }
        return block.toByteArray();
    }

    private static void header(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        block.write(name.length());
        block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        if (value.length() < 127) {
            block.write(value.length());
        } else {
            block.write(127);
            block.write((value.length() - 127) % 128 + (value.length() - 127 >= 128 ? 128 : 0));
            if (value.length() - 127 >= 128) {
                block.write((value.length() - 127) / 128);
            }
        }
        block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    void send(byte[]... frames) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            all.writeBytes(frame);
        }
        out.write(all.toByteArray());
        out.flush();
    }

    /** Reads the status code of the next response. */
    int status() throws IOException, Http2Exception {
        Frame frame = next();
        while (frame.type() != HEADERS) {
            frame = next();
        }
        return Integer.parseInt(headers.decodeHeaders(frame.stream(), Unpooled.wrappedBuffer(frame.payload()))
                .status()
                .toString());
    }

    private Frame next() throws IOException {
        int lengthAndType = in.readInt();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] payload = in.readNBytes(lengthAndType >>> 8);
        int type = lengthAndType & 0xff;
        boolean prioritized = type == HEADERS && (flags & PRIORITY_FLAG) != 0;
        return new Frame(type, stream, prioritized ? Arrays.copyOfRange(payload, 5, payload.length) : payload);
    }

    /** Reads and discards frames until the server closes the connection. */
    void awaitEnd() throws IOException {
        byte[] buffer = new byte[64 * 1024];
        try {
            while (in.read(buffer) >= 0) {
                // until the end
            }
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (SocketException | javax.net.ssl.SSLException e) {
            // reset, or closed without a TLS alert
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
