package dev.mooring.runtime.docker;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where the engine is, and how long it may take.
 *
 * @param host {@code unix:///path} or {@code tcp://host[:port]}; without a port it is Docker's, 2376 with TLS and 2375 without
 * @param tlsDirectory holds {@code cert.pem}, {@code key.pem} and {@code ca.pem}; only with {@code tcp}
 * @param deadline of a call, beyond the time that it is known to take; of a pull, between two signs of life
 */
public record DockerSettings(String host, Optional<Path> tlsDirectory, Duration deadline) {
    private static final List<String> TLS_FILES = List.of("cert.pem", "key.pem", "ca.pem");
    private static final int PLAIN_PORT = 2375;
    private static final int TLS_PORT = 2376;

    /** @throws IllegalArgumentException with words for whoever set it, if this cannot be used */
    public DockerSettings {
        URI uri = parse(host, tlsDirectory.isPresent());
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "Expected the engine's deadline to be more than nothing, but it is " + deadline);
        }
        if (tlsDirectory.isPresent()) {
            if (!"tcp".equals(uri.getScheme())) {
                throw new IllegalArgumentException(
                        "Expected TLS files only for an engine at tcp://…, but the engine is at " + host);
            }
            for (String name : TLS_FILES) {
                Path file = tlsDirectory.get().resolve(name);
                if (!Files.isReadable(file)) {
                    throw new IllegalArgumentException("Expected a readable file " + file + " for TLS to the engine at "
                            + host + ", but there is none");
                }
            }
        }
    }

    /** With its port. */
    URI uri() {
        return parse(host, tlsDirectory.isPresent());
    }

    /** As it was given, but with its port. */
    String address() {
        URI uri = uri();
        return "tcp".equals(uri.getScheme()) ? uri.toString() : host;
    }

    private static URI parse(String host, boolean tls) {
        if (host.startsWith("unix://")) {
            String path = host.substring("unix://".length());
            if (!path.startsWith("/")) {
                throw unusable(host, "the path of its socket is not absolute");
            }
            return of("unix", null, -1, path, host);
        }
        if (!host.startsWith("tcp://")) {
            throw unusable(host, "only unix and tcp are known");
        }
        URI given;
        try {
            given = new URI(host);
        } catch (URISyntaxException e) {
            throw unusable(host, e.getReason());
        }
        if (given.getHost() == null) {
            throw unusable(host, "it names no host, or its port is not a number");
        }
        if (given.getRawPath() != null && given.getRawPath().length() > 1) {
            throw unusable(host, "it has a path");
        }
        int port = given.getPort() < 0 ? (tls ? TLS_PORT : PLAIN_PORT) : given.getPort();
        return of("tcp", given.getHost(), port, null, host);
    }

    private static URI of(String scheme, String name, int port, String path, String host) {
        try {
            return new URI(scheme, null, name, port, path, null, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("Expected the engine's address to be usable, but it is " + host, e);
        }
    }

    private static IllegalArgumentException unusable(String host, String why) {
        return new IllegalArgumentException(
                "Expected the engine's address to be like unix:///var/run/docker.sock or tcp://host:2376, but it is \""
                        + host + "\": " + why);
    }
}
