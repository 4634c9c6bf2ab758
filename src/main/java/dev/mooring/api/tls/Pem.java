package dev.mooring.api.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Encodes and decodes keys and certificates as PEM. */
final class Pem {
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});
    private static final String KEY = "PRIVATE KEY";
    private static final String PUBLIC_KEY = "PUBLIC KEY";
    private static final String CERTIFICATE = "CERTIFICATE";

    private Pem() {}

    static String of(PrivateKey key) {
        return block(KEY, key.getEncoded());
    }

    static String of(PublicKey key) {
        return block(PUBLIC_KEY, key.getEncoded());
    }

    static String of(X509Certificate certificate) throws GeneralSecurityException {
        return block(CERTIFICATE, certificate.getEncoded());
    }

    /** Returns the first certificate in the text. */
    static X509Certificate certificate(String text) throws GeneralSecurityException {
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(content(text, CERTIFICATE)));
    }

    /** Returns the first elliptic-curve key in the text. */
    static PrivateKey key(String text) throws GeneralSecurityException {
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(content(text, KEY)));
    }

    /** Returns the first public elliptic-curve key in the text. */
    static PublicKey publicKey(String text) throws GeneralSecurityException {
        return KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(content(text, PUBLIC_KEY)));
    }

    private static String block(String type, byte[] content) {
        return "-----BEGIN " + type + "-----\n"
                + new String(LINES.encode(content), StandardCharsets.US_ASCII)
                + "\n-----END " + type + "-----\n";
    }

    private static byte[] content(String text, String type) throws GeneralSecurityException {
        Matcher block = Pattern.compile("-----BEGIN " + type + "-----([^-]*)-----END " + type + "-----")
                .matcher(text);
        if (!block.find()) {
            throw new GeneralSecurityException("it contains no " + type);
        }
        try {
            return Base64.getMimeDecoder().decode(block.group(1).trim());
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException(type + " is not base64", e);
        }
    }
}
