package dev.mooring.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Formats a {@link Coverage} as one line for each fault. */
final class CoverageReport {
    private CoverageReport() {}

    static List<String> lines(Coverage coverage) {
        List<String> lines = new ArrayList<>();
        coverage.hits().forEach((fault, phases) -> {
            StringBuilder line = new StringBuilder("  ").append(fault).append(':');
            for (Map.Entry<String, Long> each : phases.entrySet()) {
                line.append(' ')
                        .append(each.getKey())
                        .append(' ')
                        .append(each.getValue())
                        .append(';');
            }
            lines.add(line.substring(0, line.length() - 1));
        });
        return lines;
    }
}
