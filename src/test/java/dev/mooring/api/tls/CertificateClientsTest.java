package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies issued certificates with Java's TLS and openssl. For kubectl see {@code ServerProcessTest}. */
class CertificateClientsTest {
    private static final Path OPENSSL = Path.of("/usr/bin/openssl");
    private static final List<String> HOSTS = List.of("localhost", "my-host.example", "192.0.2.7", "2001:db8::ff");
    private static final char[] PASSWORD = "unused".toCharArray();

    private CertificateIssuer.KeyAndCertificate authority;
    private CertificateIssuer.KeyAndCertificate server;

    @TempDir
    private Path directory;

    @BeforeEach
    void issue() throws GeneralSecurityException {
        CertificateIssuer issuer = new CertificateIssuer(new SecureRandom());
        Instant now = Instant.now(); // the clients use the real clock
        authority = issuer.authority(now, Duration.ofDays(1));
        server = issuer.server(authority, HOSTS, now, Duration.ofDays(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "my-host.example", "192.0.2.7", "2001:db8::ff"})
    void javaClient_hostOfCertificate_connects(String host) throws Exception {
        connect(host);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mooring", "other.example", "192.0.2.8", "2001:db8::1"})
    void javaClient_otherHost_failsHandshake(String host) {
        assertThatThrownBy(() -> connect(host))
                .isInstanceOf(SSLException.class)
                .hasMessageMatching("(?s).*(No subject alternative|No name matching).*");
    }

    @ParameterizedTest
    @CsvSource({
        "-verify_hostname, my-host.example",
        "-verify_hostname, localhost",
        "-verify_ip, 192.0.2.7",
        "-verify_ip, 2001:db8::ff"
    })
    void openssl_strictVerification_passes(String option, String host) throws Exception {
        String ca = write("ca.crt", Pem.of(authority.certificate()));
        String crt = write("server.crt", Pem.of(server.certificate()));

        assertThat(openssl("verify -x509_strict -check_ss_sig -purpose sslserver", option, host, "-CAfile", ca, crt))
                .endsWith(": OK\n");
    }

    @Test
    void openssl_textOutput_showsExpectedFields() throws Exception {
        String ca = write("ca.pem", authority.toPem());
        String pem = write("server.pem", server.toPem());

        assertThat(openssl("x509 -noout -text -in", pem))
                .contains("Version: 3 (0x2)", "ecdsa-with-SHA256", "prime256v1", "CA:FALSE", "Digital Signature")
                .contains("TLS Web Server Authentication", "X509v3 Authority Key Identifier")
                .contains("DNS:localhost, DNS:my-host.example, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:FF");
        assertThat(openssl("x509 -noout -text -in", ca))
                .contains("CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign", "X509v3 Subject Key Identifier");
        assertThat(openssl("pkey -noout -check -in", pem)).contains("Key is valid");
    }

    /** Does a TLS handshake as a client that trusts the authority and connects to that host name. */
    private void connect(String host) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        SSLContext context = context();
        try (SSLServerSocket listener =
                (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, loopback)) {
            CompletableFuture<Void> serverTask = CompletableFuture.runAsync(() -> {
                try (Socket accepted = listener.accept()) {
                    accepted.getOutputStream().write('!');
                } catch (IOException expected) {
                    // the client rejected the certificate and reports the failure itself
                }
            });
            try (Socket plain = new Socket(loopback, listener.getLocalPort());
                    SSLSocket client =
                            (SSLSocket) context.getSocketFactory().createSocket(plain, host, plain.getPort(), true)) {
                SSLParameters parameters = client.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                client.setSSLParameters(parameters);
                assertThat(client.getInputStream().read()).isEqualTo('!');
            }
            serverTask.join();
        }
    }

    private SSLContext context() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", server.key(), PASSWORD, new Certificate[] {server.certificate()});
        store.setCertificateEntry("authority", authority.certificate());
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private String write(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    private static String openssl(String options, String... more) throws Exception {
        assumeTrue(Files.isExecutable(OPENSSL), "openssl is not installed at " + OPENSSL);
        List<String> command = new ArrayList<>(List.of(OPENSSL.toString()));
        command.addAll(List.of(options.split(" ", -1)));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
