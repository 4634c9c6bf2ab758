package dev.mooring.node.volumemanager;

import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.WorkerPoolKey;

/** Selects the worker pool of an operation: this machine, or a server. Pure. */
final class OperationWorkerPool {
    private OperationWorkerPool() {}

    /** Returns the pool. The server "" is the one in the node's configuration. */
    static WorkerPoolKey of(VolumeOperation operation) {
        String server = operation.source().map(SourceTypes::server).orElse("");
        if (!server.isEmpty()) {
            return WorkerPoolKey.server(server);
        }
        return SourceTypes.ofProvisioner(operation.provisioner())
                .filter(type -> type.serverKind().isPresent())
                .map(type -> WorkerPoolKey.server(
                        type.provisioningServer(operation.parameters()).orElse("")))
                .orElse(WorkerPoolKey.LOCAL);
    }
}
