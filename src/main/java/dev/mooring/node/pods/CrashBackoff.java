package dev.mooring.node.pods;

import dev.mooring.control.Backoff;
import dev.mooring.model.view.Pod;
import java.time.Duration;

/** The restart back-off of crashing containers, with the kubelet's delays. */
final class CrashBackoff {
    /** The back-off resets for a container that ran this long. */
    static final Duration FORGOTTEN_AFTER = Backoff.CONTAINER.longest().multipliedBy(2);

    private CrashBackoff() {}

    /**
     * Returns the delay.
     *
     * @param crashes number of consecutive crashes before
     */
    static Duration after(int crashes) {
        return crashes <= 0 ? Duration.ZERO : Backoff.CONTAINER.after(crashes);
    }

    static String message(int crashes, String container, Pod pod) {
        return "back-off " + text(after(crashes)) + " restarting failed container=" + container + " pod=" + name(pod);
    }

    /** Returns the Pod's name in the kubelet's message format. */
    static String name(Pod pod) {
        return pod.name() + '_' + pod.namespace() + '(' + pod.uid() + ')';
    }

    /** Formats a duration like Go. */
    private static String text(Duration duration) {
        long minutes = duration.toMinutes();
        return (minutes > 0 ? minutes + "m" : "") + duration.toSecondsPart() + 's';
    }
}
