package dev.mooring.api.tls;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.util.Arrays;
import java.util.Collection;

/**
 * The X.509 extensions (RFC 5280, section 4.2.1) of Mooring's certificates. Each method returns one complete
 * {@code Extension}. Extensions that a verifier must not ignore are critical.
 */
final class CertificateExtensions {
    /** Bits of a key usage. */
    static final int DIGITAL_SIGNATURE = 0;

    static final int SIGN_CERTIFICATES = 5;
    static final int SIGN_REVOCATIONS = 6;

    private static final String SUBJECT_KEY_IDENTIFIER = "2.5.29.14";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String AUTHORITY_KEY_IDENTIFIER = "2.5.29.35";
    private static final String EXTENDED_KEY_USAGE = "2.5.29.37";
    private static final String SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";

    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private CertificateExtensions() {}

    /** Returns the constraints of an authority that may sign certificates, but no further authorities. */
    static byte[] authorityConstraints() {
        return critical(BASIC_CONSTRAINTS, Der.sequence(Der.bool(true), Der.integer(0)));
    }

    static byte[] leafConstraints() {
        return critical(BASIC_CONSTRAINTS, Der.sequence()); // the default is no authority
    }

    static byte[] keyUsage(int... bits) {
        return critical(KEY_USAGE, Der.namedBits(bits));
    }

    static byte[] serverAuthUsage() {
        return extension(EXTENDED_KEY_USAGE, Der.sequence(Der.oid(SERVER_AUTHENTICATION)));
    }

    /** @param hosts DNS names and addresses, as {@link HostNames#normalize} returns them */
    static byte[] alternativeNames(Collection<String> hosts) throws GeneralSecurityException {
        byte[][] names = new byte[hosts.size()][];
        int count = 0;
        for (String host : hosts) {
            // Certificates cannot contain non-ASCII DNS names. Such a character becomes "?", because strict clients
            // would reject the whole
            // certificate for an invalid byte, and the other names are still usable.
            names[count++] = HostNames.isAddress(host)
                    ? Der.implicit(IP_ADDRESS, address(host))
                    : Der.implicit(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII));
        }
        return extension(SUBJECT_ALTERNATIVE_NAME, Der.sequence(names));
    }

    static byte[] subjectKeyIdentifier(PublicKey key) throws GeneralSecurityException {
        return extension(SUBJECT_KEY_IDENTIFIER, Der.octets(identifier(key)));
    }

    static byte[] authorityKeyIdentifier(PublicKey key) throws GeneralSecurityException {
        return extension(AUTHORITY_KEY_IDENTIFIER, Der.sequence(Der.implicit(0, identifier(key))));
    }

    private static byte[] critical(String oid, byte[] value) {
        return Der.sequence(Der.oid(oid), Der.bool(true), Der.octets(value));
    }

    private static byte[] extension(String oid, byte[] value) {
        return Der.sequence(Der.oid(oid), Der.octets(value)); // not critical is the default
    }

    /** Returns the usual key identifier, RFC 5280, 4.2.1.2 (1). SHA-1 is sufficient: it only identifies a key. */
    private static byte[] identifier(PublicKey key) throws GeneralSecurityException {
        if (!(key instanceof ECPublicKey ec)) {
            throw new InvalidKeyException("Key must be on an elliptic curve, got " + key.getAlgorithm());
        }
        // The encoded key ends with the uncompressed point (a byte 4, x, y), which is all that is hashed.
        int coordinate = (ec.getParams().getCurve().getField().getFieldSize() + 7) / 8;
        byte[] encoded = key.getEncoded();
        byte[] point = Arrays.copyOfRange(encoded, encoded.length - 1 - 2 * coordinate, encoded.length);
        return MessageDigest.getInstance("SHA-1").digest(point);
    }

    /** Returns four or sixteen bytes. Never uses a resolver: Java would look up an address with a number above 255. */
    private static byte[] address(String host) throws GeneralSecurityException {
        try {
            boolean known = host.indexOf(':') >= 0
                    ? host.indexOf('%') < 0 // a scope is only valid on one host
                    : Arrays.stream(host.split("\\.")).allMatch(part -> Integer.parseInt(part) <= 255);
            if (known) {
                return InetAddress.getByName(host).getAddress();
            }
        } catch (UnknownHostException expected) {
            // reported below
        }
        throw new GeneralSecurityException("\"" + host + "\" is not a valid address for a certificate");
    }
}
