package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Validates the result that a node reports for an operation. A node is trusted for its own machine only: so the
 * PersistentVolume must be exactly what the class's provisioner creates for the operation, below its base, and
 * reachable on that node alone. Pure.
 *
 * @param node that provisioned it; empty if it is gone
 * @param defaults class parameters for classes that do not set them, by provisioner
 */
public record SourceCheck(
        World world, VolumeOperation operation, Optional<Node> node, Map<String, Map<String, String>> defaults) {
    private static final int MAX_SHOWN = 200;

    /** Returns the source that the class's provisioner creates; empty if it is unknown. */
    public Optional<ObjectNode> expected() {
        Map<String, String> all = new HashMap<>(defaults.getOrDefault(operation.provisioner(), Map.of()));
        all.putAll(operation.parameters());
        ClassParameters parameters = ClassParameters.of(all);
        return type().flatMap(type ->
                type.provisioned(operation, parameters, parameters.basePath().or(this::baseOfNode)));
    }

    private Optional<SourceType> type() {
        return SourceTypes.ofProvisioner(operation.provisioner());
    }

    private Optional<String> baseOfNode() {
        return node.map(each -> each.volumeBases().get(kind())).filter(base -> base.startsWith("/"));
    }

    private String kind() {
        return operation.provisioner().substring(operation.provisioner().indexOf('/') + 1);
    }

    /** Returns the reported source if it is the expected one. */
    Optional<ObjectNode> reported() {
        return operation
                .resultSource()
                .filter(source -> expected().filter(source::equals).isPresent());
    }

    /** Returns why {@link #expected} is unknown, and what to do. */
    String unknownReason() {
        return type().flatMap(SourceType::unknownLocationReason)
                .orElseGet(() -> "node \"" + operation.node()
                        + "\" does not report its base directory: its Node has no annotation "
                        + StorageNames.VOLUME_BASE + kind());
    }

    /** Returns why the reported source is rejected; empty if it is accepted. */
    Optional<String> problem(ObjectNode expected) {
        String report = "node \"" + operation.node() + "\" reports ";
        Optional<String> reported = operation.resultSource().map(Object::toString);
        if (operation.resultSource().filter(expected::equals).isEmpty()) {
            String shown = reported.orElse("no source");
            return Optional.of(report + shown.substring(0, Math.min(shown.length(), MAX_SHOWN)) + ", but "
                    + operation.provisioner() + " provisions this volume at " + expected);
        }
        Quantity requested = operation.capacity().orElse(Quantity.ZERO);
        Optional<Quantity> made = operation.resultCapacity().filter(size -> size.compareTo(requested) < 0);
        if (made.isPresent()) {
            return Optional.of(report + "a capacity of " + made.get() + ", less than the requested " + requested);
        }
        return ProvisionOperations.isNodeBound(operation) ? ambiguity() : Optional.empty();
    }

    /** Returns an error if another node has the same hostname, because the volume's affinity refers to that label. */
    private Optional<String> ambiguity() {
        String label = ProvisionedVolume.hostName(operation, node);
        for (StoredObject each : world.list(Scope.resource(NodeChoice.NODES))) {
            Node other = Node.of(each);
            String otherLabel = other.labels().path(StorageNames.HOST_NAME).asText(other.name());
            if (!other.name().equals(operation.node())
                    && (otherLabel.equals(label) || other.name().equals(label))) {
                return Optional.of("node \"" + operation.node() + "\" has the label " + StorageNames.HOST_NAME + '='
                        + label + " of node \"" + other.name() + "\": give each node a unique label");
            }
        }
        return Optional.empty();
    }
}
