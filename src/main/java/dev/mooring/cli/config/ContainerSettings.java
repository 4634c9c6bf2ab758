package dev.mooring.cli.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What runs the containers of Pods, and how it is reached.
 *
 * @param host of the engine: {@code unix:///path} or {@code tcp://host:port}
 * @param tlsDirectory with ca.pem, cert.pem and key.pem, as {@code docker} has it; nothing for no TLS
 * @param deadline how long the engine may take to answer
 * @param pauseImage for what holds a Pod's network together; nothing for one that is made on the spot
 */
public record ContainerSettings(
        Runtime runtime, String host, Optional<Path> tlsDirectory, Duration deadline, Optional<String> pauseImage) {
    private static final String UNIX = "unix://";

    /** What runs containers. */
    @SuppressWarnings("JavaLangClash") // it is what the setting is called
    public enum Runtime {
        DOCKER,
        /** Pods get their volumes, but nothing is run. */
        NONE
    }

    /** The engine's socket, if it listens on one of this machine. */
    public Optional<Path> socket() {
        return host.startsWith(UNIX) ? Optional.of(Path.of(host.substring(UNIX.length()))) : Optional.empty();
    }
}
