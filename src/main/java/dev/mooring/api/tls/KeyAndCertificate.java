package dev.mooring.api.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/** A private key and its certificate. Stored in one file, so that a crash cannot leave a mismatched pair. */
record KeyAndCertificate(PrivateKey key, X509Certificate certificate) {
    static KeyAndCertificate fromPem(String pem) throws GeneralSecurityException {
        return new KeyAndCertificate(Pem.key(pem), Pem.certificate(pem));
    }

    String toPem() throws GeneralSecurityException {
        return Pem.of(key) + Pem.of(certificate);
    }
}
