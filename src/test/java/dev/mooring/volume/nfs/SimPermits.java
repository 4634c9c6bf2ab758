package dev.mooring.volume.nfs;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.nfs.NfsServers.Permit;
import dev.mooring.volume.nfs.NfsServers.Refused;

/** For a simulated plugin: asks servers with the leave of the real {@link NfsServers}, as {@link NfsPlugin} does. */
public final class SimPermits {
    private SimPermits() {}

    /** What a server is asked. */
    @FunctionalInterface
    public interface Asking<T> {
        T ask() throws VolumeException, InterruptedException;
    }

    /** @param left what there is if it is not asked at all */
    public static <T> T during(NfsServers servers, String server, Left left, Asking<T> asking)
            throws VolumeException, InterruptedException {
        NfsServers.Answer answer = servers.enter(server);
        if (answer instanceof Refused refused) {
            throw new VolumeException(
                    left,
                    PreFlight.UNREACHABLE,
                    "server " + server + " has not answered",
                    refused.health().lastError());
        }
        try (Permit permit = (Permit) answer) {
            try {
                T done = asking.ask();
                permit.answered();
                return done;
            } catch (VolumeException e) {
                learn(permit, e);
                throw e;
            }
        }
    }

    /** Only if it is left in peace and its time has come. */
    public static void knock(NfsServers servers, String server, Asking<?> asking) throws InterruptedException {
        if (servers.health(server).state() != ServerHealth.State.OPEN
                || !(servers.enter(server) instanceof Permit permit)) {
            return;
        }
        try (permit) {
            try {
                asking.ask();
                permit.answered();
            } catch (VolumeException e) {
                learn(permit, e);
            }
        }
    }

    private static void learn(Permit permit, VolumeException failed) {
        if (NfsFailure.isSilence(failed.reason())) {
            permit.notAnswered(failed.getMessage());
        } else if (NfsFailure.isAnswer(failed.reason())) {
            permit.answered();
        }
    }
}
