package dev.mooring.api.tls;

import java.util.Set;

/**
 * The server's certificate, and the authority that clients need to trust it. Not a record, because its string form
 * would reveal the key.
 */
public final class ServerCertificate {
    private final String pem;
    private final String authorityPem;
    private final Set<String> names;

    ServerCertificate(String pem, String authorityPem, Set<String> names) {
        this.pem = pem;
        this.authorityPem = authorityPem;
        this.names = Set.copyOf(names);
    }

    /** Returns the private key and certificate. */
    public String pem() {
        return pem;
    }

    /** Returns the certificate of the authority that clients must trust; not a secret. */
    public String authorityPem() {
        return authorityPem;
    }

    /** Returns the hosts it is valid for, as {@link HostNames#normalize} returns them. */
    public Set<String> names() {
        return names;
    }
}
