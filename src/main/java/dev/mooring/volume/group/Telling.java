package dev.mooring.volume.group;

import dev.mooring.volume.Ownership;
import dev.mooring.volume.Progress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Tells after half a minute, and then every minute, how far a walk has come. For one walk and its thread. */
final class Telling {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final String PODS = "/pods/";
    private static final String ADVICE = " is taking longer than expected, consider using OnRootMismatch -"
            + " https://kubernetes.io/docs/tasks/configure-pod-container/security-context/"
            + "#configure-volume-permission-and-ownership-change-policy-for-pods";

    /** The clock need not be asked for every file. */
    private static final int GLANCE = 64;

    private final String volume;
    private final Clock clock;
    private final Progress progress;
    private Instant next;
    private boolean advised;

    Telling(String root, Ownership ownership, Clock clock, Progress progress) {
        int pods = root.indexOf(PODS);
        this.volume = pods < 0 ? root : root.substring(pods + PODS.length());
        this.clock = clock;
        this.progress = progress;
        this.next = clock.instant().plus(PATIENCE);
        this.advised = ownership.when() == Ownership.When.ON_ROOT_MISMATCH;
    }

    /** As the kubelet names it: from the Pod's uid on, without where the node keeps it. */
    String volume() {
        return volume;
    }

    void seen(long files) {
        if (files % GLANCE != 0) {
            return;
        }
        Instant now = clock.instant();
        if (now.isBefore(next)) {
            return;
        }
        next = now.plus(INTERVAL);
        String doing = "Setting volume ownership for " + volume;
        if (!advised) {
            advised = true;
            progress.step("SettingOwnership", doing + ADVICE + ", processed " + files + " files.");
        } else {
            progress.step("SettingOwnership", doing + ", processed " + files + " files.");
        }
    }
}
