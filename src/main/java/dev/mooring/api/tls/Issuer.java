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
 * Makes keys and X.509 v3 certificates: EC P-256, as every client understands it. The cryptography is the JDK's; only the
 * layout of the certificates (RFC 5280, section 4.1) is written here. Whatever is answered has been read back by the JDK's
 * parser. All randomness comes from the source handed in.
 */
final class Issuer {
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final String SIGNATURE_OID = "1.2.840.10045.4.3.2";
    private static final String COMMON_NAME = "2.5.4.3";
    private static final int VERSION_3 = 2; // counted from 0

    /** Clients whose clock is a little behind should trust a fresh certificate, too. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    private static final int SERIAL_BITS = 127; // positive and at most 20 bytes, as RFC 5280 wants it

    private final SecureRandom random;

    Issuer(SecureRandom random) {
        this.random = random;
    }

    KeyAndCertificate authority(Instant now, Duration lifetime) throws GeneralSecurityException {
        KeyPair keys = newKeys();
        byte[] id = new byte[4];
        random.nextBytes(id);
        // A name of its own: clients that saw another authority of this name would mix them up.
        byte[] name = name("mooring-ca-" + HexFormat.of().formatHex(id));
        byte[] extensions = Der.sequence(
                Extensions.lastAuthority(),
                Extensions.keyUsage(Extensions.SIGN_CERTIFICATES, Extensions.SIGN_REVOCATIONS),
                Extensions.subjectKeyIdentifier(keys.getPublic()));
        byte[] content = content(name, validity(now, now.plus(lifetime)), name, keys, extensions);
        return new KeyAndCertificate(keys.getPrivate(), sign(content, keys.getPrivate()));
    }

    /** The certificate never outlives the authority. */
    KeyAndCertificate server(KeyAndCertificate authority, Collection<String> names, Instant now, Duration lifetime)
            throws GeneralSecurityException {
        KeyPair keys = newKeys();
        X509Certificate ca = authority.certificate();
        byte[] issuer = ca.getSubjectX500Principal().getEncoded(); // byte for byte, as some clients compare
        Instant limit = ca.getNotAfter().toInstant();
        Instant end = now.plus(lifetime).isBefore(limit) ? now.plus(lifetime) : limit;
        byte[] extensions = Der.sequence(
                Extensions.noAuthority(),
                Extensions.keyUsage(Extensions.DIGITAL_SIGNATURE),
                Extensions.forServers(),
                Extensions.alternativeNames(names),
                Extensions.authorityKeyIdentifier(ca.getPublicKey()));
        byte[] content = content(issuer, validity(now, end), name("mooring"), keys, extensions);
        return new KeyAndCertificate(keys.getPrivate(), sign(content, authority.key()));
    }

    /** What is signed: a {@code TBSCertificate}. */
    private byte[] content(byte[] issuer, byte[] validity, byte[] subject, KeyPair keys, byte[] extensions) {
        BigInteger serial = new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE);
        return Der.sequence(
                Der.explicit(0, Der.integer(VERSION_3)),
                Der.integer(serial),
                signatureAlgorithm(),
                issuer,
                validity,
                subject,
                keys.getPublic().getEncoded(), // a SubjectPublicKeyInfo already
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
        return Der.sequence(Der.oid(SIGNATURE_OID)); // ECDSA has no parameters here, not even a NULL: RFC 5758
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
}
