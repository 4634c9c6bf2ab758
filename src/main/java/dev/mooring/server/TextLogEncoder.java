package dev.mooring.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * Encodes log events as text: time, level, short logger name, message, {@code key=value} pairs. Control characters are
 * escaped, so that logged values cannot end the line, move the cursor or forge a line. Stateless and thread-safe.
 */
final class TextLogEncoder extends EncoderBase<ILoggingEvent> {
    private static final byte[] NOTHING = {};
    private static final String OWN_PACKAGES = "dev.mooring.";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final String RESET = "\u001b[0m";
    private static final String FAINT = "\u001b[2m";

    private final boolean colored;

    private TextLogEncoder(boolean colored) {
        this.colored = colored;
    }

    static TextLogEncoder colored() {
        return new TextLogEncoder(true);
    }

    static TextLogEncoder plain() {
        return new TextLogEncoder(false);
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        appendColored(line, FAINT, TIME.format(Instant.ofEpochMilli(event.getTimeStamp())));
        line.append(' ');
        String level = event.getLevel().toString();
        appendColored(line, color(event.getLevel()), level);
        line.append(" ".repeat(Math.max(1, 6 - level.length())));
        appendColored(line, FAINT, shortName(event.getLoggerName()));
        line.append("  ");
        escape(line, event.getFormattedMessage());
        appendPairs(line, event);
        line.append('\n');
        if (event.getThrowableProxy() != null) {
            line.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void appendPairs(StringBuilder line, ILoggingEvent event) {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            pairs.forEach(pair -> appendPair(line, pair.key, String.valueOf(pair.value)));
        }
        event.getMDCPropertyMap().forEach((key, value) -> appendPair(line, key, value));
    }

    private void appendPair(StringBuilder line, String key, String value) {
        line.append(' ');
        StringBuilder name = new StringBuilder();
        escape(name, key);
        appendColored(line, FAINT, name.append('=').toString());
        boolean quoted = value.isEmpty() || value.chars().anyMatch(c -> c == ' ' || c == '"' || c == '=');
        if (quoted) {
            line.append('"');
            escape(line, value.replace("\\", "\\\\").replace("\"", "\\\""));
            line.append('"');
        } else {
            escape(line, value);
        }
    }

    private void appendColored(StringBuilder line, String color, String text) {
        if (colored) {
            line.append(color).append(text).append(RESET);
        } else {
            line.append(text);
        }
    }

    private static String color(Level level) {
        return switch (level.toInt()) {
            case Level.ERROR_INT -> "\u001b[1;31m";
            case Level.WARN_INT -> "\u001b[33m";
            case Level.INFO_INT -> "\u001b[32m";
            default -> "\u001b[36m";
        };
    }

    /** Returns Mooring's loggers without the common prefix, and others by their last name. */
    private static String shortName(String logger) {
        return logger.startsWith(OWN_PACKAGES)
                ? logger.substring(OWN_PACKAGES.length())
                : logger.substring(logger.lastIndexOf('.') + 1);
    }

    private static void escape(StringBuilder line, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                line.append("\\n");
            } else if (Character.isISOControl(c)) {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
