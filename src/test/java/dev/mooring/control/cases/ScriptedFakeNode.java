package dev.mooring.control.cases;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A fake node that starts operations and completes them with the result that a script gives. */
final class ScriptedFakeNode implements Controller {
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(500);
    private static final int MAX_DOUBLINGS = 8;

    /** Decides the course of operations. */
    interface Script {
        /** Returns whether operations may start. */
        boolean mayBegin();

        /** Returns the error message of this attempt; empty if it succeeds. */
        Optional<String> failure(VolumeOperation operation);

        static Script allWell() {
            return new Script() {
                @Override
                public boolean mayBegin() {
                    return true;
                }

                @Override
                public Optional<String> failure(VolumeOperation operation) {
                    return Optional.empty();
                }
            };
        }
    }

    private final Script script;

    ScriptedFakeNode(Script script) {
        this.script = script;
    }

    @Override
    public String name() {
        return "node/n1";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(StorageNames.OPERATIONS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer enqueuer) {
        if (!change.isRemoval()) {
            enqueuer.enqueue(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<VolumeOperation> found = world.get(key).map(VolumeOperation::of);
        if (found.isEmpty() || found.get().hasSucceeded() || !script.mayBegin()) {
            return Decision.none();
        }
        VolumeOperation operation = found.get();
        if (operation.state().equals(VolumeOperation.RUNNING)) {
            return Decision.of(end(operation, now));
        }
        Optional<Instant> nextTry = operation.nextTry().filter(now::isBefore);
        if (operation.hasFailed() && nextTry.isPresent()) {
            return Decision.none().requeueAt(nextTry.get(), now);
        }
        ObjectNode next = operation.copy();
        next.withObject("/status").put("state", VolumeOperation.RUNNING);
        return Decision.of(proposal("VolumeOperationBegun", operation, next));
    }

    private Proposal end(VolumeOperation operation, Instant now) {
        ObjectNode next = operation.copy();
        ObjectNode status = next.withObject("/status");
        Optional<String> failure = script.failure(operation);
        if (failure.isPresent()) {
            int attempts = operation.attempts() + 1;
            status.put("state", VolumeOperation.FAILED).put("attempts", attempts);
            status.put(
                    "nextTry",
                    now.plus(FIRST_BACKOFF.multipliedBy(1L << Math.min(attempts - 1, MAX_DOUBLINGS)))
                            .toString());
            status.putObject("lastError").put("reason", "MadeUp").put("message", failure.get());
            return proposal("VolumeOperationFailed", operation, next);
        }
        status.put("state", VolumeOperation.SUCCEEDED);
        status.remove(List.of("lastError", "nextTry", "attempts"));
        if (operation
                .operationType()
                .filter(VolumeOperation.OperationType.PROVISION::equals)
                .isPresent()) {
            ObjectNode source = status.putObject("source").putObject("hostPath");
            source.put("path", "/srv/mooring/" + operation.path()).put("type", "Directory");
            status.set("capacity", operation.spec().path("capacity").deepCopy());
        }
        return proposal("VolumeOperationSucceeded", operation, next);
    }

    private Proposal proposal(String type, VolumeOperation operation, ObjectNode next) {
        return Proposal.by(name(), type)
                .because(operation.cause())
                .replace(operation.stored(), Draft.of(operation.key(), next))
                .build();
    }
}
