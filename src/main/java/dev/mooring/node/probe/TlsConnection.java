package dev.mooring.node.probe;

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A TLS connection on top of another connection. Does not verify certificates, like the kubelet's probes: containers
 * rarely have a verifiable one, and probes send no secrets.
 */
final class TlsConnection implements NetworkDialer.AsyncConnection {
    /** The error message for a server that responds in plain HTTP. */
    static final String PLAIN_HTTP = "http: server gave HTTP response to HTTPS client";

    private static final SSLContext CONTEXT = trustAllContext();

    private final NetworkDialer.AsyncConnection raw;
    private final SSLEngine engine;
    /** Received bytes that are not decoded yet; ready to be read from. */
    private ByteBuffer incoming = ByteBuffer.allocate(0);

    private TlsConnection(NetworkDialer.AsyncConnection raw, String host, int port) {
        this.raw = raw;
        this.engine = CONTEXT.createSSLEngine(host, port);
        engine.setUseClientMode(true);
    }

    /** Returns the connection when the handshake is complete. */
    static CompletableFuture<NetworkDialer.AsyncConnection> over(
            NetworkDialer.AsyncConnection raw, String host, int port) {
        TlsConnection connection = new TlsConnection(raw, host, port);
        return connection.start().thenApply(done -> connection);
    }

    private CompletableFuture<Void> start() {
        try {
            engine.beginHandshake();
            return handshake();
        } catch (SSLException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Void> handshake() {
        try {
            while (true) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK -> runTasks();
                    case NEED_WRAP -> {
                        return raw.write(wrap(ByteBuffer.allocate(0))).thenCompose(done -> handshake());
                    }
                    case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                        if (speaksHttp()) {
                            return CompletableFuture.failedFuture(new IOException(PLAIN_HTTP));
                        }
                        ByteBuffer none =
                                ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
                        if (engine.unwrap(incoming, none).getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                            return readMore()
                                    .thenCompose(came -> came
                                            ? handshake()
                                            : CompletableFuture.failedFuture(new EOFException("EOF")));
                        }
                        if (engine.isInboundDone()) {
                            return CompletableFuture.failedFuture(new EOFException("EOF"));
                        }
                    }
                    default -> {
                        return CompletableFuture.completedFuture(null);
                    }
                }
            }
        } catch (SSLException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns whether the received bytes are plain HTTP; no TLS record begins like this. */
    private boolean speaksHttp() {
        return StandardCharsets.ISO_8859_1
                .decode(incoming.duplicate())
                .toString()
                .startsWith("HTTP/");
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Reads more bytes; returns whether any arrived. */
    private CompletableFuture<Boolean> readMore() {
        return raw.read().thenApply(bytes -> {
            ByteBuffer all = ByteBuffer.allocate(incoming.remaining() + bytes.length);
            incoming = all.put(incoming).put(bytes).flip();
            return bytes.length > 0;
        });
    }

    private byte[] wrap(ByteBuffer plain) throws SSLException {
        ByteBuffer sealed =
                ByteBuffer.allocate(plain.remaining() + 2 * engine.getSession().getPacketBufferSize());
        do {
            SSLEngineResult result = engine.wrap(plain, sealed);
            if (result.getStatus() != SSLEngineResult.Status.OK && plain.hasRemaining()) {
                throw new SSLException("Cannot write: the connection is closed");
            }
        } while (plain.hasRemaining());
        byte[] bytes = new byte[sealed.flip().remaining()];
        sealed.get(bytes);
        return bytes;
    }

    @Override
    public CompletableFuture<Void> write(byte[] bytes) {
        try {
            return raw.write(wrap(ByteBuffer.wrap(bytes)));
        } catch (SSLException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<byte[]> read() {
        try {
            ByteBuffer plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
            while (!engine.isInboundDone()) {
                SSLEngineResult result = engine.unwrap(incoming, plain);
                runTasks();
                if (plain.position() > 0) {
                    byte[] bytes = new byte[plain.flip().remaining()];
                    plain.get(bytes);
                    return CompletableFuture.completedFuture(bytes);
                }
                if (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP) {
                    return raw.write(wrap(ByteBuffer.allocate(0))).thenCompose(done -> read());
                }
                if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                    // Many peers close the connection without close_notify.
                    return readMore()
                            .thenCompose(came -> came ? read() : CompletableFuture.completedFuture(new byte[0]));
                }
            }
            return CompletableFuture.completedFuture(new byte[0]);
        } catch (SSLException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        raw.close();
    }

    private static SSLContext trustAllContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustAllManager()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS is not available", e);
        }
    }

    private static final class TrustAllManager extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
