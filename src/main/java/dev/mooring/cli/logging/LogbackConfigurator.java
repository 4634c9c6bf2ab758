package dev.mooring.cli.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Found by logback through the service loader, before any setting is known: warnings to stderr as plain text. It also keeps
 * logback from looking for XML, whose parser alone would cost a good part of the start-up time.
 */
public final class LogbackConfigurator extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Logging.apply(context, TextLines.plain(), System.err, Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
