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
 * Listens to what the servers of this process answer, through their access log. Written to by their event loops, read by the test; a request of
 * which the client has seen the answer may be told a moment later.
 */
final class KubectlAccess extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    /** What a client that does the right thing is never answered by a server that does. */
    private static final Set<Integer> NEVER = Set.of(405, 406, 415);

    private static final Pattern ONE_OBJECT =
            Pattern.compile("/(api|apis/[a-z0-9.]+)/v1/(namespaces/[^/]+/)?[a-z]+/[^/]+(/status)?");

    /** Asked for by {@code describe namespace}, which goes without where they are not served. */
    private static final Pattern OF_A_NAMESPACE =
            Pattern.compile("/api/v1/namespaces/[^/]+/(resourcequotas|limitranges)");

    private final Logger log = (Logger) LoggerFactory.getLogger("dev.mooring.api.access");
    private final Level level = log.getLevel();
    private final List<Answered> answered = new CopyOnWriteArrayList<>();

    private KubectlAccess() {
        setName("kubectl-access");
        setContext(log.getLoggerContext());
    }

    /** One request and its answer. */
    record Answered(String method, String path, int code) {
        static Answered of(String told) {
            String[] parts = told.split(" ", -1);
            return new Answered(parts[0], parts[1], Integer.parseInt(parts[2]));
        }

        boolean isFault() {
            return NEVER.contains(code) || code >= 500;
        }

        /** And not a collection, or nothing that is served at all. */
        boolean namesOneObject() {
            return ONE_OBJECT.matcher(path).matches();
        }

        boolean looksForLimitsOfANamespace() {
            return method.equals("GET") && OF_A_NAMESPACE.matcher(path).matches();
        }
    }

    static KubectlAccess attach() {
        KubectlAccess access = new KubectlAccess();
        access.log.setLevel(Level.DEBUG);
        access.log.setAdditive(false);
        access.start();
        access.log.addAppender(access);
        return access;
    }

    @Override
    protected void append(ILoggingEvent event) {
        answered.add(Answered.of(event.getFormattedMessage()));
    }

    /** What was answered since the last call. */
    List<Answered> take() {
        List<Answered> taken = List.copyOf(answered);
        answered.removeAll(taken);
        return taken;
    }

    @Override
    public void close() {
        log.detachAppender(this);
        log.setAdditive(true);
        log.setLevel(level);
        stop();
    }
}
