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
    private static final Instant CREATED = Instant.parse("2031-05-06T07:08:09Z");
    private static final List<String> HOSTS = List.of("localhost", "127.0.0.1", "::1", "MyHost");

    @TempDir
    private Path data;

    @Test
    void certificateFor_firstStart_createsAuthorityForTenYearsAndCertificateForOne() throws Exception {
        ServerCertificate issued = at(CREATED).certificateFor(HOSTS);

        X509Certificate authority = Pem.certificate(issued.authorityPem());
        X509Certificate server = Pem.certificate(issued.pem());
        assertThat(authority.getNotAfter().toInstant()).isEqualTo(CREATED.plus(Duration.ofDays(3650)));
        assertThat(authority.getBasicConstraints()).isZero();
        assertThat(server.getNotAfter().toInstant()).isEqualTo(CREATED.plus(Duration.ofDays(365)));
        assertThat(server.getBasicConstraints()).isEqualTo(-1);
        assertThat(server.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        server.verify(authority.getPublicKey());
        assertThat(issued.names()).containsExactlyInAnyOrder("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "myhost");
    }

    @Test
    void certificateFor_firstStart_makesPrivateKeysReadableByOwnerOnly() throws Exception {
        at(CREATED).certificateFor(HOSTS);

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
    void certificateFor_filesReadableByOthers_restrictsPermissions() throws Exception {
        at(CREATED).certificateFor(HOSTS);
        Files.setPosixFilePermissions(data.resolve("pki/ca.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(data.resolve("pki"), PosixFilePermissions.fromString("rwxr-xr-x"));

        at(CREATED).certificateFor(HOSTS);

        assertThat(mode("pki/ca.pem")).isEqualTo("rw-------");
        assertThat(mode("pki")).isEqualTo("rwx------");
    }

    @Test
    void certificateFor_stillValid_keepsAuthorityAndCertificate() throws Exception {
        ServerCertificate first = at(CREATED).certificateFor(HOSTS);
        ServerCertificate later = at(CREATED.plus(Duration.ofDays(334))).certificateFor(List.of("localhost"));

        assertThat(later.pem()).isEqualTo(first.pem());
        assertThat(later.authorityPem()).isEqualTo(first.authorityPem());
    }

    @Test
    void certificateFor_thirtyDaysBeforeExpiry_renewsCertificate() throws Exception {
        ServerCertificate first = at(CREATED).certificateFor(HOSTS);
        Instant renewal = CREATED.plus(Duration.ofDays(335));
        ServerCertificate later = at(renewal).certificateFor(HOSTS);

        assertThat(later.authorityPem()).isEqualTo(first.authorityPem());
        assertThat(Pem.certificate(later.pem()).getNotAfter().toInstant())
                .isEqualTo(renewal.plus(Duration.ofDays(365)));
        assertThat(at(renewal).certificateFor(HOSTS).pem()).isEqualTo(later.pem());
    }

    @Test
    void certificateFor_hostNameMissing_renewsCertificate() throws Exception {
        ServerCertificate first = at(CREATED).certificateFor(HOSTS);
        ServerCertificate later = at(CREATED).certificateFor(List.of("localhost", "192.0.2.7"));

        assertThat(later.authorityPem()).isEqualTo(first.authorityPem());
        assertThat(later.names()).containsExactlyInAnyOrder("localhost", "192.0.2.7");
    }

    @Test
    void certificateFor_authorityReplaced_renewsCertificate() throws Exception {
        at(CREATED).certificateFor(HOSTS);
        Files.delete(data.resolve("pki/ca.pem"));

        ServerCertificate later = at(CREATED).certificateFor(HOSTS);

        Pem.certificate(later.pem())
                .verify(Pem.certificate(later.authorityPem()).getPublicKey());
        assertThat(Files.readString(data.resolve("pki/ca.crt"))).isEqualTo(later.authorityPem());
    }

    @Test
    void certificateFor_authorityExpires_replacesItAndLimitsCertificate() throws Exception {
        ServerCertificate first = at(CREATED).certificateFor(HOSTS);
        ServerCertificate late = at(CREATED.plus(Duration.ofDays(3400))).certificateFor(HOSTS);
        ServerCertificate after = at(CREATED.plus(Duration.ofDays(3630))).certificateFor(HOSTS);

        assertThat(late.authorityPem()).isEqualTo(first.authorityPem());
        assertThat(Pem.certificate(late.pem()).getNotAfter())
                .isEqualTo(Pem.certificate(late.authorityPem()).getNotAfter());
        assertThat(after.authorityPem()).isNotEqualTo(first.authorityPem());
    }

    @Test
    void certificateFor_invalidFile_throwsWithFileName() throws Exception {
        at(CREATED).certificateFor(HOSTS);
        Files.writeString(data.resolve("pki/server.pem"), "nonsense");

        assertThatThrownBy(() -> at(CREATED).certificateFor(HOSTS))
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
