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
 * The certificate extensions of RFC 5280, section 4.2.1, that Mooring's certificates have. Each method answers one whole
 * {@code Extension}. Those without which the certificate would be misunderstood are critical.
 */
final class Extensions {
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

    private Extensions() {}

    /** An authority that signs certificates, but no authorities. */
    static byte[] lastAuthority() {
        return critical(BASIC_CONSTRAINTS, Der.sequence(Der.bool(true), Der.integer(0)));
    }

    static byte[] noAuthority() {
        return critical(BASIC_CONSTRAINTS, Der.sequence()); // to be none is the default
    }

    static byte[] keyUsage(int... bits) {
        return critical(KEY_USAGE, Der.namedBits(bits));
    }

    static byte[] forServers() {
        return extension(EXTENDED_KEY_USAGE, Der.sequence(Der.oid(SERVER_AUTHENTICATION)));
    }

    /**
     * @param hosts DNS names and addresses, in the spelling of {@link HostNames#normal}
     */
    static byte[] alternativeNames(Collection<String> hosts) throws GeneralSecurityException {
        byte[][] names = new byte[hosts.size()][];
        int count = 0;
        for (String host : hosts) {
            // No certificate can hold a DNS name that is not ASCII. It gets a "?" rather than a byte over which strict
            // clients refuse the whole certificate: the other names are still good.
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

    /** The usual one, RFC 5280, 4.2.1.2 (1). SHA-1 is fine here: it finds a key, nothing trusts it. */
    private static byte[] identifier(PublicKey key) throws GeneralSecurityException {
        if (!(key instanceof ECPublicKey ec)) {
            throw new InvalidKeyException("Expected a key on an elliptic curve, but it is for " + key.getAlgorithm());
        }
        // The point, uncompressed (a byte 4, x, y), is the end of the encoded key, and all that is hashed.
        int coordinate = (ec.getParams().getCurve().getField().getFieldSize() + 7) / 8;
        byte[] encoded = key.getEncoded();
        byte[] point = Arrays.copyOfRange(encoded, encoded.length - 1 - 2 * coordinate, encoded.length);
        return MessageDigest.getInstance("SHA-1").digest(point);
    }

    /** Four or sixteen bytes. Looks nothing up: Java would ask the network about an address with a number above 255. */
    private static byte[] address(String host) throws GeneralSecurityException {
        try {
            boolean known = host.indexOf(':') >= 0
                    ? host.indexOf('%') < 0 // a scope means something on one machine only
                    : Arrays.stream(host.split("\\.")).allMatch(part -> Integer.parseInt(part) <= 255);
            if (known) {
                return InetAddress.getByName(host).getAddress();
            }
        } catch (UnknownHostException expected) {
            // said below
        }
        throw new GeneralSecurityException("\"" + host + "\" is no address that a certificate can hold");
    }
}
