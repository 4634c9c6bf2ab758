package dev.mooring.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Configures logging of this process. Before {@link #configure} is called, {@link LogbackConfigurator} logs warnings as
 * plain text. May be called again; the last call wins.
 */
public final class Logging {
    /** Libraries whose lower-level messages are not useful to operators. */
    private static final List<String> CHATTY =
            List.of("io.netty", "io.vertx", "io.micrometer", "io.prometheus", "com.github.dockerjava");

    private Logging() {}

    /** Returns whether text lines are coloured, given whether the stream is a terminal that supports it. */
    public static boolean useColor(Settings.LoggingSettings.Color choice, boolean capableTerminal) {
        return switch (choice) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> capableTerminal;
        };
    }

    /**
     * Configures logging.
     *
     * @param capableTerminal whether the stream is a terminal with colour support
     */
    public static void configure(Settings.LoggingSettings settings, OutputStream stream, boolean capableTerminal) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        apply(
                context,
                encoder(settings, capableTerminal),
                stream,
                Level.valueOf(settings.level().name()));
    }

    private static Encoder<ILoggingEvent> encoder(Settings.LoggingSettings settings, boolean capableTerminal) {
        if (settings.format() == Settings.LoggingSettings.Format.JSON) {
            return new JsonLogEncoder();
        }
        return useColor(settings.color(), capableTerminal) ? TextLogEncoder.colored() : TextLogEncoder.plain();
    }

    static void apply(LoggerContext context, Encoder<ILoggingEvent> encoder, OutputStream stream, Level level) {
        context.reset();
        encoder.setContext(context);
        encoder.start();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setName("stderr");
        appender.setEncoder(encoder);
        appender.setOutputStream(new UncloseableOutputStream(stream));
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(level);
        root.addAppender(appender);
        for (String name : CHATTY) {
            context.getLogger(name).setLevel(level.isGreaterOrEqual(Level.INFO) ? Level.WARN : Level.INFO);
        }
    }

    /** A stream that ignores close: logback closes its streams, and stderr has other users. */
    private static final class UncloseableOutputStream extends FilterOutputStream {
        UncloseableOutputStream(OutputStream stream) {
            super(stream);
        }

        /** Writes all bytes at once: the inherited method writes byte by byte, and lines would interleave. */
        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
