package dev.mooring.api.tls;

import dev.mooring.model.Digests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The keys that sign tokens of service accounts: elliptic-curve keys in files of mode 0600. Tokens of the previous key
 * stay valid after a rotation, which is renaming the file and restarting the server. Immutable.
 *
 * @param id of the key that signs
 * @param accepted public keys by id, that of the signing key first
 */
public record SigningKeys(KeyPair signing, String id, Map<String, PublicKey> accepted) {
    static final String FILE = "service-account.key";
    static final String PREVIOUS = "service-account.previous.key";

    /** Loads the keys of a directory; creates the signing key if there is none. */
    static SigningKeys load(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        try {
            if (!Files.exists(file)) {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec("secp256r1"));
                KeyPair made = generator.generateKeyPair();
                PrivateFiles.makeDirectory(directory);
                PrivateFiles.write(file, Pem.of(made.getPrivate()) + Pem.of(made.getPublic()));
            }
            KeyPair signing = read(file);
            Map<String, PublicKey> accepted = new LinkedHashMap<>();
            accepted.put(idOf(signing.getPublic()), signing.getPublic());
            Path previous = directory.resolve(PREVIOUS);
            if (Files.exists(previous)) {
                PublicKey old = read(previous).getPublic();
                accepted.put(idOf(old), old);
            }
            return new SigningKeys(signing, idOf(signing.getPublic()), accepted);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "Failed to read signing key " + file + ": " + e.getMessage()
                            + "; next: restore it, or move it away to create a new one, which invalidates the tokens"
                            + " of service accounts",
                    e);
        }
    }

    private static KeyPair read(Path file) throws IOException, GeneralSecurityException {
        String text = PrivateFiles.read(file);
        return new KeyPair(Pem.publicKey(text), Pem.key(text));
    }

    /** Returns the id as in kube-apiserver: the hash of the encoded key. */
    private static String idOf(PublicKey key) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Digests.newSha256().digest(key.getEncoded()));
    }

    @Override
    public String toString() {
        return "signing key " + id;
    }
}
