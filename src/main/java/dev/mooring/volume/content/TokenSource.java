package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** A token of the Pod's service account: {@code serviceAccountToken} of a projected volume. */
record TokenSource(String audience, long seconds, String path, int mode) implements ContentSource {
    private static final long AN_HOUR = 3600;

    /** Tokens are renewed after this share of their lifetime, as the kubelet does. */
    private static final int RENEWED_AT_PERCENT = 80;

    private static final Duration MAX_AGE = Duration.ofHours(24);

    static TokenSource projection(JsonNode source, int defaultMode) {
        return new TokenSource(
                source.path("audience").asText(""),
                source.path("expirationSeconds").asLong(AN_HOUR),
                source.path("path").asText(""),
                defaultMode);
    }

    /** Returns the age at which the token is renewed. */
    Duration renewal() {
        Duration share = Duration.ofSeconds(Math.max(1, seconds * RENEWED_AT_PERCENT / 100));
        return share.compareTo(MAX_AGE) < 0 ? share : MAX_AGE;
    }

    @Override
    public void describe(ContentContext context, ContentVersion version) {
        version.add(audience + '\0' + seconds + '\0' + path);
    }

    @Override
    public void collect(ContentContext context, Map<String, ContentFile> files) throws VolumeException {
        String token = context.tokens().issue(context.pod(), audience, seconds);
        files.put(path, new ContentFile(token.getBytes(StandardCharsets.UTF_8), mode));
    }
}
