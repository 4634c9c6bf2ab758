package dev.mooring.cli;

import io.vertx.core.Vertx;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.cert.CertificateFactory;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;

/**
 * Begins what every server needs while the command line is still being parsed: a Vert.x, and the JDK's cryptography, whose
 * first use is slow. Worth a fifth of the start-up time on two cores. If it turns out that no server is wanted, closing undoes
 * it.
 */
final class HeadStart implements AutoCloseable {
    private final CompletableFuture<Vertx> vertx = CompletableFuture.supplyAsync(Server::newVertx);
    private final CompletableFuture<Void> cryptography = CompletableFuture.runAsync(HeadStart::touchCryptography);
    private boolean taken;

    /** From now on the Vert.x belongs to the caller. */
    Vertx takeVertx() {
        taken = true;
        return vertx.join();
    }

    @Override
    public void close() {
        cryptography.join();
        if (!taken) {
            Await.result(vertx.join().close());
        }
    }

    private static void touchCryptography() {
        try {
            CertificateFactory.getInstance("X.509");
            KeyFactory.getInstance("EC");
            SSLContext.getDefault().createSSLEngine();
        } catch (GeneralSecurityException e) {
            // Whoever really needs it will say so, and say what for.
        }
    }
}
