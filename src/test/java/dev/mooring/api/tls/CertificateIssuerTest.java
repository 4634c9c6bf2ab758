package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CertificateIssuerTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final List<String> HOSTS = List.of("localhost", "my-host.example", "192.0.2.7", "2001:db8::ff");

    private final Instant now = Instant.parse("2031-05-06T07:08:09.987Z");
    private final CertificateIssuer issuer = new CertificateIssuer(new SecureRandom());

    @Test
    void authority_hasCaFieldsAndSignsItself() throws Exception {
        CertificateIssuer.KeyAndCertificate issued = issuer.authority(now, DAY);
        X509Certificate authority = issued.certificate();

        requireCommonFields(authority);
        assertThat(authority.getSubjectX500Principal().getName()).matches("CN=mooring-ca-[0-9a-f]{8}");
        assertThat(authority.getIssuerX500Principal()).isEqualTo(authority.getSubjectX500Principal());
        assertThat(authority.getNotBefore()).isEqualTo("2031-05-06T07:03:09Z");
        assertThat(authority.getNotAfter()).isEqualTo("2031-05-07T07:08:09Z");
        assertThat(authority.getCriticalExtensionOIDs()).containsExactlyInAnyOrder("2.5.29.19", "2.5.29.15");
        assertThat(authority.getNonCriticalExtensionOIDs()).containsExactly("2.5.29.14");
        assertThat(authority.getBasicConstraints()).isZero();
        assertThat(setBits(authority.getKeyUsage())).containsExactly(5, 6);
        assertThat(extension(authority, "2.5.29.14")).isEqualTo("04160414" + keyHash(authority));
        authority.verify(authority.getPublicKey());
        requirePair(issued);
    }

    @Test
    void server_hasServerFieldsAndHosts() throws Exception {
        CertificateIssuer.KeyAndCertificate authority = issuer.authority(now, DAY.multipliedBy(9));
        CertificateIssuer.KeyAndCertificate issued = issuer.server(authority, HOSTS, now, DAY);
        X509Certificate server = issued.certificate();

        requireCommonFields(server);
        assertThat(server.getSubjectX500Principal().getName()).isEqualTo("CN=mooring");
        assertThat(server.getIssuerX500Principal().getEncoded())
                .isEqualTo(authority.certificate().getSubjectX500Principal().getEncoded());
        assertThat(server.getNotBefore()).isEqualTo("2031-05-06T07:03:09Z");
        assertThat(server.getNotAfter()).isEqualTo("2031-05-07T07:08:09Z");
        assertThat(server.getCriticalExtensionOIDs()).containsExactlyInAnyOrder("2.5.29.19", "2.5.29.15");
        assertThat(server.getNonCriticalExtensionOIDs())
                .containsExactlyInAnyOrder("2.5.29.37", "2.5.29.17", "2.5.29.35");
        assertThat(server.getBasicConstraints()).isEqualTo(-1);
        assertThat(setBits(server.getKeyUsage())).containsExactly(0);
        assertThat(server.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(server.getSubjectAlternativeNames())
                .<Object>map(name -> name.get(0) + " " + name.get(1))
                .containsExactly("2 localhost", "2 my-host.example", "7 192.0.2.7", "7 2001:db8:0:0:0:0:0:ff");
        assertThat(extension(server, "2.5.29.35")).isEqualTo("041830168014" + keyHash(authority.certificate()));
        requirePair(issued);
    }

    @Test
    void server_validLongerThanAuthority_isLimitedToItsEnd() throws Exception {
        CertificateIssuer.KeyAndCertificate authority = issuer.authority(now, DAY);

        X509Certificate server =
                issuer.server(authority, HOSTS, now, DAY.multipliedBy(2)).certificate();

        assertThat(server.getNotAfter()).isEqualTo(authority.certificate().getNotAfter());
    }

    @Test
    void server_chainOfAuthority_isValidOnlyForThatAuthorityAndTime() throws Exception {
        CertificateIssuer.KeyAndCertificate authority = issuer.authority(now, DAY);
        X509Certificate server = issuer.server(authority, HOSTS, now, DAY).certificate();

        requireChain(server, authority.certificate(), now);
        assertThatThrownBy(() -> requireChain(server, issuer.authority(now, DAY).certificate(), now))
                .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> requireChain(
                        server, authority.certificate(), now.plus(DAY).plusSeconds(1)))
                .isInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void authority_readFromPem_issuesValidCertificates() throws Exception {
        CertificateIssuer.KeyAndCertificate authority = CertificateIssuer.KeyAndCertificate.fromPem(
                issuer.authority(now, DAY).toPem());

        requirePair(authority);
        requireChain(issuer.server(authority, HOSTS, now, DAY).certificate(), authority.certificate(), now);
    }

    @Test
    void server_validAcrossYear2050_hasValidChain() throws Exception {
        Instant eve = Instant.parse("2049-12-31T23:59:59Z");
        CertificateIssuer.KeyAndCertificate authority = issuer.authority(eve, DAY);
        X509Certificate server = issuer.server(authority, HOSTS, eve, DAY).certificate();

        assertThat(server.getNotBefore()).isEqualTo("2049-12-31T23:54:59Z");
        assertThat(server.getNotAfter()).isEqualTo("2050-01-01T23:59:59Z");
        requireChain(server, authority.certificate(), Instant.parse("2050-01-01T00:00:00Z"));
    }

    @Test
    void authority_manyKeys_allVerify() throws Exception {
        // Lengths of serials, keys and signatures vary with their leading bits.
        for (int i = 0; i < 300; i++) {
            CertificateIssuer.KeyAndCertificate authority = issuer.authority(now, DAY);
            requireCommonFields(authority.certificate());
            authority.certificate().verify(authority.certificate().getPublicKey());
        }
    }

    private static void requireCommonFields(X509Certificate certificate) {
        assertThat(certificate.getVersion()).isEqualTo(3);
        assertThat(certificate.getSerialNumber()).isPositive();
        assertThat(certificate.getSerialNumber().bitLength()).isBetween(64, 159);
        assertThat(certificate.getSigAlgName()).isEqualTo("SHA256withECDSA");
        assertThat(certificate.getSigAlgParams()).isNull();
        assertThat(((ECPublicKey) certificate.getPublicKey()).getParams().toString())
                .contains("secp256r1");
    }

    private static void requirePair(CertificateIssuer.KeyAndCertificate pair) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.key());
        signature.update((byte) 1);
        byte[] signed = signature.sign();
        signature.initVerify(pair.certificate().getPublicKey());
        signature.update((byte) 1);
        assertThat(signature.verify(signed)).isTrue();
        assertThat(pair.key().getFormat()).isEqualTo("PKCS#8");
    }

    private static void requireChain(X509Certificate server, X509Certificate authority, Instant time)
            throws GeneralSecurityException {
        PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(authority, null)));
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(time));
        CertPathValidator.getInstance("PKIX")
                .validate(CertificateFactory.getInstance("X.509").generateCertPath(List.of(server)), parameters);
    }

    private static List<Integer> setBits(boolean[] usage) {
        return IntStream.range(0, usage.length)
                .filter(bit -> usage[bit])
                .boxed()
                .toList();
    }

    private static String extension(X509Certificate certificate, String oid) {
        return HexFormat.of().formatHex(certificate.getExtensionValue(oid));
    }

    /** Returns the SHA-1 of the uncompressed point, built from its coordinates. */
    private static String keyHash(X509Certificate certificate) throws GeneralSecurityException {
        ECPoint point = ((ECPublicKey) certificate.getPublicKey()).getW();
        String hex = "04%064x%064x".formatted(point.getAffineX(), point.getAffineY());
        byte[] hash = MessageDigest.getInstance("SHA-1").digest(HexFormat.of().parseHex(hex));
        return HexFormat.of().formatHex(hash);
    }
}
