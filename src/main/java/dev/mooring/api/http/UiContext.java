package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.auth.SignInCodes;
import dev.mooring.model.Json;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/**
 * State of the web page that all event loops share. Its limits are its own, because its clients have no token: they
 * cannot use up the limits of users.
 *
 * @param requests rate limit of each client address
 * @param signIns rate limit of each client address for sign-ins
 * @param unreadBytes bytes of large files that clients have not read yet
 * @param config content of {@code /ui/config.json}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never modified
public record UiContext(
        UiFiles files,
        SignInCodes codes,
        RateLimit requests,
        RateLimit signIns,
        SharedLimit unreadBytes,
        byte[] config) {
    private static final int MAX_ADDRESSES = 4096;
    private static final long MAX_UNREAD_BYTES = 16L * 1024 * 1024;
    private static final int ADDRESS_SHARE_PERCENT = 25;

    /**
     * @param host name that the page shows
     * @param chaos whether fault injection is enabled
     */
    public static UiContext of(SignInCodes codes, LongSupplier nanoTime, String version, String host, boolean chaos) {
        ObjectNode config = Json.MAPPER.createObjectNode();
        config.put("version", version).put("host", host).put("chaos", chaos);
        return new UiContext(
                new UiFiles(),
                codes,
                new RateLimit(new RateLimit.RateLimitSettings(200, 1000, MAX_ADDRESSES), nanoTime),
                new RateLimit(new RateLimit.RateLimitSettings(1, 20, MAX_ADDRESSES), nanoTime),
                new SharedLimit("bytes of unread files of the page", MAX_UNREAD_BYTES, ADDRESS_SHARE_PERCENT),
                config.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Creates a sign-in code and returns the path of the page that uses it. */
    public String link() {
        return UiHandler.ROOT + "#code=" + codes.issue();
    }
}
