package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.model.Digests;
import dev.mooring.model.Draft;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.world.Proposal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Status updates of a VolumeOperation, from Pending over Running to its end. Each replaces the observed operation and
 * changes its status only, except for one annotation: a fingerprint of the spec that was tried. When the spec has
 * changed since, earlier failures and successes do not count, even if the status was not reset with it.
 *
 * <p>Pure; any thread.
 *
 * @param actor the node
 */
record OperationStatusUpdates(String actor) {
    private static final int FINGERPRINT_BYTES = 8;
    private static final String NEXT_TRY = "nextTry";
    private static final String ATTEMPTS = "attempts";
    private static final String LAST_ERROR = "lastError";
    private static final String MESSAGE = "message";
    private static final Map<VolumeOperation.OperationType, String> BEGUN = Map.of(
            VolumeOperation.OperationType.PROVISION, "VolumeProvisioning",
            VolumeOperation.OperationType.DELETE, "VolumeDeleting",
            VolumeOperation.OperationType.SCRUB, "VolumeScrubbing",
            VolumeOperation.OperationType.GROW, "VolumeGrowing");

    /** Returns whether the status belongs to an older spec. */
    static boolean isOutdated(VolumeOperation operation) {
        return operation
                .annotation(StorageNames.TRIED_SPEC)
                .filter(tried -> !tried.equals(fingerprint(operation)))
                .isPresent();
    }

    /** Returns whether the status is known to belong to the current spec. */
    static boolean isTried(VolumeOperation operation) {
        return operation.annotation(StorageNames.TRIED_SPEC).isPresent() && !isOutdated(operation);
    }

    /** Marks the operation as Running. Keeps the failure count until it ends. */
    Proposal started(VolumeOperation operation, Instant now) {
        ObjectNode object = operation.copy();
        ObjectNode status = enter(object, VolumeOperation.RUNNING, now);
        if (isOutdated(operation)) {
            forget(status);
        }
        status.remove(NEXT_TRY);
        String type = operation.operationType().map(BEGUN::get).orElse("VolumeOperationBegun");
        return changed(operation, object, type);
    }

    /** Resets the status to Pending, because the work was done for another spec. */
    Proposal reset(VolumeOperation operation, Instant now) {
        ObjectNode object = operation.copy();
        forget(enter(object, VolumeOperation.PENDING, now));
        return changed(operation, object, "VolumeOperationChanged");
    }

    Proposal succeeded(VolumeOperation operation, VolumeWorkResult done, Instant now) {
        ObjectNode object = operation.copy();
        ObjectNode status = enter(object, VolumeOperation.SUCCEEDED, now);
        forget(status);
        done.source().ifPresent(source -> status.set("source", source));
        if (done.bytes() > 0) {
            status.put("capacity", Quantity.ofBytes(done.bytes()).canonical());
        }
        done.note().ifPresent(note -> status.put(MESSAGE, note));
        if (done.isFileSystemResizePending()) {
            status.put("fileSystemResizePending", true);
        }
        markTried(operation, object);
        return changed(operation, object, "Volume" + verb(operation) + "Succeeded");
    }

    Proposal failed(VolumeOperation operation, WorkFailure failure, Instant now) {
        int attempts = (isOutdated(operation) ? 0 : operation.attempts()) + 1;
        return failed(operation, failure, attempts, Optional.of(Backoff.VOLUME_OPERATION.after(attempts)), now);
    }

    /** Marks the operation as permanently failed: it waits until its spec is changed. */
    Proposal failedForGood(VolumeOperation operation, WorkFailure failure, Instant now) {
        return failed(operation, failure, 1, Optional.empty(), now);
    }

    private Proposal failed(
            VolumeOperation operation, WorkFailure failure, int attempts, Optional<Duration> wait, Instant now) {
        ObjectNode object = operation.copy();
        ObjectNode status = enter(object, VolumeOperation.FAILED, now);
        forget(status);
        status.put(ATTEMPTS, attempts);
        // In milliseconds, unlike other times: the first delays are shorter than a second.
        wait.ifPresent(delay -> status.put(
                NEXT_TRY, now.plus(delay).truncatedTo(ChronoUnit.MILLIS).toString()));
        ObjectNode error = status.putObject(LAST_ERROR);
        error.put("reason", failure.reason()).put("message", failure.message());
        if (!failure.raw().isEmpty()) {
            error.put("raw", failure.raw());
        }
        error.put("operation", "volume_" + verb(operation).toLowerCase(Locale.ROOT));
        error.put("time", seconds(now));
        markTried(operation, object);
        return changed(operation, object, "Volume" + verb(operation) + "Failed");
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
        status.remove(MESSAGE);
        status.remove("fileSystemResizePending");
    }

    private static void markTried(VolumeOperation operation, ObjectNode object) {
        object.withObject("/metadata").withObject("/annotations").put(StorageNames.TRIED_SPEC, fingerprint(operation));
    }

    private Proposal changed(VolumeOperation seen, ObjectNode object, String type) {
        return Proposal.by(actor, type)
                .because(seen.cause())
                .replace(seen.stored(), Draft.of(seen.key(), object))
                .build();
    }

    private static String verb(VolumeOperation operation) {
        return operation
                .operationType()
                .map(VolumeOperation.OperationType::toString)
                .orElse("Operation");
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String fingerprint(VolumeOperation operation) {
        return Digests.sha256Hex(operation.spec().toString(), FINGERPRINT_BYTES);
    }
}
