package dev.mooring.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Configures logback before settings are loaded: warnings to stderr as plain text. Found through the service loader.
 * Also prevents logback from looking for XML configuration, whose parser would slow down the start.
 */
public final class LogbackConfigurator extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Logging.apply(context, TextLogEncoder.plain(), System.err, Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
