package dev.mooring.chaos.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * Listens to the log of this process: what is at least a warning, each kind once. Errors are findings, and so are event loops that were
 * blocked, and any exception that somebody wrote down.
 */
final class LogEar extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private static final int EXCERPT = 2500;

    private record Heard(String text, boolean finding) {}

    private final Map<String, Heard> kinds = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    static LogEar listening() {
        LogEar ear = new LogEar();
        ear.setContext(ear.root.getLoggerContext());
        ear.start();
        ear.root.addAppender(ear);
        return ear;
    }

    @Override
    protected synchronized void append(ILoggingEvent event) {
        if (!event.getLevel().isGreaterOrEqual(Level.WARN)) {
            return;
        }
        String trace = event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
        String text = event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage() + " "
                + event.getKeyValuePairs() + "\n" + trace;
        String kind = event.getLoggerName() + event.getMessage() + place(trace);
        boolean finding = event.getLevel().isGreaterOrEqual(Level.ERROR)
                || !trace.isEmpty()
                || event.getFormattedMessage().contains("has been blocked");
        kinds.putIfAbsent(kind, new Heard(text.substring(0, Math.min(text.length(), EXCERPT)), finding));
        counts.merge(kind, 1, Integer::sum);
    }

    /** The type of an exception and the first lines of where it was thrown, without what differs from case to case. */
    private static String place(String trace) {
        return trace.lines().filter(line -> line.startsWith("\tat ")).limit(6).reduce("", String::concat);
    }

    synchronized List<String> findings() {
        return kinds.entrySet().stream()
                .filter(each -> each.getValue().finding())
                .map(each ->
                        counts.get(each.getKey()) + " times: " + each.getValue().text())
                .toList();
    }

    /** Warnings that are none. */
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
