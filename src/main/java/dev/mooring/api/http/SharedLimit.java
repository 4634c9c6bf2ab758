package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.auth.User;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A limit that all users share, such as the number of open watches. Each non-admin user gets at most a share of it, and
 * the last sixteenth is reserved for admins, so that no user can starve another one and all users together cannot
 * starve an admin. Only tracks users that currently hold something. Thread-safe.
 */
public final class SharedLimit {
    private static final int RESERVE = 16;
    private static final int PERCENT = 100;
    private static final int RETRY_SECONDS = 5;

    private final String resourceName;
    private final long limit;
    private final long share;
    private final long reserve;
    private final Map<String, Long> heldByUser = new HashMap<>();
    private long total;

    /**
     * @param resourceName the limited resource, as error messages name it, such as
     *     {@code open watches (api.maxWatches)}
     * @param sharePercent of {@code limit}, for each user who is not an admin
     */
    public SharedLimit(String resourceName, long limit, int sharePercent) {
        this.resourceName = resourceName;
        this.limit = limit;
        this.share = Math.max(1, limit * sharePercent / PERCENT);
        this.reserve = limit / RESERVE;
    }

    /**
     * Acquires an amount for a user, which the caller must release.
     *
     * @return the error if it is refused; empty if it was acquired. A user who holds nothing is never refused for
     *     exceeding the share
     */
    public synchronized Optional<Status> acquire(User user, long amount) {
        long held = heldByUser.getOrDefault(user.name(), 0L);
        long open = user.isAdmin() ? limit : limit - reserve;
        if (!user.isAdmin() && held > 0 && held + amount > share) {
            return Optional.of(refusal("User \"" + user.name() + "\" has reached the limit of " + share + " "
                    + resourceName + " for one user; end some of them or try again later"));
        }
        if (total > 0 && total + amount > open) {
            return Optional.of(refusal("The server has reached the limit of " + open + " " + resourceName
                    + (user.isAdmin() ? "" : " for users who are not admins") + "; try again later"));
        }
        add(user, amount);
        return Optional.empty();
    }

    /**
     * Acquires an amount even if it exceeds the user's share.
     *
     * @return false, with nothing acquired, if it would exceed the limit of all users together
     */
    public synchronized boolean acquireBeyondShare(User user, long amount) {
        if (total > 0 && total + amount > limit) {
            return false;
        }
        add(user, amount);
        return true;
    }

    public synchronized void release(User user, long amount) {
        add(user, -amount);
    }

    public synchronized long total() {
        return total;
    }

    private void add(User user, long amount) {
        total += amount;
        heldByUser.merge(user.name(), amount, (before, more) -> before + more == 0 ? null : before + more);
    }

    private static Status refusal(String message) {
        return Status.tooManyRequests(message, RETRY_SECONDS);
    }
}
