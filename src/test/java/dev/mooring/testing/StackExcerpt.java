package dev.mooring.testing;

import java.util.ArrayList;
import java.util.List;

/** Formats a stack trace without the frames of JUnit and the JDK around the test. */
final class StackExcerpt {

    private static final int MAX_FRAMES = 20;
    private static final int MAX_CAUSES = 5;
    private static final int MAX_MESSAGE_LINES = 40;
    private static final int MAX_LINE_LENGTH = 500;

    private static final List<String> OMITTED_PACKAGES = List.of(
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
        for (int depth = 0; at != null && depth < MAX_CAUSES; depth++) {
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
                .limit(MAX_MESSAGE_LINES)
                .map(line -> line.length() <= MAX_LINE_LENGTH ? line : line.substring(0, MAX_LINE_LENGTH) + " …")
                .forEach(lines::add);
        if (all.size() > MAX_MESSAGE_LINES) {
            lines.add("… " + (all.size() - MAX_MESSAGE_LINES) + " more lines");
        }
    }

    private static void addFrames(Throwable failure, List<String> lines) {
        int shown = 0;
        int omitted = 0;
        for (StackTraceElement frame : failure.getStackTrace()) {
            if (OMITTED_PACKAGES.stream().anyMatch(frame.getClassName()::startsWith)) {
                continue;
            }
            if (shown < MAX_FRAMES) {
                lines.add("  at " + frame);
                shown++;
            } else {
                omitted++;
            }
        }
        if (omitted > 0) {
            lines.add("  … " + omitted + " more");
        }
    }
}
