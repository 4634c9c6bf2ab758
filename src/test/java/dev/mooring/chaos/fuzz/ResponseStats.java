package dev.mooring.chaos.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Statistics of responses. Thread-safe; every method takes the lock. */
final class ResponseStats {
    private static final int SLOWEST = 5;

    private record Timed(long millis, FuzzRequest call) {}

    private final Map<Integer, Long> codes = new TreeMap<>();
    private final Map<String, Map<String, Long>> methods = new TreeMap<>();
    private final List<Timed> slowest = new ArrayList<>();
    private long all;
    private long silent;

    synchronized void answered(FuzzRequest call, int code, long millis) {
        all++;
        codes.merge(code, 1L, Long::sum);
        methods.computeIfAbsent(family(call), key -> new TreeMap<>()).merge(code / 100 + "xx", 1L, Long::sum);
        timed(call, millis);
    }

    synchronized void silent(FuzzRequest call, long millis) {
        all++;
        silent++;
        timed(call, millis);
    }

    private void timed(FuzzRequest call, long millis) {
        if (slowest.size() < SLOWEST || millis > slowest.get(slowest.size() - 1).millis()) {
            slowest.add(new Timed(millis, call));
            slowest.sort((a, b) -> Long.compare(b.millis(), a.millis()));
            if (slowest.size() > SLOWEST) {
                slowest.remove(SLOWEST);
            }
        }
    }

    private static String family(FuzzRequest call) {
        String method = call.method();
        return switch (method) {
            case "GET", "POST", "PUT", "DELETE" -> method;
            case "PATCH" -> {
                String head = call.head();
                int type = head.indexOf("Content-Type: application/");
                yield type < 0 ? method : method + " " + head.substring(type + 26, type + 31);
            }
            default -> "other";
        };
    }

    synchronized long all() {
        return all;
    }

    /** Returns the percentage of responses whose status begins with this digit. */
    synchronized double share(int hundreds) {
        long count = codes.entrySet().stream()
                .filter(each -> each.getKey() / 100 == hundreds)
                .mapToLong(Map.Entry::getValue)
                .sum();
        return 100.0 * count / Math.max(1, all);
    }

    synchronized String report(long millis) {
        StringBuilder report = new StringBuilder();
        report.append(String.format(
                Locale.ROOT,
                "%d requests in %.1f s, %.0f a second; 2xx %.1f %%, 3xx %.1f %%, 4xx %.1f %%, 5xx %.1f %%, no response"
                        + " due %.1f %%%n",
                all,
                millis / 1000.0,
                all * 1000.0 / Math.max(1, millis),
                share(2),
                share(3),
                share(4),
                share(5),
                100.0 * silent / Math.max(1, all)));
        report.append("  codes ").append(codes).append('\n');
        methods.forEach((method, classes) -> report.append("  " + method + " " + classes + "\n"));
        slowest.forEach(each -> report.append("  " + each.millis() + " ms: number "
                + each.call().number() + ", "
                + each.call().head().lines().findFirst().orElse("") + "\n"));
        return report.toString();
    }
}
