package dev.mooring.volume;

import java.nio.file.Path;

/** A volume plugin whose volumes are on other machines, which may stop responding. Its source type names the server. */
public interface RemotePlugin extends VolumePlugin {
    /** Returns the state of the servers. */
    RemoteServers servers();

    /**
     * Probes the server of a volume if its circuit breaker is open and the next probe is due. The result is recorded in
     * {@link #servers}. Blocks for some seconds.
     */
    void retryServer(VolumeSpec volume) throws InterruptedException;

    /** Probes a mounted volume. Blocks for at most a few seconds. */
    MountHealth probe(Path mounted) throws InterruptedException;
}
