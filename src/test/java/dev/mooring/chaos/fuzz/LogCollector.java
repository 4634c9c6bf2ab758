package dev.mooring.chaos.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * Collects warnings and errors from the log of this process, one line per kind. Errors, event loops that are blocked
 * for long and logged exceptions are findings.
 */
final class LogCollector extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private static final int EXCERPT = 2500;
    private static final Pattern BLOCKED = Pattern.compile("has been blocked for (\\d+) ms");

    /** Far longer than any task takes on a busy machine, where a thread may wait seconds for a processor. */
    private static final long MAX_BLOCKED_MILLIS = 20_000;

    private record CollectedLine(String text, boolean finding) {}

    private final Map<String, CollectedLine> kinds = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    static LogCollector startCollecting() {
        LogCollector collector = new LogCollector();
        collector.setContext(collector.root.getLoggerContext());
        collector.start();
        collector.root.addAppender(collector);
        return collector;
    }

    @Override
    protected synchronized void append(ILoggingEvent event) {
        if (!event.getLevel().isGreaterOrEqual(Level.WARN)) {
            return;
        }
        String trace = event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
        String text = event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage() + " "
                + event.getKeyValuePairs() + "\n" + trace;
        String kind = event.getLoggerName() + event.getMessage() + firstFrames(trace);
        String excerpt = text.substring(0, Math.min(text.length(), EXCERPT));
        kinds.putIfAbsent(kind, new CollectedLine(excerpt, isFinding(event, trace)));
        counts.merge(kind, 1, Integer::sum);
    }

    private static boolean isFinding(ILoggingEvent event, String trace) {
        Matcher blocked = BLOCKED.matcher(event.getFormattedMessage());
        return blocked.find()
                ? Long.parseLong(blocked.group(1)) >= MAX_BLOCKED_MILLIS
                : event.getLevel().isGreaterOrEqual(Level.ERROR) || !trace.isEmpty();
    }

    /** Returns the first frames of a stack trace, which identify the kind of problem. */
    private static String firstFrames(String trace) {
        return trace.lines().filter(line -> line.startsWith("\tat ")).limit(6).reduce("", String::concat);
    }

    synchronized List<String> findings() {
        return kinds.entrySet().stream()
                .filter(each -> each.getValue().finding())
                .map(each ->
                        counts.get(each.getKey()) + " times: " + each.getValue().text())
                .toList();
    }

    /** Returns the warnings that are not findings. */
    synchronized List<String> others() {
        return kinds.entrySet().stream()
                .filter(each -> !each.getValue().finding())
                .map(each ->
                        counts.get(each.getKey()) + " times: " + each.getValue().text())
                .toList();
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
