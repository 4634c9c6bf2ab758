package dev.mooring.node.pods;

import dev.mooring.control.Backoff;
import dev.mooring.model.view.Pod;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The restart back-off of crashing containers, with the kubelet's delays. */
public final class CrashBackoff {
    /** The back-off resets for a container that ran this long. */
    static final Duration FORGOTTEN_AFTER = Backoff.CONTAINER.longest().multipliedBy(2);

    private static final Pattern DELAY = Pattern.compile("^back-off (?:(\\d{1,4})m)?(\\d{1,2})s ");

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

    /** Returns the delay in a {@link #message}, which the Pod's status has; empty if it is no such message. */
    public static Optional<Duration> delayIn(String message) {
        Matcher found = DELAY.matcher(message);
        if (!found.find()) {
            return Optional.empty();
        }
        long minutes = found.group(1) == null ? 0 : Long.parseLong(found.group(1));
        return Optional.of(Duration.ofMinutes(minutes).plusSeconds(Long.parseLong(found.group(2))));
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
