package dev.mooring.node.volumemanager;

import dev.mooring.control.Backoff;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.DurableWriter;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Records the results of operations, based on their current state. Retries without limit, so that work is not repeated
 * because its result could not be written. Thread-safe.
 */
final class WorkResultWriter {
    private static final Logger LOG = LoggerFactory.getLogger(WorkResultWriter.class);

    private final OperationStatusUpdates steps;
    private final WorkContext context;
    private final DurableWriter writer;

    WorkResultWriter(OperationStatusUpdates steps, WorkContext context) {
        this.steps = steps;
        this.context = context;
        this.writer = new DurableWriter(context.world(), context.timers());
    }

    /**
     * Writes a result.
     *
     * @param done the operation as of its start
     * @param settled called when the result is written or no longer needed
     */
    void write(VolumeOperation done, WorkResult result, Runnable settled) {
        if (result instanceof WorkResult.Failed failed) {
            logFailure(done, failed.failure());
        } else if (result instanceof WorkResult.Succeeded succeeded) {
            succeeded.result().note().ifPresent(note -> log(done).log("Operation succeeded: {}", note));
        }
        writer.write(done.key(), world -> decide(world, done, result), settled);
    }

    /** Stops retrying. The next process determines again what has not been written. */
    void close() {
        writer.close();
    }

    private Optional<Proposal> decide(World world, VolumeOperation done, WorkResult result) {
        Optional<StoredObject> seen = world.get(done.key());
        Optional<VolumeOperation> current =
                seen.map(VolumeOperation::of).filter(found -> found.uid().equals(done.uid()));
        if (current.isEmpty()) {
            log(done).log("Operation was deleted before it ended; dropping its result: {}", result);
            return Optional.empty();
        }
        VolumeOperation operation = current.get();
        if (!operation.spec().equals(done.spec())) {
            // The status may have been changed together with the spec; then it is correct already.
            return operation.state().equals(VolumeOperation.RUNNING)
                    ? Optional.of(steps.reset(operation, context.clock().instant()))
                    : Optional.empty();
        }
        if (result instanceof WorkResult.Failed failed) {
            return Optional.of(
                    steps.failed(operation, failed.failure(), context.clock().instant()));
        }
        return Optional.of(steps.succeeded(
                operation,
                ((WorkResult.Succeeded) result).result(),
                context.clock().instant()));
    }

    private static void logFailure(VolumeOperation operation, WorkFailure failure) {
        int attempt = operation.attempts() + 1;
        if (failure.message().equals(operation.error()) && !Backoff.isLogged(attempt)) {
            return;
        }
        LOG.atWarn()
                .addKeyValue("object", operation.key())
                .addKeyValue("volume", operation.volume())
                .addKeyValue("operation", operation.spec().path("operation").asText(""))
                .addKeyValue("provisioner", operation.provisioner())
                .addKeyValue("reason", failure.reason())
                .addKeyValue("raw", failure.raw())
                .addKeyValue("attempt", attempt)
                .addKeyValue("next", "retried at status.nextTry of the operation")
                .log("Volume operation failed: {}", failure.message());
    }

    private static LoggingEventBuilder log(VolumeOperation operation) {
        return LOG.atInfo().addKeyValue("object", operation.key()).addKeyValue("volume", operation.volume());
    }
}
