package dev.mooring.kernel;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Durations of operations by kind; prints the median. One thread. */
final class DurationStats {
    private static final PrintWriter OUT = new PrintWriter(System.out, true, StandardCharsets.UTF_8);

    /** Factor that random variation and other load of the machine do not explain. */
    private static final int MAX_FACTOR = 5;

    /** Below it, durations depend on the load of the machine. An operation that waits for a server takes far longer. */
    private static final long MIN_MILLIS = 2_000;

    private final Map<String, List<Long>> millis = new TreeMap<>();

    void add(String kind, Runnable operation) {
        long start = System.nanoTime();
        operation.run();
        millis.computeIfAbsent(kind, unused -> new ArrayList<>()).add(millisSince(start));
    }

    static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private long median(String kind) {
        List<Long> sorted = new ArrayList<>(millis.get(kind));
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    boolean isNotMuchSlowerThan(DurationStats before) {
        return millis.keySet().stream()
                .allMatch(kind -> median(kind) <= MAX_FACTOR * Math.max(MIN_MILLIS, before.median(kind)));
    }

    static void print(String format, Object... values) {
        OUT.printf("    " + format + "%n", values);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        millis.keySet()
                .forEach(kind -> text.append(text.isEmpty() ? "" : ", ")
                        .append(kind)
                        .append(' ')
                        .append(median(kind))
                        .append(" ms of ")
                        .append(millis.get(kind)));
        return text.toString();
    }
}
