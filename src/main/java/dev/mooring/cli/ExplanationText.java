package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.table.AgeFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Formats an explanation for people: state, one sentence, the tree of findings, and the next steps. Immutable.
 *
 * @param width of a line; longer ones are wrapped at spaces, except commands
 */
record ExplanationText(int width, boolean hasColor) {
    private static final Map<String, String> MARKS = Map.of("ok", "✓", "info", "·", "waiting", "…", "failed", "✗");
    private static final Map<String, String> COLORS =
            Map.of("ok", "\u001b[32m", "info", "\u001b[2m", "waiting", "\u001b[33m", "failed", "\u001b[31m");
    private static final String PLAIN = "\u001b[0m";

    /** Narrow text is unreadable; a terminal that is narrower wraps by itself. */
    private static final int MIN_WIDTH = 40;

    String of(JsonNode explanation) {
        StringBuilder text = new StringBuilder();
        JsonNode object = explanation.path("object");
        Instant time = Instant.parse(explanation.path("time").asText());
        JsonNode root = explanation.path("root");
        String namespace = object.path("namespace").asText("");
        text.append(TextColumns.clean(object.path("kind").asText()
                        + ' '
                        + (namespace.isEmpty() ? "" : namespace + '/')
                        + object.path("name").asText()))
                .append(": ")
                .append(colored(
                        explanation.path("state").asText(),
                        root.path("severity").asText()))
                .append(" (revision ")
                .append(explanation.path("revision").asText())
                .append(", ")
                .append(time)
                .append(")\n");
        append(text, "", "", explanation.path("summary").asText());
        text.append('\n');
        appendFinding(text, root, "", "", time);
        if (!explanation.path("next").isEmpty()) {
            text.append("\nNext:\n");
            explanation.path("next").forEach(step -> {
                append(text, "  ", "  ", step.path("text").asText());
                text.append("    ")
                        .append(TextColumns.clean(step.path("command").asText()))
                        .append('\n');
            });
        }
        return text.toString();
    }

    /**
     * Appends a finding and its causes.
     *
     * @param first before its first line
     * @param others before its other lines and its causes
     */
    private void appendFinding(StringBuilder text, JsonNode finding, String first, String others, Instant now) {
        String severity = finding.path("severity").asText();
        JsonNode causes = finding.path("because");
        String mark = colored(MARKS.getOrDefault(severity, "·"), severity) + ' ';
        append(
                text,
                first + mark,
                others + (causes.isEmpty() ? "  " : "│ "),
                finding.path("text").asText() + details(finding, now));
        for (int i = 0; i < causes.size(); i++) {
            boolean isLast = i == causes.size() - 1;
            appendFinding(
                    text, causes.get(i), others + (isLast ? "└─ " : "├─ "), others + (isLast ? "   " : "│  "), now);
        }
    }

    private static String details(JsonNode finding, Instant now) {
        List<String> details = new ArrayList<>();
        if (finding.has("reason")) {
            details.add(finding.path("reason").asText());
        }
        if (finding.has("attempt")) {
            details.add("attempt " + finding.path("attempt").asText());
        }
        if (finding.has("retryAt")) {
            Instant retry = Instant.parse(finding.path("retryAt").asText());
            details.add(retry.isAfter(now) ? "next in " + AgeFormat.until(retry.toString(), now) : "next now");
        }
        if (finding.has("time")) {
            details.add(AgeFormat.since(finding.path("time").asText(), now) + " ago");
        }
        return details.isEmpty() ? "" : " (" + String.join(", ", details) + ')';
    }

    private String colored(String text, String severity) {
        return hasColor ? COLORS.getOrDefault(severity, "") + text + PLAIN : text;
    }

    /**
     * Appends text, wrapped at spaces.
     *
     * @param first before the first line
     * @param others before the others
     */
    private void append(StringBuilder text, String first, String others, String content) {
        StringBuilder line = new StringBuilder(first);
        int indent = others.length();
        int limit = Math.max(width, indent + MIN_WIDTH);
        int length = indent;
        boolean isEmpty = true;
        for (String word : TextColumns.clean(content).split(" ", -1)) {
            if (!isEmpty && length + 1 + word.length() > limit) {
                text.append(line).append('\n');
                line = new StringBuilder(others);
                length = indent;
                isEmpty = true;
            }
            line.append(isEmpty ? "" : " ").append(word);
            length += word.length() + (isEmpty ? 0 : 1);
            isEmpty = false;
        }
        text.append(line).append('\n');
    }
}
