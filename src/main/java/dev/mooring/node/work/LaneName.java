package dev.mooring.node.work;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;

/**
 * What operations wait for together: this machine, or a server that may be dead.
 *
 * @param server "" for the server that the node's configuration names
 */
record LaneName(Kind kind, String server) {
    private static final LaneName LOCAL = new LaneName(Kind.LOCAL, "");

    /** Where the data is. */
    enum Kind {
        LOCAL,
        NFS
    }

    static LaneName of(VolumeOperation operation) {
        JsonNode source = operation.source().map(JsonNode.class::cast).orElseGet(MissingNode::getInstance);
        String server = source.path("nfs").path("server").asText("");
        if (server.isEmpty() && !operation.provisioner().equals(StorageNames.NFS_PROVISIONER)) {
            return LOCAL;
        }
        return new LaneName(Kind.NFS, server.isEmpty() ? operation.parameters().getOrDefault("server", "") : server);
    }
}
