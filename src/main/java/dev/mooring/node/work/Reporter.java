package dev.mooring.node.work;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.DurableWriter;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes down how jobs ended, upon the operation as it then is. Does not give up: what was done is not done again only because it could
 * not be written down. Thread-safe.
 */
final class Reporter {
    private static final Logger LOG = LoggerFactory.getLogger(Reporter.class);

    private final OperationSteps steps;
    private final WorkParts parts;
    private final Consumer<Job> settled;
    private final DurableWriter writer;

    /** @param settled told of each job once there is nothing more to be written about it */
    Reporter(OperationSteps steps, WorkParts parts, Consumer<Job> settled) {
        this.steps = steps;
        this.parts = parts;
        this.settled = settled;
        this.writer = new DurableWriter(parts.world(), parts.timers());
    }

    void report(Job job, Ending ending) {
        if (ending instanceof Ending.Failed failed) {
            logFailure(job, failed.failure());
        } else if (ending instanceof Ending.Done done) {
            done.result().note().ifPresent(note -> log(job).log("Done, with a remark: {}", note));
        }
        writer.write(job.key(), world -> decide(world, job, ending), () -> settled.accept(job));
    }

    /** What is not written down by now is found out anew by the next process. */
    void close() {
        writer.close();
    }

    private Optional<Proposal> decide(World world, Job job, Ending ending) {
        VolumeOperation done = job.operation();
        Optional<StoredObject> seen = world.get(done.key());
        Optional<VolumeOperation> current =
                seen.map(VolumeOperation::of).filter(found -> found.uid().equals(done.uid()));
        if (current.isEmpty()) {
            log(job).log(
                            "Expected the operation to be there when it ended, but it is gone; how it ended is told"
                                    + " nobody: {}",
                            ending);
            return Optional.empty();
        }
        VolumeOperation operation = current.get();
        if (!operation.spec().equals(done.spec())) {
            // Whoever changed what is to be done may have changed the status too; then it is as it should be.
            return operation.state().equals(VolumeOperation.RUNNING)
                    ? Optional.of(steps.lookedAtAgain(operation, parts.clock().instant()))
                    : Optional.empty();
        }
        if (ending instanceof Ending.Failed failed) {
            return Optional.of(
                    steps.failed(operation, failed.failure(), parts.clock().instant()));
        }
        return Optional.of(steps.succeeded(
                operation, ((Ending.Done) ending).result(), parts.clock().instant()));
    }

    private static void logFailure(Job job, Failure failure) {
        VolumeOperation operation = job.operation();
        LOG.atWarn()
                .addKeyValue("object", job.key())
                .addKeyValue("volume", operation.volume())
                .addKeyValue(
                        "expected", operation.spec().path("operation").asText("") + " by " + operation.provisioner())
                .addKeyValue("found", failure.reason())
                .addKeyValue("raw", failure.raw())
                .addKeyValue("next", "tried again as status.nextTry of the operation says")
                .log("Expected work on a volume to succeed, but it failed: {}", failure.message());
    }

    private static LoggingEventBuilder log(Job job) {
        return LOG.atInfo()
                .addKeyValue("object", job.key())
                .addKeyValue("volume", job.operation().volume());
    }
}
