package dev.mooring.node.container;

import dev.mooring.control.EventProposals;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.volumemanager.WorkContext;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Records Events about images on Pods, with the kubelet's messages. Does not retry Events that cannot be written. Any
 * thread.
 */
final class ImageEventRecorder {
    private static final int MILLIS_PER_SECOND = 1000;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int BYTES_PER_MIB = 1024 * 1024;
    private static final int HUNDRED = 100;

    private final String actor;
    private final WorkContext context;

    ImageEventRecorder(String actor, WorkContext context) {
        this.actor = actor;
        this.context = context;
    }

    void alreadyPresent(Pod pod, String image) {
        normal(pod, EventReasons.PULLED, "Container image \"" + image + "\" already present on machine");
    }

    void pulling(Pod pod, String image) {
        normal(pod, EventReasons.PULLING, "Pulling image \"" + image + '"');
    }

    void progress(Pod pod, String image, long done, long total) {
        String far = total > 0
                ? mebibytes(done) + " of " + mebibytes(total) + " (" + Math.min(HUNDRED, HUNDRED * done / total) + " %)"
                : mebibytes(done) + " so far";
        normal(pod, EventReasons.PULLING, "Pulling image \"" + image + "\": " + far);
    }

    void pulled(Pod pod, String image, ImagePuller.PullResult.Pulled done, Duration withWaiting) {
        normal(
                pod,
                EventReasons.PULLED,
                "Successfully pulled image \"" + image + "\" in " + text(done.took()) + " (" + text(withWaiting)
                        + " including waiting). Image size: " + done.image().bytes() + " bytes.");
    }

    /**
     * Records a failed pull.
     *
     * @param hint additional information; "" for none
     */
    void failedToPull(Pod pod, String image, String error, String hint) {
        warning(pod, EventReasons.FAILED, "Failed to pull image \"" + image + "\": " + error + hint);
    }

    void backOff(Pod pod, String image) {
        normal(pod, EventReasons.BACK_OFF, "Back-off pulling image \"" + image + '"');
    }

    /**
     * Records the error of a waiting container.
     *
     * @param reason of {@code state.waiting}
     */
    void error(Pod pod, String reason) {
        warning(pod, EventReasons.FAILED, "Error: " + reason);
    }

    void neverPulled(Pod pod, String message) {
        warning(pod, EventReasons.ERR_IMAGE_NEVER_PULL, message);
    }

    void inspectFailed(Pod pod, String message) {
        warning(pod, EventReasons.INSPECT_FAILED, message);
    }

    void unusableSecrets(Pod pod, PullSecrets secrets) {
        if (!secrets.missing().isEmpty()) {
            warning(
                    pod,
                    EventReasons.FAILED_TO_RETRIEVE_IMAGE_PULL_SECRET,
                    "Unable to retrieve some image pull secrets (" + String.join(", ", secrets.missing())
                            + "); attempting to pull the image may not succeed.");
        }
        List<String> unusable = secrets.unusable();
        if (!unusable.isEmpty()) {
            warning(
                    pod,
                    EventReasons.FAILED_TO_RETRIEVE_IMAGE_PULL_SECRET,
                    "Unable to use some image pull secrets (" + String.join(", ", unusable)
                            + "): they have no .dockerconfigjson or .dockercfg, or it is not valid"
                            + " JSON; attempting to pull the image may not succeed.");
        }
    }

    private void normal(Pod pod, String reason, String message) {
        record(pod, KubeEvent.Type.NORMAL, reason, message);
    }

    private void warning(Pod pod, String reason, String message) {
        record(pod, KubeEvent.Type.WARNING, reason, message);
    }

    private void record(Pod pod, KubeEvent.Type type, String reason, String message) {
        InvolvedObject involved = new InvolvedObject("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), "");
        EventProposals.recordEvent(
                        context.world().world(),
                        new KubeEvent(involved, type, reason, message, actor),
                        pod.cause(),
                        context.clock().instant())
                .ifPresent(context.world()::propose);
    }

    private static String mebibytes(long bytes) {
        return bytes / BYTES_PER_MIB + " MiB";
    }

    /** Formats a duration like Go, in milliseconds. */
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
