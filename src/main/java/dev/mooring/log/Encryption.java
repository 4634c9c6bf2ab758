package dev.mooring.log;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts the content of Secrets in segments and snapshots with AES-256-GCM. In memory they are not encrypted. Immutable and thread-safe,
 * except that an instance of {@link #allowingMissingKeys} records which keys were missing.
 *
 * <pre>
 * encrypted content   key id u16 · key check u32 · nonce (12 bytes) · ciphertext and tag
 * </pre>
 *
 * <p>The authenticated data are the object's key and revision, so a ciphertext cannot be moved to another object or revision. The key
 * check distinguishes a wrong key from damage. Nonces are random: a key should be replaced before 2^32 encryptions.
 *
 * <p>The digest of the World is masked in commits and headers: the difference of two digests is a checksum of the objects between them,
 * with which a short password could be guessed.
 */
public final class Encryption {
    /** No encryption and no keys. */
    public static final Encryption NONE = new Encryption(List.of(), null, null);

    public static final int KEY_BYTES = 32;
    public static final int MAX_KEY_ID = 0xffff;

    private static final String ENCRYPTED_RESOURCE = "secrets";
    private static final String HMAC = "HmacSHA256";
    private static final int NONCE = 12;
    private static final int TAG = 16;
    private static final int ENVELOPE = 2 + 4 + NONCE;

    /** By how many bytes an encrypted content is longer than its plaintext. */
    static final int OVERHEAD = ENVELOPE + TAG;

    private static final int SHORT_MASK = 0xffff;

    /**
     * An operator's key with the keys derived from it, one for each use.
     *
     * @param check identifies the key without revealing it
     */
    private record Key(int id, SecretKey contents, SecretKey digests, int check) {}

    private final TreeMap<Integer, Key> keys = new TreeMap<>();
    private final Key primary;
    private final SecureRandom random;

    /** Ids of missing keys; null if a missing key is an error. */
    private final Set<Integer> missing;

    /**
     * A key given by the operator.
     *
     * @param id 1 to {@link #MAX_KEY_ID}
     * @param secret {@link #KEY_BYTES} random bytes
     */
    public record NamedKey(int id, SecretKey secret) {
        public static NamedKey of(int id, byte[] bytes) {
            if (id < 1 || id > MAX_KEY_ID || bytes.length != KEY_BYTES) {
                throw new IllegalArgumentException("Key id must be from 1 to " + MAX_KEY_ID + " and its key must have "
                        + KEY_BYTES + " bytes, got key " + id + " with " + bytes.length + " bytes");
            }
            return new NamedKey(id, new SecretKeySpec(bytes, HMAC));
        }
    }

    private Encryption(List<NamedKey> given, SecureRandom random, Set<Integer> missing) {
        for (NamedKey key : given) {
            keys.put(key.id(), derive(key));
        }
        this.primary = given.isEmpty() ? null : keys.get(given.get(0).id());
        this.random = random;
        this.missing = missing;
    }

    /**
     * Creates an encryption that encrypts with the first key and decrypts with all.
     *
     * @param given an empty list gives {@link #NONE}
     */
    public static Encryption with(List<NamedKey> given, SecureRandom random) {
        return given.isEmpty() ? NONE : new Encryption(given, random, null);
    }

    /**
     * Creates a read-only encryption that decrypts with the given keys, and substitutes a placeholder where the key is
     * missing.
     */
    public static Encryption allowingMissingKeys(List<NamedKey> given) {
        return new Encryption(given, null, new ConcurrentSkipListSet<>());
    }

    /** Creates an encryption that decrypts with the given keys and encrypts nothing. */
    public static Encryption decryptingOnly(List<NamedKey> given) {
        return new Encryption(given, null, null);
    }

    /** Returns the ids of keys that were missing so far, if missing keys are allowed. */
    public Set<Integer> missingKeys() {
        return missing == null ? Set.of() : new TreeSet<>(missing);
    }

    boolean isOn() {
        return primary != null && random != null;
    }

    /** Returns whether objects of this key are encrypted when encryption is on. */
    static boolean concerns(ObjectKey key) {
        return key.resource().equals(ENCRYPTED_RESOURCE);
    }

    boolean encrypts(ObjectKey key) {
        return isOn() && concerns(key);
    }

    /** Returns the id of the encrypting key; 0 if encryption is off. */
    public int keyId() {
        return isOn() ? primary.id() : 0;
    }

    /**
     * Returns the mark of the encrypting key for file headers: its id and a part of its check; 0 if encryption is off.
     */
    int keyMark() {
        return isOn() ? primary.check() << 16 | primary.id() : 0;
    }

    /** Returns the id in a {@linkplain #keyMark() mark}, after checking that this key is available. */
    int requireKey(int mark) throws EncryptionKeyException {
        int id = mark & SHORT_MASK;
        if (id != 0 && isKnown(id) && (keys.get(id).check() & SHORT_MASK) != mark >>> 16) {
            throw wrongKey(id);
        }
        return id;
    }

    byte[] encrypt(StoredObject object) {
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        ByteBuffer out = ByteBuffer.allocate(object.json().length + OVERHEAD);
        out.putShort((short) primary.id()).putInt(primary.check()).put(nonce);
        try {
            cipher(Cipher.ENCRYPT_MODE, primary, nonce, object.key(), object.revision())
                    .doFinal(ByteBuffer.wrap(object.json()), out);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Failed to encrypt " + object.key(), e);
        }
        return out.array();
    }

    /**
     * Decrypts the content of an object.
     *
     * @throws EncryptionKeyException if the key is not available
     * @throws AEADBadTagException if the content was not encrypted for this object and revision
     */
    byte[] decrypt(ObjectKey key, long revision, byte[] encrypted) throws EncryptionKeyException, AEADBadTagException {
        if (encrypted.length < OVERHEAD) {
            throw new AEADBadTagException();
        }
        ByteBuffer in = ByteBuffer.wrap(encrypted);
        int id = in.getShort() & SHORT_MASK;
        int check = in.getInt();
        if (!isKnown(id)) {
            return placeholder(key, revision, id, encrypted.length - OVERHEAD);
        }
        Key known = keys.get(id);
        if (known.check() != check) {
            throw wrongKey(id);
        }
        byte[] nonce = new byte[NONCE];
        in.get(nonce);
        try {
            return cipher(Cipher.DECRYPT_MODE, known, nonce, key, revision)
                    .doFinal(encrypted, ENVELOPE, encrypted.length - ENVELOPE);
        } catch (AEADBadTagException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Failed to decrypt " + key, e);
        }
    }

    /** Returns a digest of the World as stored. */
    long masked(long digest, long revision) {
        return isOn() ? digest ^ mask(primary, revision) : digest;
    }

    /** Reverts {@link #masked}. */
    long unmasked(int id, long stored, long revision) throws EncryptionKeyException {
        return id == 0 || !isKnown(id) ? stored : stored ^ mask(keys.get(id), revision);
    }

    private boolean isKnown(int id) throws EncryptionKeyException {
        if (keys.containsKey(id)) {
            return true;
        }
        if (missing == null) {
            throw new EncryptionKeyException("The log is encrypted with key " + id + ", but "
                    + (keys.isEmpty() ? "no key file was given" : "the key file has only " + keys.keySet())
                    + "; next: name a key file with key " + id + " (log.encryption.keyFile, or --key-file of mooring"
                    + " log)");
        }
        missing.add(id);
        return false;
    }

    private static EncryptionKeyException wrongKey(int id) {
        return new EncryptionKeyException("The log is encrypted with another key " + id
                + " than the one in the key file; next: put the right key under this id, or a new one under"
                + " another id");
    }

    /** Returns the content that replaces an object whose key is missing. */
    private static byte[] placeholder(ObjectKey key, long revision, int id, int bytes) {
        ObjectNode note = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = note.putObject("metadata").put("name", key.name());
        key.namespace().ifPresent(namespace -> metadata.put("namespace", namespace));
        metadata.put("resourceVersion", Long.toString(revision));
        note.putObject("encrypted").put("keyId", id).put("bytes", bytes);
        return note.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Cipher cipher(int mode, Key key, byte[] nonce, ObjectKey object, long revision)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key.contents(), new GCMParameterSpec(TAG * 8, nonce));
        cipher.updateAAD((object.text() + '\0' + revision).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    private static long mask(Key key, long revision) {
        byte[] text = ByteBuffer.allocate(Long.BYTES).putLong(revision).array();
        return ByteBuffer.wrap(hmac(key.digests(), text)).getLong();
    }

    private static Key derive(NamedKey given) {
        SecretKey root = given.secret();
        return new Key(
                given.id(),
                new SecretKeySpec(hmac(root, "mooring log contents"), "AES"),
                new SecretKeySpec(hmac(root, "mooring log digests"), HMAC),
                ByteBuffer.wrap(hmac(root, "mooring log key check")).getInt());
    }

    private static byte[] hmac(SecretKey key, String text) {
        return hmac(key, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] hmac(SecretKey key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-256 is not available", e);
        }
    }
}
