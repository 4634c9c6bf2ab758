package dev.mooring.api.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates in {@code <data>/pki}: created at the first start, and renewed at a start if they expire soon or no
 * longer match the configured names.
 *
 * <ul>
 *   <li>{@code ca.pem} key and certificate of the authority (0600); {@code ca.crt} its certificate alone, for
 *   distribution
 *   <li>{@code server.pem} key and certificate of the server (0600)
 * </ul>
 */
public final class Pki {
    static final Duration AUTHORITY_LIFETIME = Duration.ofDays(3650);
    static final Duration SERVER_LIFETIME = Duration.ofDays(365);

    /** Remaining validity below which a certificate is replaced at the next start. */
    static final Duration RENEWAL = Duration.ofDays(30);

    private static final Logger LOG = LoggerFactory.getLogger(Pki.class);
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private final Path directory;
    private final Clock clock;
    private final CertificateIssuer issuer;

    public Pki(Path directory, Clock clock, SecureRandom random) {
        this.directory = directory;
        this.clock = clock;
        this.issuer = new CertificateIssuer(random);
    }

    /**
     * @param hosts every name and address that clients may use
     * @throws IOException with a message for the user
     */
    public ServerCertificate certificateFor(Collection<String> hosts) throws IOException {
        Set<String> names = hosts.stream().map(HostNames::normalize).collect(Collectors.toCollection(TreeSet::new));
        PrivateFiles.makeDirectory(directory);
        try {
            CertificateIssuer.KeyAndCertificate authority = authority();
            CertificateIssuer.KeyAndCertificate server = server(authority, names);
            return new ServerCertificate(
                    server.toPem(), Pem.of(authority.certificate()), namesOf(server.certificate()));
        } catch (GeneralSecurityException e) {
            throw new IOException("Failed to create certificates in " + directory + ": " + e.getMessage(), e);
        }
    }

    private CertificateIssuer.KeyAndCertificate authority() throws IOException, GeneralSecurityException {
        Path file = directory.resolve("ca.pem");
        Path copy = directory.resolve("ca.crt");
        Instant now = clock.instant();
        CertificateIssuer.KeyAndCertificate authority = Files.exists(file) ? read(file) : null;
        if (authority == null || !endsLaterThan(now.plus(RENEWAL), authority.certificate())) {
            authority = issuer.authority(now, AUTHORITY_LIFETIME);
            PrivateFiles.write(file, authority.toPem());
            Files.deleteIfExists(copy);
            LOG.atInfo()
                    .addKeyValue("file", file)
                    .addKeyValue(
                            "validUntil", authority.certificate().getNotAfter().toInstant())
                    .log("Created certificate authority; clients need the new kubeconfig");
        }
        if (!Files.exists(copy)) {
            PrivateFiles.writePublic(copy, Pem.of(authority.certificate()));
        }
        return authority;
    }

    private CertificateIssuer.KeyAndCertificate server(CertificateIssuer.KeyAndCertificate authority, Set<String> names)
            throws IOException, GeneralSecurityException {
        Path file = directory.resolve("server.pem");
        Instant now = clock.instant();
        if (Files.exists(file)) {
            CertificateIssuer.KeyAndCertificate server = read(file);
            if (fits(server.certificate(), authority, names, now)) {
                return server;
            }
        }
        CertificateIssuer.KeyAndCertificate server = issuer.server(authority, names, now, SERVER_LIFETIME);
        PrivateFiles.write(file, server.toPem());
        LOG.atInfo()
                .addKeyValue("file", file)
                .addKeyValue("names", names)
                .addKeyValue("validUntil", server.certificate().getNotAfter().toInstant())
                .log("Created server certificate");
        return server;
    }

    private static boolean fits(
            X509Certificate server, CertificateIssuer.KeyAndCertificate authority, Set<String> names, Instant now)
            throws GeneralSecurityException {
        return endsLaterThan(now.plus(RENEWAL), server)
                && !server.getNotBefore().toInstant().isAfter(now)
                && namesOf(server).containsAll(names)
                && isSignedBy(authority.certificate(), server);
    }

    private static boolean endsLaterThan(Instant time, X509Certificate certificate) {
        return certificate.getNotAfter().toInstant().isAfter(time);
    }

    private static boolean isSignedBy(X509Certificate authority, X509Certificate certificate) {
        try {
            certificate.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static CertificateIssuer.KeyAndCertificate read(Path file) throws IOException {
        try {
            return CertificateIssuer.KeyAndCertificate.fromPem(PrivateFiles.read(file));
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "Failed to read key and certificate in " + file + ": " + e.getMessage()
                            + "; next: restore it, or move it away to create a new one",
                    e);
        }
    }

    private static Set<String> namesOf(X509Certificate certificate) throws GeneralSecurityException {
        Collection<List<?>> entries = certificate.getSubjectAlternativeNames();
        return entries == null
                ? Set.of()
                : entries.stream()
                        .filter(entry ->
                                entry.get(0).equals(DNS_NAME) || entry.get(0).equals(IP_ADDRESS))
                        .map(entry -> HostNames.normalize((String) entry.get(1)))
                        .collect(Collectors.toSet());
    }
}
