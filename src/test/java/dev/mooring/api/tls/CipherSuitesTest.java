package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests handshakes of clients that support only some TLS versions and cipher suites. */
@Timeout(60)
class CipherSuitesTest {
    @TempDir
    private static Path data;

    private static Server server;

    @BeforeAll
    static void start() {
        server = ServerFixture.start(data);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void cbcSuites_areRefused() {
        assertThatThrownBy(() -> handshake("TLSv1.2", suites("_CBC_"))).isInstanceOf(SSLException.class);
    }

    @Test
    void suitesWithoutForwardSecrecy_areRefused() {
        assertThatThrownBy(() -> handshake("TLSv1.2", suites("TLS_RSA_"))).isInstanceOf(SSLException.class);
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2, _ECDHE_, GCM|CHACHA20", "TLSv1.3, TLS_AES_, GCM", "TLSv1.3, CHACHA20, CHACHA20"})
    void suitesWithForwardSecrecyAndAuthenticatedEncryption_areAccepted(String version, String offered, String chosen)
            throws IOException, GeneralSecurityException {
        assertThat(handshake(version, suites(offered))).containsPattern(chosen);
    }

    /** Returns the suites this Java supports, including those disabled by default. */
    private static String[] suites(String part) {
        try {
            String[] suites = Arrays.stream(
                            context().getSupportedSSLParameters().getCipherSuites())
                    .filter(suite -> suite.contains(part))
                    .toArray(String[]::new);
            assertThat(suites).isNotEmpty();
            return suites;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the negotiated cipher suite. */
    private static String handshake(String version, String... suites) throws IOException, GeneralSecurityException {
        int port = URI.create(server.url()).getPort();
        try (SSLSocket socket = (SSLSocket) context().getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            socket.setEnabledProtocols(new String[] {version});
            socket.setEnabledCipherSuites(suites);
            socket.startHandshake();
            return socket.getSession().getCipherSuite();
        }
    }

    /** Trusts every server, because only cipher suites are tested. */
    private static SSLContext context() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                null,
                new TrustManager[] {
                    new X509TrustManager() {
                        @Override
                        public void checkClientTrusted(X509Certificate[] chain, String type) {
                            throw new IllegalStateException("a client does not check clients");
                        }

                        @Override
                        public void checkServerTrusted(X509Certificate[] chain, String type) {
                            assertThat(chain).isNotEmpty();
                        }

                        @Override
                        public X509Certificate[] getAcceptedIssuers() {
                            return new X509Certificate[0];
                        }
                    }
                },
                new SecureRandom());
        return context;
    }
}
