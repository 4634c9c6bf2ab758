package dev.mooring.server;

import dev.mooring.chaos.Faults;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import java.time.Duration;
import java.util.List;

/**
 * Applies armed faults to volume operations. An operation on a hanging server waits as long as mount.nfs would; then it
 * fails as if mount.nfs had been killed, and the failure is recorded in the server's circuit breaker. Thread-safe.
 */
final class ChaosVolumeFaults {
    /** Reason that a remote plugin reports for a server that accepts connections but does not respond. */
    private static final String TOO_SLOW = "TooSlow";

    private final Faults faults;
    private final List<RemoteServers> servers;
    private final Duration timeout;

    /**
     * Creates the faults.
     *
     * @param servers circuit breakers that record the failures
     */
    ChaosVolumeFaults(Faults faults, List<RemoteServers> servers, Duration timeout) {
        this.faults = faults;
        this.servers = servers;
        this.timeout = timeout;
    }

    /** Fails if a mount failure is armed. */
    void failIfArmed() throws VolumeException {
        var reason = faults.takeMountFailure();
        if (reason.isPresent()) {
            throw VolumeException.clean(
                    "Chaos", "made to fail on purpose (mooring chaos fail-next-mounts): " + reason.get());
        }
    }

    /**
     * Waits while the server hangs.
     *
     * @param server "" for none
     */
    void awaitServer(String server) throws VolumeException, InterruptedException {
        if (!isResponding(server)) {
            throw VolumeException.uncertain(TOO_SLOW, noResponseMessage(server), "");
        }
    }

    /**
     * Waits while the server of a job hangs.
     *
     * @param usual server of classes that name none
     */
    void awaitServer(VolumeWork work, String usual) throws VolumeWorkException, InterruptedException {
        String server = server(work, usual);
        if (!isResponding(server)) {
            throw new VolumeWorkException(TOO_SLOW, noResponseMessage(server));
        }
    }

    private static String server(VolumeWork work, String usual) {
        String server = work.source().map(SourceTypes::server).orElse("");
        if (!server.isEmpty()) {
            return server;
        }
        return SourceTypes.ofProvisioner(work.provisioner())
                .filter(type -> type.serverKind().isPresent())
                .map(type -> type.provisioningServer(work.parameters()).orElse(usual))
                .orElse("");
    }

    private boolean isResponding(String server) throws InterruptedException {
        if (server.isEmpty() || !faults.isHung(server) || faults.awaitAnswer(server, timeout)) {
            return true;
        }
        servers.forEach(each -> each.recordProbe(server, unreachable(server)));
        return false;
    }

    /** Returns the probe result for a hanging server. */
    MountHealth unreachable(String server) {
        return new MountHealth(MountHealth.State.UNREACHABLE, noResponseMessage(server), "");
    }

    boolean isHung(String server) {
        return faults.isHung(server);
    }

    private static String noResponseMessage(String server) {
        return "server " + server + " does not answer, on purpose (mooring chaos hang-server)";
    }
}
