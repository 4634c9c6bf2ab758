package dev.mooring.control.provision;

import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.Optional;

/**
 * What there is to be said to somebody whose claim waits for its volume. Of one World everybody says the same, so that nobody rewrites what
 * somebody else has written. Times and counts are left out: the same trouble is the same text. Pure; any thread.
 */
final class Words {
    private Words() {}

    /** What the claim waits for. */
    static String underway(World world, VolumeOperation operation) {
        return trouble(world, operation)
                .orElseGet(() -> Operations.isProvision(operation)
                        ? waiting(operation.node(), operation.volume(), operation.provisioner())
                        : removal(operation));
    }

    /** What is said while all is well. */
    static String waiting(String node, String volume, String provisioner) {
        return "waiting for node \"" + node + "\" to make volume \"" + volume + "\" with " + provisioner;
    }

    /** What keeps the work from being done; nothing if it takes its course. */
    static Optional<String> trouble(World world, VolumeOperation operation) {
        boolean ready = isReady(world, operation.node());
        if (!Operations.isProvision(operation)) {
            String removal = removal(operation);
            if (!ready) {
                return Optional.of(removal + ": " + away(world, operation) + " and must come back for that");
            }
            return error(operation).map(error -> removal + ": " + error);
        }
        if (operation.hasSucceeded()) {
            return operation.madeSource().isPresent()
                    ? Optional.empty()
                    : Optional.of(failed(
                            operation.className(),
                            "node \"" + operation.node() + "\" has made it, but does not say where"));
        }
        if (!ready && Operations.isUntouched(operation)) {
            return Optional.of(
                    failed(operation.className(), away(world, operation) + ", and " + others(world, operation)));
        }
        if (!ready) {
            return Optional.of(failed(
                    operation.className(),
                    away(world, operation) + " and may have begun to make volume \"" + operation.volume()
                            + "\": it must come back to finish"));
        }
        return error(operation).map(error -> failed(operation.className(), error));
    }

    /** As Kubernetes' provisioners say it. */
    static String failed(String className, String why) {
        return "failed to provision volume with StorageClass \"" + className + "\": " + why;
    }

    /** What may be left of an operation whose node does not come back. */
    static String leftover(VolumeOperation operation) {
        String where = operation
                .madeSource()
                .or(operation::source)
                .map(source -> " at " + source)
                .orElseGet(() -> operation.path().isEmpty() ? "" : " at " + operation.path() + " below its base");
        return "node \"" + operation.node() + "\" no longer exists; what it had begun for volume \""
                + operation.volume() + "\" (" + operation.volumeUid() + ") may be left over there" + where
                + ". Please delete manually.";
    }

    static boolean isReady(World world, String node) {
        return world.get(Node.key(node))
                .map(Node::of)
                .filter(each -> !each.isKnownNotReady())
                .isPresent();
    }

    private static String removal(VolumeOperation operation) {
        return "what was begun before on node \"" + operation.node() + "\" is being removed first";
    }

    private static String away(World world, VolumeOperation operation) {
        boolean exists = world.get(Node.key(operation.node())).isPresent();
        return "node \"" + operation.node() + "\" " + (exists ? "is not ready" : "no longer exists");
    }

    private static String others(World world, VolumeOperation operation) {
        NodeChoice choice = NodeChoice.of(world, claimUid(operation), storageClass(world, operation));
        return choice instanceof NodeChoice.None none ? none.message() : "another one is to be chosen";
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
                ? Optional.of(operation.errorReason().isEmpty() ? "it failed" : operation.errorReason())
                : Optional.empty();
    }
}
