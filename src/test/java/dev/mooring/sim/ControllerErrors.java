package dev.mooring.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Log appender that collects exceptions thrown by controllers. The program continues after such an exception; in a
 * simulation it counts as a violation. Errors are kept per thread, because runs execute in parallel.
 */
final class ControllerErrors extends AppenderBase<ILoggingEvent> {
    private static final int FRAMES = 6;

    private final ThreadLocal<List<String>> errors = ThreadLocal.withInitial(ArrayList::new);

    private static final class Holder {
        static final ControllerErrors INSTANCE = new ControllerErrors();
    }

    private ControllerErrors() {
        Logger loop = loop();
        setContext(loop.getLoggerContext());
        start();
    }

    private static Logger loop() {
        return (Logger) LoggerFactory.getLogger("dev.mooring.control.ControllerLoop");
    }

    static ControllerErrors ofThisProcess() {
        return Holder.INSTANCE;
    }

    void listen() {
        Logger loop = loop();
        loop.setLevel(Level.ERROR);
        loop.setAdditive(false);
        loop.addAppender(this);
    }

    void stopListening() {
        Logger loop = loop();
        loop.detachAppender(this);
        loop.setAdditive(true);
        loop.setLevel(null);
    }

    /** Returns and clears the errors logged on this thread. */
    List<String> take() {
        List<String> all = errors.get();
        if (all.isEmpty()) {
            return List.of();
        }
        errors.set(new ArrayList<>());
        return all;
    }

    @Override
    protected void append(ILoggingEvent event) {
        StringBuilder text = new StringBuilder(event.getFormattedMessage() + ' ' + event.getKeyValuePairs());
        if (event.getThrowableProxy() != null) {
            ThrowableProxyUtil.asString(event.getThrowableProxy())
                    .lines()
                    .limit(FRAMES)
                    .forEach(line -> text.append(" | ").append(line.strip()));
        }
        errors.get().add(text.toString());
    }
}
