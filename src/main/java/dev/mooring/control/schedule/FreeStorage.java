package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Index;
import dev.mooring.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes how much storage can still be provisioned on a node: the free storage in the node's annotation, less the
 * requests of claims whose volumes are being provisioned there. A node without annotation is assumed to have enough;
 * provisioning will tell. Pure.
 */
final class FreeStorage {
    /**
     * Annotation prefix of a node, followed by the provisioner's name without the domain: free bytes where it
     * provisions volumes.
     */
    static final String FREE_BYTES = "mooring.dev/free-bytes.";

    /** Claims whose volumes are being provisioned, by the selected node. */
    private static final Index<String> PROVISIONING_BY_NODE = Index.of(
            "Claims being provisioned by node", Scope.resource(StorageNames.CLAIMS), FreeStorage::provisioningNode);

    private FreeStorage() {}

    private static List<String> provisioningNode(StoredObject claim) {
        return claim.containsText(StorageNames.SELECTED_NODE)
                ? provisioningNode(Claim.of(claim)).stream().toList()
                : List.of();
    }

    private static Optional<String> provisioningNode(Claim claim) {
        return PodClaims.isBound(claim) ? Optional.empty() : claim.selectedNode();
    }

    /** Returns whether a claim's provisioning ended, so that more storage may be free. */
    static boolean isReleased(Optional<Claim> before, Optional<Claim> after) {
        Optional<String> former = before.flatMap(FreeStorage::provisioningNode);
        return former.isPresent() && !former.equals(after.flatMap(FreeStorage::provisioningNode));
    }

    /** Returns whether the node's free storage changed. */
    static boolean isChanged(Node before, Node after) {
        JsonNode was = before.metadata().path("annotations");
        for (Map.Entry<String, JsonNode> each :
                after.metadata().path("annotations").properties()) {
            if (each.getKey().startsWith(FREE_BYTES) && !each.getValue().equals(was.path(each.getKey()))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the remaining storage on a node for volumes of a class; empty if it is unknown or not limited. */
    static Optional<Quantity> remaining(World world, Node node, StorageClass storageClass, InFlight inFlight) {
        String provisioner = storageClass.provisioner();
        if (!storageClass.isMooringProvisioned()
                || storageClass.parameters().getOrDefault("overcommit", "").equals("true")) {
            return Optional.empty();
        }
        Optional<Quantity> free = node.annotation(
                        FREE_BYTES + provisioner.substring(StorageNames.MOORING_PROVISIONER_PREFIX.length()))
                .flatMap(FreeStorage::parse);
        return free.map(bytes -> bytes.minus(requested(world, node.name(), provisioner))
                .minus(inFlight.requestedStorage(world, node.name(), provisioner)));
    }

    private static Quantity requested(World world, String node, String provisioner) {
        Quantity sum = Quantity.ZERO;
        for (StoredObject each : world.find(PROVISIONING_BY_NODE, node)) {
            Claim claim = Claim.of(each);
            boolean same = claim.className()
                    .filter(name -> !name.isEmpty())
                    .flatMap(name -> world.get(StorageClass.key(name)))
                    .map(StorageClass::of)
                    .filter(found -> found.provisioner().equals(provisioner))
                    .isPresent();
            if (same) {
                sum = sum.plus(claim.request());
            }
        }
        return sum;
    }

    private static Optional<Quantity> parse(String text) {
        try {
            Quantity parsed = Quantity.parse(text);
            return Optional.of(Quantity.ofBytes(parsed.value()));
        } catch (Quantity.MalformedException e) {
            return Optional.empty();
        }
    }
}
