package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Annotations;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.PathPattern;
import dev.mooring.model.view.PathValues;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decides whether to provision a volume for an unbound claim, on which node, and under which name. One event creates
 * the operation and marks the claim; then {@link ProvisionController} takes over. Pure; thread-safe.
 */
public final class Provisioning {
    /** Reason of an unbound claim's condition while its volume is being provisioned. */
    public static final String IN_PROGRESS_REASON = EventReasons.PROVISIONING;

    private static final int MAX_NAME_LENGTH = 253;

    private Provisioning() {}

    /** The decision for a claim. */
    public sealed interface StartResult {
        /** Provisioning starts with this proposal. */
        record Begin(Proposal proposal) implements StartResult {}

        /** An operation is already in progress. */
        record Underway(VolumeOperation operation, String message) implements StartResult {}

        /** Provisioning is impossible until an object or setting changes. */
        record Impossible(String message) implements StartResult {}
    }

    /** Aborts a decision with the reason why provisioning is impossible. */
    private static final class ImpossibleException extends Exception {
        private static final long serialVersionUID = 1L;

        private ImpossibleException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Decides for a claim.
     *
     * @param claim unbound, with no matching volume
     * @param storageClass of the claim, with one of Mooring's provisioners
     */
    public static StartResult decide(World world, Claim claim, StorageClass storageClass, Instant now) {
        Optional<VolumeOperation> existing =
                world.get(ProvisionOperations.key(claim.uid())).map(VolumeOperation::of);
        if (existing.isPresent()) {
            return new StartResult.Underway(existing.get(), ProvisionMessages.inProgress(world, existing.get()));
        }
        Optional<String> refusal = ProvisioningValidation.of(claim, storageClass);
        if (refusal.isPresent()) {
            return new StartResult.Impossible(refusal.get());
        }
        try {
            String volume = volumeName(world, claim, storageClass);
            String path = path(claim, storageClass, volume);
            Node node = node(world, claim, storageClass);
            String namespaceUid = world.get(ObjectKey.clusterWide("namespaces", claim.namespace()))
                    .map(StoredJson::uid)
                    .orElse("");
            return new StartResult.Begin(begin(
                    new ProvisionOperations.ProvisionRequest(
                            claim, storageClass, node.name(), volume, path, namespaceUid),
                    node,
                    now));
        } catch (ImpossibleException e) {
            return new StartResult.Impossible(e.getMessage());
        }
    }

    private static String volumeName(World world, Claim claim, StorageClass storageClass) throws ImpossibleException {
        String requestedName = claim.volumeName();
        if (requestedName.isEmpty()) {
            String name = "pvc-" + claim.uid();
            if (world.get(Volume.key(name)).isPresent()) {
                throw new ImpossibleException("PersistentVolume \"" + name
                        + "\" already exists and cannot be bound to the claim; next: delete it");
            }
            return name;
        }
        if (!storageClass.createsMissingVolumes()) {
            throw new ImpossibleException("PersistentVolume \"" + requestedName + "\" not found, and StorageClass \""
                    + storageClass.name()
                    + "\" does not provision volumes under requested names (createMissingVolume: \"true\")");
        }
        if (!isVolumeName(requestedName)) {
            throw new ImpossibleException("no PersistentVolume can be named \"" + requestedName
                    + "\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
                    + " '.', and must start and end with an alphanumeric character");
        }
        if (world.get(Volume.key(requestedName)).isPresent()) {
            throw new ImpossibleException("PersistentVolume \"" + requestedName + "\" already exists");
        }
        Optional<VolumeOperation> other = operationMaking(world, requestedName);
        if (other.isPresent()) {
            throw new ImpossibleException("PersistentVolume \"" + requestedName
                    + "\" is being provisioned for another claim, "
                    + other.get().claim().map(Object::toString).orElse("without a name"));
        }
        return requestedName;
    }

