package dev.mooring.kernel;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** How long things took, by their kind. Half of them took less than what it prints. One thread. */
final class Measured {
    private static final PrintWriter OUT = new PrintWriter(System.out, true, StandardCharsets.UTF_8);

    /** More than chance and a machine with other work make of it. */
    private static final int MUCH = 5;

    private static final long SHORTEST_MILLIS = 100;

    private final Map<String, List<Long>> millis = new TreeMap<>();

    void add(String kind, Runnable doing) {
        long since = System.nanoTime();
        doing.run();
        millis.computeIfAbsent(kind, unused -> new ArrayList<>()).add(millisSince(since));
    }

    static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private long half(String kind) {
        List<Long> sorted = new ArrayList<>(millis.get(kind));
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    boolean isNotMuchSlowerThan(Measured before) {
        return millis.keySet().stream()
                .allMatch(kind -> half(kind) <= MUCH * Math.max(SHORTEST_MILLIS, before.half(kind)));
    }

    static void print(String words, Object... values) {
        OUT.printf("    " + words + "%n", values);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        millis.keySet()
                .forEach(kind -> text.append(text.isEmpty() ? "" : ", ")
                        .append(kind)
                        .append(' ')
                        .append(half(kind))
                        .append(" ms of ")
                        .append(millis.get(kind)));
        return text.toString();
    }
}
