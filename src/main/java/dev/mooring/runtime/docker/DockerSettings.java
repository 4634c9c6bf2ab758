package dev.mooring.runtime.docker;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Address and timeouts of the engine.
 *
 * @param host {@code unix:///path} or {@code tcp://host[:port]}; the default port is Docker's, 2376 with TLS and
 *     2375 without
 * @param tlsDirectory contains {@code cert.pem}, {@code key.pem} and {@code ca.pem}; only with {@code tcp}
 * @param deadline of a call, in addition to the time it is known to take; of a pull, between two progress messages
 */
public record DockerSettings(String host, Optional<Path> tlsDirectory, Duration deadline) {
    private static final List<String> TLS_FILES = List.of("cert.pem", "key.pem", "ca.pem");
    private static final int PLAIN_PORT = 2375;
    private static final int TLS_PORT = 2376;

    /**
     * Validates the settings.
     *
     * @throws IllegalArgumentException with a message for the administrator, if they are invalid
     */
    public DockerSettings {
        URI uri = parse(host, tlsDirectory.isPresent());
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("docker.deadline must be positive, got " + deadline);
        }
        if (tlsDirectory.isPresent()) {
            if (!"tcp".equals(uri.getScheme())) {
                throw new IllegalArgumentException(
                        "TLS files require an engine address of the form tcp://HOST:PORT, got " + host);
            }
            for (String name : TLS_FILES) {
                Path file = tlsDirectory.get().resolve(name);
                if (!Files.isReadable(file)) {
                    throw new IllegalArgumentException("Cannot read " + file + " for TLS to the engine at " + host);
                }
            }
        }
    }

    /** Returns the address with its port. */
    URI uri() {
        return parse(host, tlsDirectory.isPresent());
    }

    /** Returns the address as configured, but with its port. */
    String address() {
        URI uri = uri();
        return "tcp".equals(uri.getScheme()) ? uri.toString() : host;
    }

    private static URI parse(String host, boolean tls) {
        if (host.startsWith("unix://")) {
            String path = host.substring("unix://".length());
            if (!path.startsWith("/")) {
                throw unusable(host, "the path of the socket must be absolute");
            }
            return of("unix", null, -1, path, host);
        }
        if (!host.startsWith("tcp://")) {
            throw unusable(host, "the scheme must be unix or tcp");
        }
        URI given;
        try {
            given = new URI(host);
        } catch (URISyntaxException e) {
            throw unusable(host, e.getReason());
        }
        if (given.getHost() == null) {
            throw unusable(host, "the host is missing, or the port is not a number");
        }
        if (given.getRawPath() != null && given.getRawPath().length() > 1) {
            throw unusable(host, "it must not have a path");
        }
        int port = given.getPort() < 0 ? (tls ? TLS_PORT : PLAIN_PORT) : given.getPort();
        return of("tcp", given.getHost(), port, null, host);
    }

    private static URI of(String scheme, String name, int port, String path, String host) {
        try {
            return new URI(scheme, null, name, port, path, null, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("Invalid engine address " + host, e);
        }
    }

    private static IllegalArgumentException unusable(String host, String why) {
        return new IllegalArgumentException(
                "The engine address must be of the form unix:///var/run/docker.sock or tcp://host:2376, got \"" + host
                        + "\": " + why);
    }
}
