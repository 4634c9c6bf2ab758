package dev.mooring.api.tls;

import java.util.Set;

/** What the server shows to clients, and what clients need to believe it. No record: its text form would show the key. */
public final class ServerCertificate {
    private final String pem;
    private final String authorityPem;
    private final Set<String> names;

    ServerCertificate(String pem, String authorityPem, Set<String> names) {
        this.pem = pem;
        this.authorityPem = authorityPem;
        this.names = Set.copyOf(names);
    }

    /** Private key and certificate. */
    public String pem() {
        return pem;
    }

    /** The certificate of the authority that clients must trust; no secret. */
    public String authorityPem() {
        return authorityPem;
    }

    /** The hosts it stands for, in the spelling of {@link HostNames#normal}. */
    public Set<String> names() {
        return names;
    }
}
