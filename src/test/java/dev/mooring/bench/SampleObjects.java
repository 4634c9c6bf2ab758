package dev.mooring.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import java.util.Locale;
import java.util.Random;

/** Typical claims, padded to a given size of JSON. */
final class SampleObjects {
    static final String RESOURCE = "persistentvolumeclaims";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int TYPICAL_REVISION = 500_000;

    private SampleObjects() {}

    static ObjectKey key(int number) {
        return ObjectKey.namespaced(RESOURCE, "team-" + number % 50, String.format(Locale.ROOT, "data-%06d", number));
    }

    /** Returns a claim whose JSON has {@code bytes} bytes with a revision of six digits. */
    static Draft draft(int number, int bytes, Random random) {
        ObjectKey key = key(number);
        int bare = Draft.of(key, claim(key, "")).at(TYPICAL_REVISION).json().length;
        if (bare > bytes) {
            throw new IllegalArgumentException("bytes must be at least " + bare + ", got " + bytes);
        }
        return Draft.of(key, claim(key, text(bytes - bare, random)));
    }

    private static ObjectNode claim(ObjectKey key, String note) {
        ObjectNode claim = MAPPER.createObjectNode();
        claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        ObjectNode metadata = claim.putObject("metadata").put("name", key.name());
        key.namespace().ifPresent(namespace -> metadata.put("namespace", namespace));
        metadata.putObject("annotations").put("note", note);
        claim.putObject("spec").put("volumeName", "pv");
        return claim;
    }

    private static String text(int length, Random random) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }
}
