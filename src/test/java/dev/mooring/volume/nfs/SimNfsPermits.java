package dev.mooring.volume.nfs;

import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.RemoteServers.Permit;
import dev.mooring.volume.RemoteServers.PermitDenied;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;

/** Runs calls of a simulated plugin with permits of the real {@link RemoteServers}, as {@link NfsPlugin} does. */
public final class SimNfsPermits {
    private SimNfsPermits() {}

    /** Call to a server. */
    @FunctionalInterface
    public interface ServerCall<T> {
        T ask() throws VolumeException, InterruptedException;
    }

    /**
     * Runs the call if the server has a permit.
     *
     * @param left failure state if the call is denied
     */
    public static <T> T during(RemoteServers servers, String server, FailureState left, ServerCall<T> asking)
            throws VolumeException, InterruptedException {
        RemoteServers.PermitResult result = servers.tryAcquire(server);
        if (result instanceof PermitDenied denied) {
            throw new VolumeException(
                    left,
                    ServerProbe.UNREACHABLE,
                    "server " + server + " has not responded",
                    denied.health().lastError());
        }
        try (Permit permit = (Permit) result) {
            try {
                T done = asking.ask();
                permit.answered();
                return done;
            } catch (VolumeException e) {
                recordFailure(permit, e);
                throw e;
            }
        }
    }

    /** Probes a server whose circuit is open, if the probe is due. */
    public static void retryServer(RemoteServers servers, String server, ServerCall<?> asking)
            throws InterruptedException {
        if (servers.health(server).state() != ServerHealth.State.OPEN
                || !(servers.tryAcquire(server) instanceof Permit permit)) {
            return;
        }
        try (permit) {
            try {
                asking.ask();
                permit.answered();
            } catch (VolumeException e) {
                recordFailure(permit, e);
            }
        }
    }

    private static void recordFailure(Permit permit, VolumeException failed) {
        if (NfsFailure.isNoResponse(failed.reason())) {
            permit.notAnswered(failed.getMessage());
        } else if (NfsFailure.isResponse(failed.reason())) {
            permit.answered();
        }
    }
}
