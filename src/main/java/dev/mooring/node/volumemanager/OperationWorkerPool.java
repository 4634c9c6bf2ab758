package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.WorkerPoolKey;

/** Selects the worker pool of an operation: this machine, or a server. Pure. */
final class OperationWorkerPool {
    private OperationWorkerPool() {}

    /** Returns the pool. The server "" is the one in the node's configuration. */
    static WorkerPoolKey of(VolumeOperation operation) {
        JsonNode source = operation.source().map(JsonNode.class::cast).orElseGet(MissingNode::getInstance);
        String server = source.path("nfs").path("server").asText("");
        if (server.isEmpty() && !operation.provisioner().equals(StorageNames.NFS_PROVISIONER)) {
            return WorkerPoolKey.LOCAL;
        }
        return WorkerPoolKey.nfs(server.isEmpty() ? operation.parameters().getOrDefault("server", "") : server);
    }
}
