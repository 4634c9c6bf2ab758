package dev.mooring.model;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Host paths that no Pod may use. Mooring's own directories are always protected, because write access there would give
 * control of every Pod of the node; only the data of volumes provisioned in the default location,
 * {@code <own>/volumes/<kind>/…}, is exempt. The container engine's socket and data, and all parent directories of any
 * of these, including {@code /}, are protected unless the administrator allows the path. Compares paths as text, so
 * callers check a path both as written and as resolved. Immutable.
 *
 * @param own Mooring's directories
 * @param engine sockets and directories of the container engine
 * @param allowed paths that the administrator allows nevertheless, with everything below
 */
public record ProtectedHostPaths(List<Path> own, List<Path> engine, List<Path> allowed) {
    /** The setting by which an administrator allows a path. */
    public static final String SETTING = "policy.adminPaths";

    private static final Path ROOT = Path.of("/");
    private static final Path PROVISIONED = Path.of("volumes");

    /**
     * Minimum number of path elements from Mooring's directory to a volume's data: {@code volumes}, the kind and the
     * volume.
     */
    private static final int DEPTH_OF_DATA = 3;

    private static final String MARKERS = ".mooring";

    private static final List<Path> DEFAULT_ENGINE = List.of(
            Path.of("/var/run/docker.sock"),
            Path.of("/run/docker.sock"),
            Path.of("/run/docker"),
            Path.of("/run/containerd"),
            Path.of("/var/lib/docker"),
            Path.of("/var/lib/containerd"));

    public ProtectedHostPaths {
        own = List.copyOf(new LinkedHashSet<>(own));
        engine = List.copyOf(new LinkedHashSet<>(engine));
        allowed = List.copyOf(allowed);
    }

    /** Returns the usual locations of container engines. */
    public static ProtectedHostPaths defaults() {
        return new ProtectedHostPaths(List.of(), DEFAULT_ENGINE, List.of());
    }

    public ProtectedHostPaths withOwn(Path... directories) {
        Set<Path> all = new LinkedHashSet<>(own);
        all.addAll(List.of(directories));
        return new ProtectedHostPaths(List.copyOf(all), engine, allowed);
    }

    /** Adds paths of the engine, such as its configured socket. */
    public ProtectedHostPaths withEngine(List<Path> places) {
        Set<Path> all = new LinkedHashSet<>(engine);
        all.addAll(places);
        return new ProtectedHostPaths(own, List.copyOf(all), allowed);
    }

    public ProtectedHostPaths allowing(List<Path> paths) {
        return new ProtectedHostPaths(own, engine, paths);
    }

    /**
     * Returns why a path is denied, to follow the path in a message; empty if it is not protected.
     *
     * @param path absolute and normalized
     */
    public Optional<String> denialReason(Path path) {
        for (Path each : own) {
            if (path.startsWith(each) && !isData(each.relativize(path))) {
                return Optional.of("is in Mooring's own directory " + each
                        + ", which no Pod may see: choose a path outside of it");
            }
        }
        if (allowed.stream().anyMatch(path::startsWith)) {
            return Optional.empty();
        }
        if (path.equals(ROOT)) {
            return unlessAllowed("is the host's root directory");
        }
        for (Path each : own) {
            if (each.startsWith(path)) {
                return unlessAllowed("contains Mooring's own directory " + each);
            }
        }
        for (Path each : engine) {
            if (each.startsWith(path) || path.startsWith(each)) {
                return unlessAllowed((path.equals(each) ? "is " : path.startsWith(each) ? "is below " : "contains ")
                        + (path.startsWith(each) ? "a path of the container engine (" + each + ')' : each.toString())
                        + ", which gives control of the host");
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether no Pod may use this directory, because a protected path is below it. So no Pod can have put a
     * symbolic link into it.
     *
     * @param directory absolute and normalized
     */
    public boolean containsProtected(Path directory) {
        if (allowed.stream().anyMatch(directory::startsWith)) {
            return false;
        }
        return directory.equals(ROOT)
                || Stream.concat(own.stream(), engine.stream())
                        .anyMatch(each -> each.startsWith(directory) && !each.equals(directory));
    }

    private static Optional<String> unlessAllowed(String why) {
        return Optional.of(why + ": no Pod may use it unless the setting " + SETTING + " names it");
    }

    private static boolean isData(Path below) {
        if (below.getNameCount() < DEPTH_OF_DATA || !below.startsWith(PROVISIONED)) {
            return false;
        }
        for (Path name : below) {
            if (name.toString().startsWith(MARKERS)) {
                return false;
            }
        }
        return true;
    }
}
