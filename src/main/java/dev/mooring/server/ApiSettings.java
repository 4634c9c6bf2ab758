package dev.mooring.server;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.auth.RateLimit;
import java.util.Optional;

/**
 * Rate limits and the listener without TLS.
 *
 * @param plainListen a loopback address; empty for no such listener
 * @param requestsPerSecond average rate per user, except admins
 * @param requestBurst burst per user, except admins
 */
public record ApiSettings(
        Optional<ListenAddress> plainListen, int requestsPerSecond, int requestBurst, ApiLimits limits) {
    /** Number of users with a stored rate limit; a forgotten user starts with a full bucket. */
    private static final int REMEMBERED_USERS = 10_000;

    public RateLimit.RateLimitSettings rate() {
        return new RateLimit.RateLimitSettings(requestsPerSecond, requestBurst, REMEMBERED_USERS);
    }
}
