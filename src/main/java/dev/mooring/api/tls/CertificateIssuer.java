package dev.mooring.api.tls;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;

/**
 * Creates keys and X.509 v3 certificates with EC P-256, which every client supports. The cryptography is the JDK's;
 * only the encoding of the certificates (RFC 5280, section 4.1) is implemented here. Every result is verified with the
 * JDK's parser. All randomness comes from the injected source.
 */
final class CertificateIssuer {
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final String SIGNATURE_OID = "1.2.840.10045.4.3.2";
    private static final String COMMON_NAME = "2.5.4.3";
    private static final int VERSION_3 = 2; // counted from 0

    /** Backdates certificates, so that clients whose clock is slightly behind accept a new one. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    private static final int SERIAL_BITS = 127; // positive and at most 20 bytes, as RFC 5280 requires

    private final SecureRandom random;

    CertificateIssuer(SecureRandom random) {
        this.random = random;
    }

    KeyAndCertificate authority(Instant now, Duration lifetime) throws GeneralSecurityException {
        KeyPair keys = newKeys();
        byte[] id = new byte[4];
        random.nextBytes(id);
        // A unique name: clients would confuse it with another authority of the same name.
        byte[] name = name("mooring-ca-" + HexFormat.of().formatHex(id));
        byte[] extensions = Der.sequence(
                CertificateExtensions.authorityConstraints(),
                CertificateExtensions.keyUsage(
                        CertificateExtensions.SIGN_CERTIFICATES, CertificateExtensions.SIGN_REVOCATIONS),
                CertificateExtensions.subjectKeyIdentifier(keys.getPublic()));
        byte[] content = content(name, validity(now, now.plus(lifetime)), name, keys, extensions);
        return new KeyAndCertificate(keys.getPrivate(), sign(content, keys.getPrivate()));
    }

    /** Creates a server certificate, which never outlives the authority. */
    KeyAndCertificate server(KeyAndCertificate authority, Collection<String> names, Instant now, Duration lifetime)
            throws GeneralSecurityException {
        KeyPair keys = newKeys();
        X509Certificate ca = authority.certificate();
        byte[] issuer = ca.getSubjectX500Principal().getEncoded(); // byte for byte, as some clients compare
        Instant limit = ca.getNotAfter().toInstant();
        Instant end = now.plus(lifetime).isBefore(limit) ? now.plus(lifetime) : limit;
        byte[] extensions = Der.sequence(
                CertificateExtensions.leafConstraints(),
                CertificateExtensions.keyUsage(CertificateExtensions.DIGITAL_SIGNATURE),
                CertificateExtensions.serverAuthUsage(),
                CertificateExtensions.alternativeNames(names),
                CertificateExtensions.authorityKeyIdentifier(ca.getPublicKey()));
        byte[] content = content(issuer, validity(now, end), name("mooring"), keys, extensions);
        return new KeyAndCertificate(keys.getPrivate(), sign(content, authority.key()));
    }

    /** Returns the signed part: a {@code TBSCertificate}. */
    private byte[] content(byte[] issuer, byte[] validity, byte[] subject, KeyPair keys, byte[] extensions) {
        BigInteger serial = new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE);
        return Der.sequence(
                Der.explicit(0, Der.integer(VERSION_3)),
                Der.integer(serial),
                signatureAlgorithm(),
                issuer,
                validity,
                subject,
                keys.getPublic().getEncoded(), // already a SubjectPublicKeyInfo
                Der.explicit(3, extensions));
    }

    private X509Certificate sign(byte[] content, PrivateKey key) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(SIGNATURE);
        signature.initSign(key, random);
        signature.update(content);
        byte[] certificate = Der.sequence(content, signatureAlgorithm(), Der.bits(signature.sign()));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate));
    }

    private static byte[] signatureAlgorithm() {
        return Der.sequence(Der.oid(SIGNATURE_OID)); // ECDSA has no parameters, not even a NULL: RFC 5758
    }

    private static byte[] validity(Instant now, Instant end) {
        return Der.sequence(Der.time(now.minus(CLOCK_SKEW)), Der.time(end));
    }

    private static byte[] name(String commonName) {
        return Der.sequence(Der.set(Der.sequence(Der.oid(COMMON_NAME), Der.utf8(commonName))));
    }

    private KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        return generator.generateKeyPair();
    }

    /** A private key and its certificate. Stored in one file, so that a crash cannot leave a mismatched pair. */
    record KeyAndCertificate(PrivateKey key, X509Certificate certificate) {
        static KeyAndCertificate fromPem(String pem) throws GeneralSecurityException {
            return new KeyAndCertificate(Pem.key(pem), Pem.certificate(pem));
        }

        String toPem() throws GeneralSecurityException {
            return Pem.of(key) + Pem.of(certificate);
        }
    }
}
