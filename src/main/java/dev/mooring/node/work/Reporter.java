package dev.mooring.node.work;

import dev.mooring.control.Backoff;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Outcome;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import dev.mooring.world.Proposal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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

    /** Of a ledger that is overloaded or stopped; one that is read-only stays so. */
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

    private final OperationSteps steps;
    private final WorkParts parts;
    private final Consumer<Job> settled;
    private volatile boolean closed;

    /** @param settled told of each job once there is nothing more to be written about it */
    Reporter(OperationSteps steps, WorkParts parts, Consumer<Job> settled) {
        this.steps = steps;
        this.parts = parts;
        this.settled = settled;
    }

    void report(Job job, Ending ending) {
        if (ending instanceof Ending.Failed failed) {
            logFailure(job, failed.failure());
        } else if (ending instanceof Ending.Done done) {
            done.result().note().ifPresent(note -> log(job).log("Done, with a remark: {}", note));
        }
        propose(job, ending, 0);
    }

    /** What is not written down by now is found out anew by the next process. */
    void close() {
        closed = true;
    }

    private void propose(Job job, Ending ending, int failures) {
        if (closed) {
            return;
        }
        Optional<Proposal> proposal = decide(job, ending);
        if (proposal.isEmpty()) {
            settled.accept(job);
            return;
        }
        parts.world().propose(proposal.get()).whenComplete((outcome, broken) -> {
            // On the ledger's thread, which has other things to do.
            parts.timers().scheduleDirect(() -> answered(job, ending, failures, outcome, broken));
        });
    }

    private Optional<Proposal> decide(Job job, Ending ending) {
        VolumeOperation done = job.operation();
        Optional<StoredObject> seen = parts.world().world().get(done.key());
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

    private void answered(Job job, Ending ending, int failures, Outcome outcome, Throwable broken) {
        if (outcome instanceof Committed) {
            settled.accept(job);
            return;
        }
        if (closed) {
            return;
        }
        if (outcome instanceof Conflict && failures == 0) {
            propose(job, ending, 1);
            return;
        }
        Duration delay = BACKOFF.after(failures + 1);
        LOG.atWarn()
                .addKeyValue("object", job.key())
                .addKeyValue("found", broken == null ? outcome : broken)
                .addKeyValue("nextTryMs", delay.toMillis())
                .log("Expected to write down how work on a volume ended, but could not; it is not done again"
                        + " meanwhile");
        parts.timers()
                .scheduleDirect(() -> propose(job, ending, failures + 1), delay.toMillis(), TimeUnit.MILLISECONDS);
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
