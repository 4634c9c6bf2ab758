package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.chaos.Faults;
import dev.mooring.model.view.StorageNames;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import java.time.Duration;

/**
 * What armed faults mean for volumes. A server that hangs is waited for as long as a program such as mount.nfs would be; then the operation fails as if
 * that had been killed, and the server counts as one that does not answer. Several threads at once.
 */
final class ChaosMounts {
    /** As the plugin for NFS says of a server that took the connection and nothing more. */
    private static final String TOO_SLOW = "TooSlow";

    private final Faults faults;
    private final NfsServers servers;
    private final Duration patience;

    /** @param servers are told that one does not answer */
    ChaosMounts(Faults faults, NfsServers servers, Duration patience) {
        this.faults = faults;
        this.servers = servers;
        this.patience = patience;
    }

    /** Fails if the next set-up is to fail. */
    void mayBegin() throws VolumeException {
        var reason = faults.takeMountFailure();
        if (reason.isPresent()) {
            throw VolumeException.clean(
                    "Chaos", "made to fail on purpose (mooring chaos fail-next-mounts): " + reason.get());
        }
    }

    /** @param server "" for none */
    void awaitServer(String server) throws VolumeException, InterruptedException {
        if (!answers(server)) {
            throw VolumeException.uncertain(TOO_SLOW, silence(server), "");
        }
    }

    /**
     * Before work on the data of a volume.
     *
     * @param usual the server of classes that name none
     */
    void awaitServer(VolumeWork work, String usual) throws VolumeWorkException, InterruptedException {
        String server = server(work, usual);
        if (!answers(server)) {
            throw new VolumeWorkException(TOO_SLOW, silence(server));
        }
    }

    private static String server(VolumeWork work, String usual) {
        JsonNode source = work.source().map(JsonNode.class::cast).orElseGet(MissingNode::getInstance);
        String server = source.path("nfs").path("server").asText("");
        if (server.isEmpty() && work.provisioner().equals(StorageNames.NFS_PROVISIONER)) {
            return work.parameters().getOrDefault("server", usual);
        }
        return server;
    }

    private boolean answers(String server) throws InterruptedException {
        if (server.isEmpty() || !faults.isHung(server) || faults.awaitAnswer(server, patience)) {
            return true;
        }
        servers.observed(server, unreachable(server));
        return false;
    }

    /** What a probe of a mount finds. */
    Health unreachable(String server) {
        return new Health(Health.State.UNREACHABLE, silence(server), "");
    }

    boolean isHung(String server) {
        return faults.isHung(server);
    }

    private static String silence(String server) {
        return "server " + server + " does not answer, on purpose (mooring chaos hang-server)";
    }
}
