package dev.mooring.node.pod;

import dev.mooring.model.view.Pod;
import java.time.Duration;

/** How long a container that ends too soon waits before it is begun anew: the kubelet's times. */
final class CrashBackoff {
    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final int DOUBLINGS = 5;

    /** A container that ran as long as this begins as if it were the first. */
    static final Duration FORGOTTEN_AFTER = LONGEST.multipliedBy(2);

    private CrashBackoff() {}

    /** @param setbacks how many in a row before */
    static Duration after(int setbacks) {
        if (setbacks <= 0) {
            return Duration.ZERO;
        }
        Duration wait = FIRST.multipliedBy(1L << Math.min(setbacks - 1, DOUBLINGS));
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    static String words(int setbacks, String container, Pod pod) {
        return "back-off " + text(after(setbacks)) + " restarting failed container=" + container + " pod=" + name(pod);
    }

    /** As the kubelet names a Pod in messages. */
    static String name(Pod pod) {
        return pod.name() + '_' + pod.namespace() + '(' + pod.uid() + ')';
    }

    /** As Go writes durations. */
    private static String text(Duration duration) {
        long minutes = duration.toMinutes();
        return (minutes > 0 ? minutes + "m" : "") + duration.toSecondsPart() + 's';
    }
}
