package dev.mooring.conformance;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** Captures the access log of the servers in this process: {@code METHOD PATH CODE}. */
final class Fabric8AccessLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.mooring.api.access");
    private final Level previousLevel = logger.getLevel();

    static Fabric8AccessLog listen() {
        Fabric8AccessLog log = new Fabric8AccessLog();
        log.start();
        log.logger.setLevel(Level.DEBUG);
        log.logger.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getFormattedMessage());
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    /** Lines with codes that a client must not get for an object that exists. */
    List<String> failures() {
        return lines.stream()
                .filter(line -> line.matches(".* (404|405|406|415|5\\d\\d)"))
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(previousLevel);
        stop();
    }
}
