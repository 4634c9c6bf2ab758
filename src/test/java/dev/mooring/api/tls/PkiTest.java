package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PkiTest {
    private static final Instant BIRTH = Instant.parse("2031-05-06T07:08:09Z");
    private static final List<String> HOSTS = List.of("localhost", "127.0.0.1", "::1", "MyHost");

    @TempDir
    private Path data;

    @Test
    void shouldMakeAnAuthorityForTenYearsAndACertificateForOne() throws Exception {
        ServerCertificate made = at(BIRTH).certificateFor(HOSTS);

        X509Certificate authority = Pem.certificate(made.authorityPem());
        X509Certificate server = Pem.certificate(made.pem());
        assertThat(authority.getNotAfter().toInstant()).isEqualTo(BIRTH.plus(Duration.ofDays(3650)));
        assertThat(authority.getBasicConstraints()).isZero();
        assertThat(server.getNotAfter().toInstant()).isEqualTo(BIRTH.plus(Duration.ofDays(365)));
        assertThat(server.getBasicConstraints()).isEqualTo(-1);
        assertThat(server.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        server.verify(authority.getPublicKey());
        assertThat(made.names()).containsExactlyInAnyOrder("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "myhost");
    }

    @Test
    void shouldKeepSecretsForTheirOwner() throws Exception {
        at(BIRTH).certificateFor(HOSTS);

        assertThat(mode("pki")).isEqualTo("rwx------");
        assertThat(mode("pki/ca.pem")).isEqualTo("rw-------");
        assertThat(mode("pki/server.pem")).isEqualTo("rw-------");
        assertThat(mode("pki/ca.crt")).isEqualTo("rw-r--r--");
        assertThat(Files.readString(data.resolve("pki/ca.crt"))).doesNotContain("PRIVATE");
        try (var files = Files.list(data.resolve("pki"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("ca.pem", "ca.crt", "server.pem");
        }
    }

    @Test
    void shouldTightenWhatOthersCouldRead() throws Exception {
        at(BIRTH).certificateFor(HOSTS);
        Files.setPosixFilePermissions(data.resolve("pki/ca.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(data.resolve("pki"), PosixFilePermissions.fromString("rwxr-xr-x"));

        at(BIRTH).certificateFor(HOSTS);

        assertThat(mode("pki/ca.pem")).isEqualTo("rw-------");
        assertThat(mode("pki")).isEqualTo("rwx------");
    }

    @Test
    void shouldKeepBothWhileTheyFit() throws Exception {
        ServerCertificate first = at(BIRTH).certificateFor(HOSTS);
        ServerCertificate later = at(BIRTH.plus(Duration.ofDays(334))).certificateFor(List.of("localhost"));

        assertThat(later.pem()).isEqualTo(first.pem());
        assertThat(later.authorityPem()).isEqualTo(first.authorityPem());
    }

    @Test
    void shouldRenewTheCertificateThirtyDaysBeforeItsEnd() throws Exception {
        ServerCertificate first = at(BIRTH).certificateFor(HOSTS);
        Instant renewal = BIRTH.plus(Duration.ofDays(335));
        ServerCertificate later = at(renewal).certificateFor(HOSTS);

        assertThat(later.authorityPem()).isEqualTo(first.authorityPem());
        assertThat(Pem.certificate(later.pem()).getNotAfter().toInstant())
                .isEqualTo(renewal.plus(Duration.ofDays(365)));
        assertThat(at(renewal).certificateFor(HOSTS).pem()).isEqualTo(later.pem());
    }

    @Test
    void shouldRenewTheCertificateWhenANameIsMissing() throws Exception {
        ServerCertificate first = at(BIRTH).certificateFor(HOSTS);
        ServerCertificate later = at(BIRTH).certificateFor(List.of("localhost", "192.0.2.7"));

        assertThat(later.authorityPem()).isEqualTo(first.authorityPem());
        assertThat(later.names()).containsExactlyInAnyOrder("localhost", "192.0.2.7");
    }

    @Test
    void shouldRenewTheCertificateWhenAnotherAuthoritySignedIt() throws Exception {
        at(BIRTH).certificateFor(HOSTS);
        Files.delete(data.resolve("pki/ca.pem"));

        ServerCertificate later = at(BIRTH).certificateFor(HOSTS);

        Pem.certificate(later.pem())
                .verify(Pem.certificate(later.authorityPem()).getPublicKey());
        assertThat(Files.readString(data.resolve("pki/ca.crt"))).isEqualTo(later.authorityPem());
    }

    @Test
    void shouldReplaceAnAuthorityAtItsEndAndNeverOutliveIt() throws Exception {
        ServerCertificate first = at(BIRTH).certificateFor(HOSTS);
        ServerCertificate late = at(BIRTH.plus(Duration.ofDays(3400))).certificateFor(HOSTS);
        ServerCertificate after = at(BIRTH.plus(Duration.ofDays(3630))).certificateFor(HOSTS);

        assertThat(late.authorityPem()).isEqualTo(first.authorityPem());
        assertThat(Pem.certificate(late.pem()).getNotAfter())
                .isEqualTo(Pem.certificate(late.authorityPem()).getNotAfter());
        assertThat(after.authorityPem()).isNotEqualTo(first.authorityPem());
    }

    @Test
    void shouldSayWhichFileIsBroken() throws Exception {
        at(BIRTH).certificateFor(HOSTS);
        Files.writeString(data.resolve("pki/server.pem"), "nonsense");

        assertThatThrownBy(() -> at(BIRTH).certificateFor(HOSTS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("server.pem")
                .hasMessageContaining("next:");
    }

    private Pki at(Instant now) {
        return new Pki(data.resolve("pki"), Clock.fixed(now, ZoneOffset.UTC), new SecureRandom());
    }

    private String mode(String path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve(path)));
    }
}
