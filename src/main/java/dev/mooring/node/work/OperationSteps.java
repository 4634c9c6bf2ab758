package dev.mooring.node.work;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.model.Draft;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.work.WorkDone;
import dev.mooring.world.Proposal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The changes a node makes to a VolumeOperation, from Pending over Running to how it ended. Each replaces the operation as it was seen, and
 * touches its status only, but for one annotation: a fingerprint of the spec that was tried. When the spec is another by now,
 * failures and successes of the old one count for nothing, whoever changed it and whether or not they thought of the status.
 *
 * <p>Pure; any thread.
 *
 * @param actor the node
 */
record OperationSteps(String actor) {
    /** As long as Kubernetes waits between attempts at a volume. */
    static final Backoff BACKOFF = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(122));

    static final String TRIED = "mooring.dev/tried-spec";

    private static final int FINGERPRINT_BYTES = 8;
    private static final String NEXT_TRY = "nextTry";
    private static final String ATTEMPTS = "attempts";
    private static final String LAST_ERROR = "lastError";
    private static final Map<VolumeOperation.Work, String> BEGUN = Map.of(
            VolumeOperation.Work.PROVISION, "VolumeProvisioning",
            VolumeOperation.Work.DELETE, "VolumeDeleting",
            VolumeOperation.Work.SCRUB, "VolumeScrubbing",
            VolumeOperation.Work.GROW, "VolumeGrowing");

    /** Whether what the status says is about another spec than there is now. */
    static boolean isOutdated(VolumeOperation operation) {
        return operation
                .annotation(TRIED)
                .filter(tried -> !tried.equals(fingerprint(operation)))
                .isPresent();
    }

    /** Whether what the status says is known to be about the spec there is now. */
    static boolean isTried(VolumeOperation operation) {
        return operation.annotation(TRIED).isPresent() && !isOutdated(operation);
    }

    /** It is begun, or begun again. How often it failed stays until it is known how it ends. */
    Proposal begun(VolumeOperation operation, Instant now) {
        ObjectNode object = operation.copy();
        ObjectNode status = enter(object, VolumeOperation.RUNNING, now);
        if (isOutdated(operation)) {
            forget(status);
        }
        status.remove(NEXT_TRY);
        String type = operation.work().map(BEGUN::get).orElse("VolumeOperationBegun");
        return changed(operation, object, type);
    }

    /** It was something else that was done: it is to be looked at as if nothing had been. */
    Proposal lookedAtAgain(VolumeOperation operation, Instant now) {
        ObjectNode object = operation.copy();
        forget(enter(object, VolumeOperation.PENDING, now));
        return changed(operation, object, "VolumeOperationChanged");
    }

    Proposal succeeded(VolumeOperation operation, WorkDone done, Instant now) {
        ObjectNode object = operation.copy();
        ObjectNode status = enter(object, VolumeOperation.SUCCEEDED, now);
        forget(status);
        done.source().ifPresent(source -> status.set("source", source));
        if (done.bytes() > 0) {
            status.put("capacity", Quantity.ofBytes(done.bytes()).canonical());
        }
        if (done.isFileSystemResizePending()) {
            status.put("fileSystemResizePending", true);
        }
        markTried(operation, object);
        return changed(operation, object, "Volume" + word(operation) + "Succeeded");
    }

    Proposal failed(VolumeOperation operation, Failure failure, Instant now) {
        int attempts = (isOutdated(operation) ? 0 : operation.attempts()) + 1;
        return failed(operation, failure, attempts, Optional.of(BACKOFF.after(attempts)), now);
    }

    /** It went wrong and will again: it waits until somebody changes it. */
    Proposal failedForGood(VolumeOperation operation, Failure failure, Instant now) {
        return failed(operation, failure, 1, Optional.empty(), now);
    }

    private Proposal failed(
            VolumeOperation operation, Failure failure, int attempts, Optional<Duration> wait, Instant now) {
        ObjectNode object = operation.copy();
        ObjectNode status = enter(object, VolumeOperation.FAILED, now);
        forget(status);
        status.put(ATTEMPTS, attempts);
        // Not in whole seconds, as times usually are: the first waits are shorter than that.
        wait.ifPresent(delay -> status.put(
                NEXT_TRY, now.plus(delay).truncatedTo(ChronoUnit.MILLIS).toString()));
        ObjectNode error = status.putObject(LAST_ERROR);
        error.put("reason", failure.reason()).put("message", failure.message());
        if (!failure.raw().isEmpty()) {
            error.put("raw", failure.raw());
        }
        error.put("operation", "volume_" + word(operation).toLowerCase(Locale.ROOT));
        error.put("time", seconds(now));
        markTried(operation, object);
        return changed(operation, object, "Volume" + word(operation) + "Failed");
    }

    private static ObjectNode enter(ObjectNode object, String state, Instant now) {
        return object.withObject("/status").put("state", state).put("since", seconds(now));
    }

    private static void forget(ObjectNode status) {
        status.remove(ATTEMPTS);
        status.remove(NEXT_TRY);
        status.remove(LAST_ERROR);
        status.remove("source");
        status.remove("capacity");
        status.remove("fileSystemResizePending");
    }

    private static void markTried(VolumeOperation operation, ObjectNode object) {
        object.withObject("/metadata").withObject("/annotations").put(TRIED, fingerprint(operation));
    }

    private Proposal changed(VolumeOperation seen, ObjectNode object, String type) {
        return Proposal.by(actor, type)
                .because(seen.cause())
                .replace(seen.stored(), Draft.of(seen.key(), object))
                .build();
    }

    private static String word(VolumeOperation operation) {
        return operation.work().map(VolumeOperation.Work::toString).orElse("Operation");
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String fingerprint(VolumeOperation operation) {
        try {
            byte[] spec = operation.spec().toString().getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(spec), 0, FINGERPRINT_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected every Java to know SHA-256, but this one does not", e);
        }
    }
}
