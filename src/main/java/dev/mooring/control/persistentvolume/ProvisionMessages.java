package dev.mooring.control.persistentvolume;

import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.Optional;

/**
 * Messages for claims whose volume is being provisioned. All controllers derive the same message from the same World,
 * so that they do not overwrite each other. Messages contain no times or counts, so that an unchanged problem has an
 * unchanged message. Pure; thread-safe.
 */
final class ProvisionMessages {
    private ProvisionMessages() {}

    /** Returns what the claim waits for. */
    static String inProgress(World world, VolumeOperation operation) {
        return problem(world, operation)
                .orElseGet(() -> ProvisionOperations.isProvision(operation)
                        ? waiting(operation.node(), operation.volume(), operation.provisioner())
                        : removal(operation));
    }

    /** Returns the message while there is no problem. */
    static String waiting(String node, String volume, String provisioner) {
        return "waiting for node \"" + node + "\" to provision volume \"" + volume + "\" with " + provisioner;
    }

    /** Returns what prevents the operation from completing; empty if it is progressing. */
    static Optional<String> problem(World world, VolumeOperation operation) {
        boolean ready = isReady(world, operation.node());
        if (!ProvisionOperations.isProvision(operation)) {
            String removal = removal(operation);
            if (!ready) {
                return Optional.of(
                        removal + ": " + nodeUnavailable(world, operation) + " and must become ready for that");
            }
            return error(operation).map(error -> removal + ": " + error);
        }
        if (operation.hasSucceeded()) {
            return operation.resultSource().isPresent()
                    ? Optional.empty()
                    : Optional.of(failed(
                            operation.className(), "node \"" + operation.node() + "\" reports success, but no source"));
        }
        if (!ready && ProvisionOperations.isNotStarted(operation)) {
            return Optional.of(failed(
                    operation.className(),
                    nodeUnavailable(world, operation) + ", and " + alternatives(world, operation)));
        }
        if (!ready) {
            return Optional.of(failed(
                    operation.className(),
                    nodeUnavailable(world, operation) + " and may have started to provision volume \""
                            + operation.volume() + "\": it must become ready to finish"));
        }
        return error(operation).map(error -> failed(operation.className(), error));
    }

    /** Returns the message in the wording of Kubernetes' provisioners. */
    static String failed(String className, String why) {
        return "failed to provision volume with StorageClass \"" + className + "\": " + why;
    }

    /** Describes what an operation may have left on a node that does not come back. */
    static String leftover(VolumeOperation operation) {
        String where = operation
                .resultSource()
                .or(operation::source)
                .map(source -> " at " + source)
                .orElseGet(() -> operation.path().isEmpty() ? "" : " at " + operation.path() + " below its base");
        return "node \"" + operation.node() + "\" no longer exists; data that it created for volume \""
                + operation.volume() + "\" (" + operation.volumeUid() + ") may be left there" + where
                + ". Please delete manually.";
    }

    static boolean isReady(World world, String node) {
        return world.get(Node.key(node))
                .map(Node::of)
                .filter(each -> !each.isKnownNotReady())
                .isPresent();
    }

    private static String removal(VolumeOperation operation) {
        return "data of an earlier attempt on node \"" + operation.node() + "\" is being removed first";
    }

    private static String nodeUnavailable(World world, VolumeOperation operation) {
        boolean exists = world.get(Node.key(operation.node())).isPresent();
        return "node \"" + operation.node() + "\" " + (exists ? "is not ready" : "no longer exists");
    }

    private static String alternatives(World world, VolumeOperation operation) {
        NodeChoice choice = NodeChoice.of(world, claimUid(operation), storageClass(world, operation));
        return choice instanceof NodeChoice.None none ? none.message() : "another node must be chosen";
    }

    static String claimUid(VolumeOperation operation) {
        return operation.claim().map(claim -> claim.uid()).orElse("");
    }

    static Optional<StorageClass> storageClass(World world, VolumeOperation operation) {
        return operation.className().isEmpty()
                ? Optional.empty()
                : world.get(StorageClass.key(operation.className())).map(StorageClass::of);
    }

    private static Optional<String> error(VolumeOperation operation) {
        if (!operation.error().isEmpty()) {
            return Optional.of(operation.error());
        }
        return operation.hasFailed()
                ? Optional.of(operation.errorReason().isEmpty() ? "the operation failed" : operation.errorReason())
                : Optional.empty();
    }
}
