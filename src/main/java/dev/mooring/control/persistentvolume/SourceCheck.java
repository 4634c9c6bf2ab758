package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.Optional;

/**
 * Validates the result that a node reports for an operation. A node is trusted for its own machine only: so the
 * PersistentVolume must be exactly what the class's provisioner creates for the operation, below its base, and
 * reachable on that node alone. Pure.
 *
 * @param node that provisioned it; empty if it is gone
 * @param nfs default share for classes that set none
 */
record SourceCheck(World world, VolumeOperation operation, Optional<Node> node, NfsShare nfs) {
    private static final int MAX_SHOWN = 200;

    /** Returns the source that the class's provisioner creates; empty if it is unknown. */
    Optional<ObjectNode> expected() {
        ClassParameters parameters = ClassParameters.of(operation.parameters());
        if (operation.provisioner().equals(StorageNames.NFS_PROVISIONER)) {
            String server = parameters.server().orElse(nfs.server());
            String share = parameters.share().orElse(nfs.share());
            return server.isEmpty() ? Optional.empty() : Optional.of(nfs(server, below(share)));
        }
        return parameters.basePath().or(this::baseOfNode).map(base -> switch (operation.provisioner()) {
            case StorageNames.BLOCK_PROVISIONER -> block(below(base) + ".img", parameters.fsType());
            case StorageNames.LOCAL_PROVISIONER -> path("local", below(base));
            default -> {
                ObjectNode source = path("hostPath", below(base));
                source.withObject("/hostPath").put("type", "Directory");
                yield source;
            }
        });
    }

    private Optional<String> baseOfNode() {
        return node.map(each -> each.volumeBases().get(kind())).filter(base -> base.startsWith("/"));
    }

    private String kind() {
        return operation.provisioner().substring(operation.provisioner().indexOf('/') + 1);
    }

    private String below(String base) {
        return (base.endsWith("/") ? base : base + '/') + operation.path();
    }

    private static ObjectNode path(String kind, String path) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject(kind).put("path", path);
        return source;
    }

    private static ObjectNode nfs(String server, String path) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs").put("server", server).put("path", path);
        return source;
    }

    private ObjectNode block(String image, String fsType) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        ObjectNode csi = source.putObject("csi");
        csi.put("driver", StorageNames.BLOCK_DRIVER).put("volumeHandle", operation.volumeUid());
        if (operation.mode() == VolumeMode.FILESYSTEM) {
            csi.put("fsType", fsType);
        }
        csi.putObject("volumeAttributes").put("image", image);
        return source;
    }

    /** Returns the reported source if it is the expected one. */
    Optional<ObjectNode> reported() {
        return operation
                .resultSource()
                .filter(source -> expected().filter(source::equals).isPresent());
    }

    /** Returns why {@link #expected} is unknown, and what to do. */
    String unknownReason() {
        return operation.provisioner().equals(StorageNames.NFS_PROVISIONER)
                ? "no NFS server is known: name server and share in the parameters of the class, or set nfs.server"
                : "node \"" + operation.node() + "\" does not report its base directory: its Node has no annotation "
                        + StorageNames.VOLUME_BASE + kind();
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
        return operation.provisioner().equals(StorageNames.NFS_PROVISIONER) ? Optional.empty() : ambiguity();
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
