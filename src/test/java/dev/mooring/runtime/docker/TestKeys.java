package dev.mooring.runtime.docker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed key for client and server: as PEM files with Docker's names, and as a server's TLS context. */
record TestKeys(Path directory, SSLContext server) {
    private static final String PASSWORD = "no-secret";

    static TestKeys in(Path directory, String name) throws IOException, InterruptedException, GeneralSecurityException {
        Files.createDirectories(directory);
        Path file = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=streams",
                        "-ext",
                        "san=" + name,
                        "-alias",
                        "own",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.log").toFile())
                .start();
        if (keytool.waitFor() != 0) {
            throw new IOException(Files.readString(directory.resolve("keytool.log"), StandardCharsets.UTF_8));
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        byte[] certificate = store.getCertificate("own").getEncoded();
        write(directory.resolve("ca.pem"), "CERTIFICATE", certificate);
        write(directory.resolve("cert.pem"), "CERTIFICATE", certificate);
        write(
                directory.resolve("key.pem"),
                "PRIVATE KEY",
                store.getKey("own", PASSWORD.toCharArray()).getEncoded());
        return new TestKeys(directory, context(store));
    }

    private static void write(Path file, String type, byte[] content) throws IOException {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n");
    }

    private static SSLContext context(KeyStore store) throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        try {
            trusted.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        trusted.setCertificateEntry("own", store.getCertificate("own"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
