package dev.mooring.conformance;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * Captures the access log of the servers in this process. Written by their event loops, read by the test; a request is
 * logged before the client receives the response.
 */
final class KubectlAccessLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    /** Status codes that a correct server never returns to a correct client. */
    private static final Set<Integer> FAULT_CODES = Set.of(405, 406, 415);

    private static final Pattern ONE_OBJECT =
            Pattern.compile("/(api|apis/[a-z0-9.]+)/v1/(namespaces/[^/]+/)?[a-z]+/[^/]+(/status)?");

    /** Requested by {@code describe namespace}, which omits them if they are not served. */
    private static final Pattern OF_A_NAMESPACE =
            Pattern.compile("/api/v1/namespaces/[^/]+/(resourcequotas|limitranges)");

    private final Logger log = (Logger) LoggerFactory.getLogger("dev.mooring.api.access");
    private final Level level = log.getLevel();
    private final List<LoggedRequest> requests = new CopyOnWriteArrayList<>();

    private KubectlAccessLog() {
        setName("kubectl-access");
        setContext(log.getLoggerContext());
    }

    /** A request and the status code of its response. */
    record LoggedRequest(String method, String path, int code) {
        static LoggedRequest of(String line) {
            String[] parts = line.split(" ", -1);
            return new LoggedRequest(parts[0], parts[1], Integer.parseInt(parts[2]));
        }

        boolean isFault() {
            return FAULT_CODES.contains(code) || code >= 500;
        }

        /** Whether the path names one object, not a collection or an unserved path. */
        boolean namesOneObject() {
            return ONE_OBJECT.matcher(path).matches();
        }

        boolean isNamespaceLimitsLookup() {
            return method.equals("GET") && OF_A_NAMESPACE.matcher(path).matches();
        }
    }

    static KubectlAccessLog attach() {
        KubectlAccessLog access = new KubectlAccessLog();
        access.log.setLevel(Level.DEBUG);
        access.log.setAdditive(false);
        access.start();
        access.log.addAppender(access);
        return access;
    }

    @Override
    protected void append(ILoggingEvent event) {
        requests.add(LoggedRequest.of(event.getFormattedMessage()));
    }

    /** Removes and returns the requests logged since the last call. */
    List<LoggedRequest> drain() {
        List<LoggedRequest> drained = List.copyOf(requests);
        requests.removeAll(drained);
        return drained;
    }

    @Override
    public void close() {
        log.detachAppender(this);
        log.setAdditive(true);
        log.setLevel(level);
        stop();
    }
}
