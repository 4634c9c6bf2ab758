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
 * Hears of controllers that threw something. The program goes on after that, and as a rule nobody notices; here it is a finding. Lives that are lived
 * side by side are told apart by their threads.
 */
final class Breakages extends AppenderBase<ILoggingEvent> {
    private static final int FRAMES = 6;

    private final ThreadLocal<List<String>> heard = ThreadLocal.withInitial(ArrayList::new);

    private static final class Holder {
        static final Breakages INSTANCE = new Breakages();
    }

    private Breakages() {
        Logger loop = loop();
        setContext(loop.getLoggerContext());
        start();
    }

    private static Logger loop() {
        return (Logger) LoggerFactory.getLogger("dev.mooring.control.ControllerLoop");
    }

    static Breakages ofThisProcess() {
        return Holder.INSTANCE;
    }

    void listen() {
        Logger loop = loop();
        loop.setLevel(Level.ERROR);
        loop.setAdditive(false);
        loop.addAppender(this);
    }

    void listenNoMore() {
        Logger loop = loop();
        loop.detachAppender(this);
        loop.setAdditive(true);
        loop.setLevel(null);
    }

    /** What was heard on this thread since the last time. */
    List<String> take() {
        List<String> all = heard.get();
        if (all.isEmpty()) {
            return List.of();
        }
        heard.set(new ArrayList<>());
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
        heard.get().add(text.toString());
    }
}
