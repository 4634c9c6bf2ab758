package dev.mooring.volume.subpath;

import dev.mooring.model.EventReasons;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.OperationProgress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Reports the progress of an ownership change after 30 seconds and then every minute. Used by one walk and its thread.
 */
final class OwnershipProgress {
    private static final Duration FIRST_REPORT_AFTER = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final String PODS = "/pods/";
    private static final String ADVICE = " is taking longer than expected, consider using OnRootMismatch -"
            + " https://kubernetes.io/docs/tasks/configure-pod-container/security-context/"
            + "#configure-volume-permission-and-ownership-change-policy-for-pods";

    /** Reads the clock once per this number of files. */
    private static final int FILES_PER_CLOCK_READ = 64;

    private final String volume;
    private final Clock clock;
    private final OperationProgress progress;
    private Instant next;
    private boolean advised;

    OwnershipProgress(String root, FsGroup ownership, Clock clock, OperationProgress progress) {
        int pods = root.indexOf(PODS);
        this.volume = pods < 0 ? root : root.substring(pods + PODS.length());
        this.clock = clock;
        this.progress = progress;
        this.next = clock.instant().plus(FIRST_REPORT_AFTER);
        this.advised = ownership.changePolicy() == FsGroup.FsGroupChangePolicy.ON_ROOT_MISMATCH;
    }

    /** Returns the volume's path from the Pod's uid on, as the kubelet reports it. */
    String volume() {
        return volume;
    }

    void filesSeen(long files) {
        if (files % FILES_PER_CLOCK_READ != 0) {
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
            progress.report(EventReasons.SETTING_OWNERSHIP, doing + ADVICE + ", processed " + files + " files.");
        } else {
            progress.report(EventReasons.SETTING_OWNERSHIP, doing + ", processed " + files + " files.");
        }
    }
}
