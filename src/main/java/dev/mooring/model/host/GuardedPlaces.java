package dev.mooring.model.host;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Paths of a machine that no Pod may have, whoever creates it. Mooring's own directories: never, for whoever could write there would own
 * every Pod of the node; only the data of volumes that were provisioned in the usual place, {@code <own>/volumes/<kind>/…}, are the users'
 * again. The container engine's socket and data, and whatever lies above any of these, {@code /} first of all: unless the administrator
 * allows that path. Goes by words, so it is asked about a path as it is written and about the place it leads to. Immutable.
 *
 * @param own Mooring's directories
 * @param engine sockets and directories of the container engine
 * @param allowed what the administrator allows all the same, with everything below it
 */
public record GuardedPlaces(List<Path> own, List<Path> engine, List<Path> allowed) {
    /** The setting by which an administrator allows a place. */
    public static final String SETTING = "policy.adminPaths";

    private static final Path ROOT = Path.of("/");
    private static final Path PROVISIONED = Path.of("volumes");

    /** The directory of one kind of volumes, and something in it. */
    private static final int DEPTH_OF_DATA = 3;

    private static final String MARKERS = ".mooring";

    private static final List<Path> USUAL_ENGINE = List.of(
            Path.of("/var/run/docker.sock"),
            Path.of("/run/docker.sock"),
            Path.of("/run/docker"),
            Path.of("/run/containerd"),
            Path.of("/var/lib/docker"),
            Path.of("/var/lib/containerd"));

    public GuardedPlaces {
        own = List.copyOf(new LinkedHashSet<>(own));
        engine = List.copyOf(new LinkedHashSet<>(engine));
        allowed = List.copyOf(allowed);
    }

    /** Where engines usually are. */
    public static GuardedPlaces usual() {
        return new GuardedPlaces(List.of(), USUAL_ENGINE, List.of());
    }

    public GuardedPlaces withOwn(Path... directories) {
        Set<Path> all = new LinkedHashSet<>(own);
        all.addAll(List.of(directories));
        return new GuardedPlaces(List.copyOf(all), engine, allowed);
    }

    /** Further places of the engine, such as the socket it was told to listen on. */
    public GuardedPlaces withEngine(List<Path> places) {
        Set<Path> all = new LinkedHashSet<>(engine);
        all.addAll(places);
        return new GuardedPlaces(own, List.copyOf(all), allowed);
    }

    public GuardedPlaces allowing(List<Path> paths) {
        return new GuardedPlaces(own, engine, paths);
    }

    /**
     * Why nobody may have a path, to follow its name; nothing if it is not guarded.
     *
     * @param path absolute and normalized
     */
    public Optional<String> refusal(Path path) {
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
            return unlessAllowed("is the whole machine");
        }
        for (Path each : own) {
            if (each.startsWith(path)) {
                return unlessAllowed("contains Mooring's own directory " + each);
            }
        }
        for (Path each : engine) {
            if (each.startsWith(path) || path.startsWith(each)) {
                return unlessAllowed((path.equals(each) ? "is " : path.startsWith(each) ? "is in " : "contains ")
                        + (path.startsWith(each) ? "a place of the container engine (" + each + ')' : each.toString())
                        + ", through which one gets hold of the machine");
            }
        }
        return Optional.empty();
    }

    private static Optional<String> unlessAllowed(String why) {
        return Optional.of(why + ": no Pod may have it unless the setting " + SETTING + " names it");
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
