package dev.mooring.api.auth;

import dev.mooring.model.Digests;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;

/**
 * One-time codes with which a browser signs in to the web page. A code has 160 random bits, is valid for
 * {@link #LIFETIME} and for one sign-in, and is kept only as a hash, in memory. Thread-safe.
 */
public final class SignInCodes {
    /** Validity of a code. */
    public static final Duration LIFETIME = Duration.ofMinutes(10);

    /** Maximum number of valid codes; a new one then replaces the oldest. */
    static final int MAX_CODES = 16;

    private static final int CODE_BYTES = 20;

    private final Clock clock;
    private final SecureRandom random;
    private final Deque<PendingCode> pending = new ArrayDeque<>();

    @SuppressWarnings("ArrayRecordComponent") // compared only with MessageDigest.isEqual
    private record PendingCode(byte[] sha256, Instant expires) {
        @Override
        public String toString() {
            return "sign-in code until " + expires;
        }
    }

    public SignInCodes(Clock clock, SecureRandom random) {
        this.clock = clock;
        this.random = random;
    }

    /** Creates a code and returns its text, which needs no escaping in a URL. */
    public String issue() {
        byte[] secret = new byte[CODE_BYTES];
        random.nextBytes(secret);
        String code = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        synchronized (pending) {
            removeExpired();
            if (pending.size() == MAX_CODES) {
                pending.removeFirst();
            }
            pending.addLast(
                    new PendingCode(Digests.sha256(code), clock.instant().plus(LIFETIME)));
        }
        return code;
    }

    /** Returns whether the code is valid, and makes it invalid. */
    public boolean redeem(String code) {
        byte[] sha256 = Digests.sha256(code);
        synchronized (pending) {
            removeExpired();
            return pending.removeIf(each -> MessageDigest.isEqual(each.sha256(), sha256));
        }
    }

    private void removeExpired() {
        Instant now = clock.instant();
        pending.removeIf(each -> !now.isBefore(each.expires()));
    }
}
