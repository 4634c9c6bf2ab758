package dev.mooring.node.image;

import dev.mooring.control.Notices;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.model.view.Pod;
import dev.mooring.node.work.WorkParts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Tells Pods, as Events in the kubelet's words, how it goes with their images. What cannot be told is not told again. Any thread. */
final class ImageTeller {
    private static final String FAILED = "Failed";
    private static final String SECRETS = "FailedToRetrieveImagePullSecret";
    private static final int MILLIS_PER_SECOND = 1000;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int BYTES_PER_MIB = 1024 * 1024;
    private static final int HUNDRED = 100;

    private final String actor;
    private final WorkParts parts;

    ImageTeller(String actor, WorkParts parts) {
        this.actor = actor;
        this.parts = parts;
    }

    void alreadyPresent(Pod pod, String image) {
        normal(pod, "Pulled", "Container image \"" + image + "\" already present on machine");
    }

    void pulling(Pod pod, String image) {
        normal(pod, "Pulling", "Pulling image \"" + image + '"');
    }

    void progress(Pod pod, String image, long done, long total) {
        String far = total > 0
                ? mebibytes(done) + " of " + mebibytes(total) + " (" + Math.min(HUNDRED, HUNDRED * done / total) + " %)"
                : mebibytes(done) + " so far";
        normal(pod, "Pulling", "Pulling image \"" + image + "\": " + far);
    }

    void pulled(Pod pod, String image, PullEnd.Done done, Duration withWaiting) {
        normal(
                pod,
                "Pulled",
                "Successfully pulled image \"" + image + "\" in " + text(done.took()) + " (" + text(withWaiting)
                        + " including waiting). Image size: " + done.image().bytes() + " bytes.");
    }

    /** @param remark what else there is to know; "" for nothing */
    void failedToPull(Pod pod, String image, String error, String remark) {
        warning(pod, FAILED, "Failed to pull image \"" + image + "\": " + error + remark);
    }

    void backOff(Pod pod, String image) {
        normal(pod, "BackOff", "Back-off pulling image \"" + image + '"');
    }

    /** @param reason of the container's waiting */
    void error(Pod pod, String reason) {
        warning(pod, FAILED, "Error: " + reason);
    }

    void neverPulled(Pod pod, String message) {
        warning(pod, "ErrImageNeverPull", message);
    }

    void inspectFailed(Pod pod, String message) {
        warning(pod, "InspectFailed", message);
    }

    void secrets(Pod pod, PullSecrets secrets) {
        if (!secrets.missing().isEmpty()) {
            warning(
                    pod,
                    SECRETS,
                    "Unable to retrieve some image pull secrets (" + String.join(", ", secrets.missing())
                            + "); attempting to pull the image may not succeed.");
        }
        List<String> unusable = secrets.unusable();
        if (!unusable.isEmpty()) {
            warning(
                    pod,
                    SECRETS,
                    "Unable to use some image pull secrets (" + String.join(", ", unusable)
                            + "): expected .dockerconfigjson or .dockercfg in them, but there is none or it is not"
                            + " JSON; attempting to pull the image may not succeed.");
        }
    }

    private void normal(Pod pod, String reason, String message) {
        tell(pod, Notice.Type.NORMAL, reason, message);
    }

    private void warning(Pod pod, String reason, String message) {
        tell(pod, Notice.Type.WARNING, reason, message);
    }

    private void tell(Pod pod, Notice.Type type, String reason, String message) {
        Involved involved = new Involved("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), "");
        Notices.tell(
                        parts.world().world(),
                        new Notice(involved, type, reason, message, actor),
                        pod.cause(),
                        parts.clock().instant())
                .ifPresent(parts.world()::propose);
    }

    private static String mebibytes(long bytes) {
        return bytes / BYTES_PER_MIB + " MiB";
    }

    /** As Go prints a duration, to the millisecond. */
    static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return "0s";
        }
        if (millis < MILLIS_PER_SECOND) {
            return millis + "ms";
        }
        long minutes = duration.toMinutes();
        String seconds = String.format(
                        Locale.ROOT,
                        "%.3f",
                        millis % (SECONDS_PER_MINUTE * MILLIS_PER_SECOND) / (double) MILLIS_PER_SECOND)
                .replaceFirst("\\.?0+$", "");
        String text = (seconds.isEmpty() ? "0" : seconds) + 's';
        if (minutes == 0) {
            return text;
        }
        long hours = duration.toHours();
        return (hours > 0 ? hours + "h" + minutes % SECONDS_PER_MINUTE : Long.toString(minutes)) + 'm' + text;
    }
}
