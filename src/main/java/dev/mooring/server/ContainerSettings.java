package dev.mooring.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Container engine settings.
 *
 * @param host engine address: {@code unix:///path} or {@code tcp://host:port}
 * @param tlsDirectory directory with ca.pem, cert.pem and key.pem, as for {@code docker}; empty for no TLS
 * @param deadline timeout of engine requests
 * @param pauseImage image of the Pod sandbox container; empty to build one locally
 * @param pidsLimit maximum number of processes and threads per container; empty for no limit
 */
public record ContainerSettings(
        Runtime runtime,
        String host,
        Optional<Path> tlsDirectory,
        Duration deadline,
        Optional<String> pauseImage,
        Optional<Integer> pidsLimit) {
    private static final String UNIX = "unix://";
    private static final String TCP = "tcp://";

    /** Container runtime. */
    @SuppressWarnings("JavaLangClash") // named like the setting
    public enum Runtime {
        DOCKER,
        /** Volumes are mounted, but no containers run. */
        NONE
    }

    /** Returns the engine's TCP port, if it has one. */
    public Optional<Integer> port() {
        return host.startsWith(TCP)
                ? Optional.of(ListenAddress.parse(host.substring(TCP.length())).port())
                : Optional.empty();
    }

    /** Returns the engine's Unix socket, if it has one. */
    public Optional<Path> socket() {
        return host.startsWith(UNIX) ? Optional.of(Path.of(host.substring(UNIX.length()))) : Optional.empty();
    }
}