    /**
     * Returns the operation that provisions a volume of this name. Scans all operations, but only for names that a
     * claim requests.
     */
    private static Optional<VolumeOperation> operationMaking(World world, String volume) {
        for (StoredObject each : world.list(Scope.resource(StorageNames.OPERATIONS))) {
            if (ProvisionOperations.isProvisionOperation(each.key()) && each.containsText(volume)) {
                VolumeOperation operation = VolumeOperation.of(each);
                if (ProvisionOperations.isProvision(operation)
                        && operation.volume().equals(volume)) {
                    return Optional.of(operation);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isVolumeName(String name) {
        boolean letters =
                name.chars().allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.');
        return letters
                && name.length() <= MAX_NAME_LENGTH
                && "-.".indexOf(name.charAt(0)) < 0
                && "-.".indexOf(name.charAt(name.length() - 1)) < 0
                && !name.contains("..");
    }

    private static String path(Claim claim, StorageClass storageClass, String volume) throws ImpossibleException {
        PathValues values = new PathValues(
                volume,
                claim.namespace(),
                claim.name(),
                claim.uid(),
                texts(claim.labels()),
                texts(claim.metadata().path("annotations")));
        PathPattern.Expansion expansion =
                ClassParameters.of(storageClass.parameters()).pathPattern().expand(values);
        if (expansion instanceof PathPattern.Path path) {
            return path.text();
        }
        throw new ImpossibleException("StorageClass \"" + storageClass.name() + "\" has no valid path for the claim: "
                + ((PathPattern.Problem) expansion).message());
    }

    private static Map<String, String> texts(JsonNode object) {
        Map<String, String> texts = new HashMap<>();
        for (Map.Entry<String, JsonNode> each : object.properties()) {
            texts.put(each.getKey(), each.getValue().asText(""));
        }
        return texts;
    }

    /** Returns the node selected for the claim, or otherwise a suitable one. */
    private static Node node(World world, Claim claim, StorageClass storageClass) throws ImpossibleException {
        Optional<String> selected = claim.selectedNode();
        if (selected.isPresent()) {
            return find(world, selected.get())
                    .orElseThrow(() -> new ImpossibleException(
                            "Failed to get target node: node \"" + selected.get() + "\" not found"));
        }
        NodeChoice choice = NodeChoice.of(world, claim.uid(), Optional.of(storageClass));
        if (choice instanceof NodeChoice.Chosen chosen) {
            return chosen.node();
        }
        throw new ImpossibleException(((NodeChoice.None) choice).message());
    }

    /** Finds a node by the name in an annotation, which may be invalid. */
    static Optional<Node> find(World world, String name) {
        return isVolumeName(name) ? world.get(Node.key(name)).map(Node::of) : Optional.empty();
    }

    private static Proposal begin(ProvisionOperations.ProvisionRequest request, Node node, Instant now) {
        Claim claim = request.claim();
        StorageClass storageClass = request.storageClass();
        ObjectNode marked = claim.copy();
        Annotations.put(marked, StorageNames.BETA_STORAGE_PROVISIONER, storageClass.provisioner());
        Annotations.put(marked, StorageNames.STORAGE_PROVISIONER, storageClass.provisioner());
        Conditions.put(
                marked,
                BindProposals.BOUND_CONDITION,
                "False",
                IN_PROGRESS_REASON,
                ProvisionMessages.waiting(node.name(), request.volume(), storageClass.provisioner()),
                now);
        Proposal.Builder proposal = Proposal.by(StorageNames.VOLUME_CONTROLLER_NAME, "ProvisioningRequested")
                .because(claim.cause())
                .create(Draft.of(ProvisionOperations.key(claim.uid()), ProvisionOperations.provision(request, now)));
        if (marked.equals(claim.tree())) {
            proposal.expect(claim.stored());
        } else {
            proposal.replace(claim.stored(), Draft.of(claim.key(), marked));
        }
        return proposal.expect(storageClass.stored())
                .expect(node.stored())
                .expectAbsent(Volume.key(request.volume()))
                .build();
    }
}
