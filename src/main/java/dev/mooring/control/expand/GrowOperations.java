package dev.mooring.control.expand;

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

/** The work a node is given to make a volume larger. Pure; any thread. */
final class GrowOperations {
    /** Followed by the uid of the volume, so that there is one at most. */
    static final String NAME_START = "grow-";

    private static final Set<String> HOPELESS = Set.of("Infeasible", "NoSpace");
    private static final Scope NODES = Scope.resource("nodes");

    private GrowOperations() {}

    static boolean isOne(ObjectKey key) {
        return key.resource().equals(StorageNames.OPERATIONS) && key.name().startsWith(NAME_START);
    }

    /** Whether trying again cannot help. */
    static boolean isHopeless(VolumeOperation operation) {
        return HOPELESS.contains(operation.errorReason());
    }

    static boolean isRunning(VolumeOperation operation) {
        return operation.state().equals(VolumeOperation.RUNNING);
    }

    /** Whether there is a claim that it works for, bound to the volume it works on. */
    static boolean isNeeded(World world, VolumeOperation operation) {
        Optional<Claim> claim = operation
                .claim()
                .flatMap(reference -> world.get(reference.key()))
                .map(Claim::of);
        Optional<Volume> volume =
                Growth.named(world, StorageNames.VOLUMES, operation.volume()).map(Volume::of);
        return claim.isPresent()
                && volume.isPresent()
                && operation.claim().get().uid().equals(claim.get().uid())
                && operation.volumeUid().equals(volume.get().uid())
                && claim.get().volumeName().equals(volume.get().name())
                && Growth.belongs(volume.get(), claim.get());
    }

    /** The node that has the data of a volume. */
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

    /** The work, yet to be begun. */
    static Draft create(World world, Growth growth, String node, Instant now) {
        Volume volume = growth.volume();
        ObjectKey key = Growth.operationKey(volume.uid());
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
        spec.put("operation", VolumeOperation.Work.GROW.toString());
        spec.put("node", node);
        spec.put("provisioner", StorageNames.BLOCK_PROVISIONER);
        spec.put("persistentVolume", volume.name());
        spec.put("persistentVolumeUID", volume.uid());
        spec.putObject("claim")
                .put("namespace", growth.claim().namespace())
                .put("name", growth.claim().name())
                .put("uid", growth.claim().uid());
        growth.claim()
                .className()
                .filter(name -> !name.isEmpty())
                .ifPresent(name -> spec.put("storageClassName", name));
        spec.putObject("source").set("csi", volume.spec().path("csi").deepCopy());
        spec.put("volumeMode", volume.mode().toString());
        spec.put("capacity", growth.target().canonical());
        growth.storageClass().filter(StorageClass::isOurs).ifPresent(of -> {
            ObjectNode parameters = spec.putObject("parameters");
            of.parameters().forEach(parameters::put);
        });
        return Draft.of(key, operation);
    }

    /** The same work with another size, to be begun anew. */
    static Draft resized(VolumeOperation operation, Quantity size) {
        ObjectNode next = operation.copy();
        next.withObject("/spec").put("capacity", size.canonical());
        next.remove("status");
        return Draft.of(operation.key(), next);
    }

    /** How large the volume is now that the work is done: as large as was asked for, or a little larger. */
    static Quantity reached(VolumeOperation operation) {
        Quantity asked = operation.capacity().orElse(Quantity.ZERO);
        return operation
                .madeCapacity()
                .filter(made -> made.compareTo(asked) > 0)
                .orElse(asked);
    }
}
