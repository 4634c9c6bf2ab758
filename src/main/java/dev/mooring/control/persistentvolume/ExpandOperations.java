package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Builds the operations that make a node expand a volume. Pure; thread-safe. */
final class ExpandOperations {
    /** Name prefix, followed by the uid of the volume, so that a volume has at most one. */
    static final String NAME_PREFIX = "grow-";

    private static final Set<String> INFEASIBLE_REASONS = Set.of("Infeasible", "NoSpace");
    private static final Scope NODES = Scope.resource("nodes");

    private ExpandOperations() {}

    static boolean isExpandOperation(ObjectKey key) {
        return key.resource().equals(StorageNames.OPERATIONS) && key.name().startsWith(NAME_PREFIX);
    }

    /** Returns whether the failure is final. */
    static boolean isInfeasible(VolumeOperation operation) {
        return INFEASIBLE_REASONS.contains(operation.errorReason());
    }

    static boolean isRunning(VolumeOperation operation) {
        return operation.state().equals(VolumeOperation.RUNNING);
    }

    /** Returns whether the operation's claim exists and is bound to its volume. */
    static boolean isNeeded(World world, VolumeOperation operation) {
        Optional<Claim> claim = operation
                .claim()
                .flatMap(reference -> world.get(reference.key()))
                .map(Claim::of);
        Optional<Volume> volume = Lookup.volume(world, operation.volume());
        return claim.isPresent()
                && volume.isPresent()
                && operation.claim().get().uid().equals(claim.get().uid())
                && operation.volumeUid().equals(volume.get().uid())
                && claim.get().volumeName().equals(volume.get().name())
                && VolumeExpansion.isBoundTo(volume.get(), claim.get());
    }

    /** Returns the node that has the data of a volume. */
    static Optional<String> nodeOf(World world, Volume volume) {
        NodeSelector affinity = volume.nodeAffinity();
        if (affinity.isAny()) {
            return Optional.empty();
        }
        for (StoredObject each : world.list(NODES)) {
            Node node = Node.of(each);
            if (affinity.matches(node)) {
                return Optional.of(node.name());
            }
        }
        return Optional.empty();
    }

    /** Returns a new pending operation. */
    static Draft create(World world, VolumeExpansion expansion, String node, Instant now) {
        Volume volume = expansion.volume();
        ObjectKey key = VolumeExpansion.operationKey(volume.uid());
        String unique = key + "@" + world.revision() + "@" + now;
        ObjectNode operation = JsonNodeFactory.instance.objectNode();
        operation.put("kind", "VolumeOperation").put("apiVersion", "mooring.dev/v1");
        operation
                .putObject("metadata")
                .put("name", key.name())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        ObjectNode spec = operation.putObject("spec");
        spec.put("operation", VolumeOperation.OperationType.GROW.toString());
        spec.put("node", node);
        spec.put("provisioner", expansion.provisioner());
        spec.put("persistentVolume", volume.name());
        spec.put("persistentVolumeUID", volume.uid());
        spec.putObject("claim")
                .put("namespace", expansion.claim().namespace())
                .put("name", expansion.claim().name())
                .put("uid", expansion.claim().uid());
        expansion
                .claim()
                .className()
                .filter(name -> !name.isEmpty())
                .ifPresent(name -> spec.put("storageClassName", name));
        spec.set("source", SourceTypes.source(volume.spec()));
        spec.put("volumeMode", volume.mode().toString());
        spec.put("capacity", expansion.target().canonical());
        expansion.storageClass().filter(StorageClass::isMooringProvisioned).ifPresent(of -> {
            ObjectNode parameters = spec.putObject("parameters");
            of.parameters().forEach(parameters::put);
        });
        return Draft.of(key, operation);
    }

    /** Returns the operation with another size, reset to pending. */
    static Draft resized(VolumeOperation operation, Quantity size) {
        ObjectNode next = operation.copy();
        next.withObject("/spec").put("capacity", size.canonical());
        next.remove("status");
        return Draft.of(operation.key(), next);
    }

    /** Returns the volume's capacity after the operation: the requested size or slightly more. */
    static Quantity resultCapacity(VolumeOperation operation) {
        Quantity requested = operation.capacity().orElse(Quantity.ZERO);
        return operation
                .resultCapacity()
                .filter(actual -> actual.compareTo(requested) > 0)
                .orElse(requested);
    }
}
