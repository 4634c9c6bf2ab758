package dev.mooring.node.work;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.Lane;

/** What operations wait for together: this machine, or a server that may be dead. Pure. */
final class OperationLane {
    private OperationLane() {}

    /** "" is the server that the node's configuration names. */
    static Lane of(VolumeOperation operation) {
        JsonNode source = operation.source().map(JsonNode.class::cast).orElseGet(MissingNode::getInstance);
        String server = source.path("nfs").path("server").asText("");
        if (server.isEmpty() && !operation.provisioner().equals(StorageNames.NFS_PROVISIONER)) {
            return Lane.LOCAL;
        }
        return Lane.nfs(server.isEmpty() ? operation.parameters().getOrDefault("server", "") : server);
    }
}
