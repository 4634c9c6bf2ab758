package dev.mooring.control.provision;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.StoredJson;
import dev.mooring.control.bind.Bind;
import dev.mooring.model.Draft;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.provision.ClassParameters;
import dev.mooring.model.provision.PathPattern;
import dev.mooring.model.provision.PathValues;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
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
 * Whether a volume is to be made for a claim that has none, by which node, and under which name. One event writes down the work and marks the
 * claim; from then on it is {@link ProvisionController}'s. Pure; any thread.
 */
public final class Provisioning {
    /** Why a claim is not bound: its volume is being made. */
    static final String UNDERWAY_REASON = "Provisioning";

    private static final int MAX_NAME_LENGTH = 253;

    private Provisioning() {}

    /** What is to be done for a claim. */
    public sealed interface Start {
        /** The work begins with this. */
        record Begin(Proposal proposal) implements Start {}

        /** Something is being done already. */
        record Underway(VolumeOperation operation, String message) implements Start {}

        /** It will not be done until something is changed. */
        record Impossible(String message) implements Start {}
    }

    /** Leaves a decision from within, with why nothing can be done. */
    private static final class ImpossibleException extends Exception {
        private static final long serialVersionUID = 1L;

        private ImpossibleException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Decides.
     *
     * @param claim not bound, and no volume there is fits it
     * @param storageClass of the claim, with one of Mooring's own provisioners
     */
    public static Start decide(World world, Claim claim, StorageClass storageClass, Instant now) {
        Optional<VolumeOperation> existing =
                world.get(Operations.key(claim.uid())).map(VolumeOperation::of);
        if (existing.isPresent()) {
            return new Start.Underway(existing.get(), Words.underway(world, existing.get()));
        }
        Optional<String> refusal = Refusals.of(claim, storageClass);
        if (refusal.isPresent()) {
            return new Start.Impossible(refusal.get());
        }
        try {
            String volume = volumeName(world, claim, storageClass);
            String path = path(claim, storageClass, volume);
            return new Start.Begin(begin(claim, storageClass, node(world, claim, storageClass), volume, path, now));
        } catch (ImpossibleException e) {
            return new Start.Impossible(e.getMessage());
        }
    }

    private static String volumeName(World world, Claim claim, StorageClass storageClass) throws ImpossibleException {
        String asked = claim.volumeName();
        if (asked.isEmpty()) {
            String name = "pvc-" + claim.uid();
            if (world.get(Volume.key(name)).isPresent()) {
                throw new ImpossibleException("PersistentVolume \"" + name
                        + "\" already exists and cannot be bound to the claim; next: delete it");
            }
            return name;
        }
        if (!storageClass.createsMissingVolumes()) {
            throw new ImpossibleException("PersistentVolume \"" + asked + "\" not found, and StorageClass \""
                    + storageClass.name()
                    + "\" does not make volumes under the names that claims ask for (createMissingVolume: \"true\")");
        }
        if (!isVolumeName(asked)) {
            throw new ImpossibleException("no PersistentVolume can be named \"" + asked
                    + "\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
                    + " '.', and must start and end with an alphanumeric character");
        }
        if (world.get(Volume.key(asked)).isPresent()) {
            throw new ImpossibleException("PersistentVolume \"" + asked + "\" already exists");
        }
        Optional<VolumeOperation> rival = maker(world, asked);
        if (rival.isPresent()) {
            throw new ImpossibleException("PersistentVolume \"" + asked + "\" is being made for another claim, "
                    + rival.get().claim().map(Object::toString).orElse("of no name"));
        }
        return asked;
    }

    /** Who makes a volume of this name. Looks through what is under way, which is little, and only for names that are asked for. */
    private static Optional<VolumeOperation> maker(World world, String volume) {
        for (StoredObject each : world.list(Scope.resource(StorageNames.OPERATIONS))) {
            if (Operations.isOurs(each.key()) && StoredJson.mentions(each, volume)) {
                VolumeOperation operation = VolumeOperation.of(each);
                if (Operations.isProvision(operation) && operation.volume().equals(volume)) {
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
        throw new ImpossibleException("StorageClass \"" + storageClass.name() + "\" gives no path for the claim: "
                + ((PathPattern.Problem) expansion).message());
    }

    private static Map<String, String> texts(JsonNode object) {
        Map<String, String> texts = new HashMap<>();
        for (Map.Entry<String, JsonNode> each : object.properties()) {
            texts.put(each.getKey(), each.getValue().asText(""));
        }
        return texts;
    }

    /** The node that was chosen for the claim, or else one that can. */
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

    /** An annotation may name what cannot be. */
    static Optional<Node> find(World world, String name) {
        return isVolumeName(name) ? world.get(Node.key(name)).map(Node::of) : Optional.empty();
    }

    private static Proposal begin(
            Claim claim, StorageClass storageClass, Node node, String volume, String path, Instant now) {
        Operations.Order order = new Operations.Order(claim, storageClass, node.name(), volume, path);
        ObjectNode marked = claim.copy();
        Annotations.put(marked, StorageNames.BETA_STORAGE_PROVISIONER, storageClass.provisioner());
        Annotations.put(marked, StorageNames.STORAGE_PROVISIONER, storageClass.provisioner());
        Conditions.put(
                marked,
                Bind.BOUND_CONDITION,
                "False",
                UNDERWAY_REASON,
                Words.waiting(node.name(), volume, storageClass.provisioner()),
                now);
        Proposal.Builder proposal = Proposal.by(StorageNames.VOLUME_CONTROLLER_NAME, "ProvisioningRequested")
                .because(claim.cause())
                .create(Draft.of(Operations.key(claim.uid()), Operations.provision(order, now)));
        if (marked.equals(claim.tree())) {
            proposal.expect(claim.stored());
        } else {
            proposal.replace(claim.stored(), Draft.of(claim.key(), marked));
        }
        return proposal.expect(storageClass.stored())
                .expect(node.stored())
                .expectAbsent(Volume.key(volume))
                .build();
    }
}
