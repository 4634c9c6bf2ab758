package dev.mooring.api.tls;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.HexFormat;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Makes keys and certificates: EC P-256, as every client understands it. The cryptography is the JDK's; Bouncy Castle only
 * lays out the certificates, and its classes are loaded only when something is issued.
 */
final class Issuer {
    private static final String SIGNATURE = "SHA256withECDSA";

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
        X500Name name = new X500Name("CN=mooring-ca-" + HexFormat.of().formatHex(id));
        try {
            X509v3CertificateBuilder certificate = builder(name, name, keys, now, now.plus(lifetime));
            certificate.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            certificate.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            certificate.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(keys.getPublic()));
            return new KeyAndCertificate(keys.getPrivate(), sign(certificate, keys));
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    /** The certificate never outlives the authority. */
    KeyAndCertificate server(KeyAndCertificate authority, Collection<String> names, Instant now, Duration lifetime)
            throws GeneralSecurityException {
        KeyPair keys = newKeys();
        X509Certificate ca = authority.certificate();
        X500Name issuer = new X500Name(ca.getSubjectX500Principal().getName());
        Instant limit = ca.getNotAfter().toInstant();
        Instant end = now.plus(lifetime).isBefore(limit) ? now.plus(lifetime) : limit;
        JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
        try {
            X509v3CertificateBuilder certificate = builder(issuer, new X500Name("CN=mooring"), keys, now, end);
            certificate.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            certificate.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            certificate.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            certificate.addExtension(Extension.subjectAlternativeName, false, alternativeNames(names));
            certificate.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(ca.getPublicKey()));
            return new KeyAndCertificate(
                    keys.getPrivate(), sign(certificate, new KeyPair(ca.getPublicKey(), authority.key())));
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static GeneralNames alternativeNames(Collection<String> names) {
        return new GeneralNames(names.stream()
                .map(name ->
                        new GeneralName(HostNames.isAddress(name) ? GeneralName.iPAddress : GeneralName.dNSName, name))
                .toArray(GeneralName[]::new));
    }

    private X509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, KeyPair keys, Instant now, Instant end) {
        BigInteger serial = new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE);
        return new JcaX509v3CertificateBuilder(
                issuer, serial, Date.from(now.minus(CLOCK_SKEW)), Date.from(end), subject, keys.getPublic());
    }

    private X509Certificate sign(X509v3CertificateBuilder certificate, KeyPair issuer) throws GeneralSecurityException {
        try {
            ContentSigner signer = new JcaContentSignerBuilder(SIGNATURE)
                    .setSecureRandom(random)
                    .build(issuer.getPrivate());
            return new JcaX509CertificateConverter().getCertificate(certificate.build(signer));
        } catch (OperatorCreationException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        return generator.generateKeyPair();
    }
}
