package dev.mooring.cli.config;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.auth.RateLimit;
import java.util.Optional;

/**
 * Who may ask how often, and where clients without TLS find the API.
 *
 * @param plainListen an address of this machine itself; nothing for no such listener
 * @param requestsPerSecond of each user but admins, on average
 * @param requestBurst of each user but admins, at once
 */
public record ApiSettings(
        Optional<ListenAddress> plainListen, int requestsPerSecond, int requestBurst, ApiLimits limits) {
    /** More users than a few machines have; who is forgotten starts with a full bucket. */
    private static final int REMEMBERED_USERS = 10_000;

    public RateLimit.Settings rate() {
        return new RateLimit.Settings(requestsPerSecond, requestBurst, REMEMBERED_USERS);
    }
}
