package dev.mooring.cli.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import dev.mooring.cli.config.LoggingSettings;
import java.io.OutputStream;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Sets logging up for this process. Before {@link #configure}, {@link LogbackConfigurator} lets warnings through in plain text.
 * May be called again; the newest call counts.
 */
public final class Logging {
    /** Libraries say much that is no news to an operator. */
    private static final List<String> CHATTY = List.of("io.netty", "io.vertx", "io.micrometer", "io.prometheus");

    private Logging() {}

    /** Whether text lines are coloured, for a stream that is or is not a terminal that allows it. */
    public static boolean useColor(LoggingSettings.Color choice, boolean capableTerminal) {
        return switch (choice) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> capableTerminal;
        };
    }

    /** @param capableTerminal whether the stream is a terminal where colours are welcome */
    public static void configure(LoggingSettings settings, OutputStream stream, boolean capableTerminal) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        apply(
                context,
                encoder(settings, capableTerminal),
                stream,
                Level.valueOf(settings.level().name()));
    }

    private static Encoder<ILoggingEvent> encoder(LoggingSettings settings, boolean capableTerminal) {
        if (settings.format() == LoggingSettings.Format.JSON) {
            return new JsonLines();
        }
        return useColor(settings.color(), capableTerminal) ? TextLines.colored() : TextLines.plain();
    }

    static void apply(LoggerContext context, Encoder<ILoggingEvent> encoder, OutputStream stream, Level level) {
        context.reset();
        encoder.setContext(context);
        encoder.start();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setName("stderr");
        appender.setEncoder(encoder);
        appender.setOutputStream(new Unclosable(stream));
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(level);
        root.addAppender(appender);
        for (String name : CHATTY) {
            context.getLogger(name).setLevel(level.isGreaterOrEqual(Level.INFO) ? Level.WARN : Level.INFO);
        }
    }
}
