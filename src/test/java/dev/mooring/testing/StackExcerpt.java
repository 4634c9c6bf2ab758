package dev.mooring.testing;

import java.util.ArrayList;
import java.util.List;

/** A stack trace without the frames of JUnit and the JDK around the test: what a reader needs to find the line. */
final class StackExcerpt {

    private static final int MOST_FRAMES = 20;
    private static final int MOST_CAUSES = 5;
    private static final int MOST_LINES_OF_A_MESSAGE = 40;
    private static final int LONGEST_LINE = 500;

    private static final List<String> UNINTERESTING = List.of(
            "org.junit.",
            "net.jqwik.",
            "com.tngtech.archunit.junit.",
            "java.base/",
            "java.util.",
            "java.lang.",
            "jdk.");

    private StackExcerpt() {}

    static List<String> of(Throwable failure) {
        List<String> lines = new ArrayList<>();
        Throwable at = failure;
        for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
            addMessage((depth == 0 ? "" : "caused by ") + at, lines);
            addFrames(at, lines);
            for (Throwable suppressed : at.getSuppressed()) {
                addMessage("suppressed " + suppressed, lines);
                addFrames(suppressed, lines);
            }
            at = at.getCause();
        }
        return lines;
    }

    private static void addMessage(String message, List<String> lines) {
        List<String> all = message.lines().toList();
        all.stream()
                .limit(MOST_LINES_OF_A_MESSAGE)
                .map(line -> line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE) + " …")
                .forEach(lines::add);
        if (all.size() > MOST_LINES_OF_A_MESSAGE) {
            lines.add("… " + (all.size() - MOST_LINES_OF_A_MESSAGE) + " more lines");
        }
    }

    private static void addFrames(Throwable failure, List<String> lines) {
        int shown = 0;
        int left = 0;
        for (StackTraceElement frame : failure.getStackTrace()) {
            if (UNINTERESTING.stream().anyMatch(frame.getClassName()::startsWith)) {
                continue;
            }
            if (shown < MOST_FRAMES) {
                lines.add("  at " + frame);
                shown++;
            } else {
                left++;
            }
        }
        if (left > 0) {
            lines.add("  … " + left + " more");
        }
    }
}
