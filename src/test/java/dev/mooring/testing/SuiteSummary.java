package dev.mooring.testing;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Result of a run of the suite. A container that could not be set up counts as one failed test. */
record SuiteSummary(long passed, long failed, long skipped) {
    private static final Pattern LINE = Pattern.compile("(\\d+) passed, (\\d+) failed, (\\d+) skipped");

    /** Parses the result of {@link #line}; empty for any other line. */
    static Optional<SuiteSummary> parse(String line) {
        Matcher found = LINE.matcher(line.strip());
        return found.matches()
                ? Optional.of(new SuiteSummary(
                        Long.parseLong(found.group(1)), Long.parseLong(found.group(2)), Long.parseLong(found.group(3))))
                : Optional.empty();
    }

    boolean successful() {
        return failed == 0 && passed > 0;
    }

    SuiteSummary plus(SuiteSummary other) {
        return new SuiteSummary(passed + other.passed, failed + other.failed, skipped + other.skipped);
    }

    String line() {
        return passed + " passed, " + failed + " failed, " + skipped + " skipped";
    }
}
