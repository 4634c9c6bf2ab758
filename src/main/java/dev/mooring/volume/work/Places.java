package dev.mooring.volume.work;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where on this node volumes may be: by the words of paths alone, before anything is touched. Immutable. */
record Places(WorkerSettings settings) {

    /** A directory that holds volumes, and below which directory it may be made if it is missing. */
    record Base(Path path, Optional<Path> home) {}

    /** The base for new volumes: what the class says, or a directory of this provisioner in the default place. */
    Base baseFor(VolumeWork work) throws VolumeWorkException {
        Optional<String> asked = work.parameter("basePath");
        if (asked.isEmpty()) {
            String kind = work.provisioner().substring(work.provisioner().indexOf('/') + 1);
            return new Base(settings.defaultBase().resolve(kind), Optional.of(settings.defaultBase()));
        }
        Path path = absolute(asked.get(), "basePath");
        mustBeAllowed(path);
        boolean own = path.startsWith(settings.defaultBase());
        return new Base(path, own ? Optional.of(settings.defaultBase()) : Optional.empty());
    }

    /** Directories above a volume that may be its base, the innermost first. */
    List<Path> basesAbove(Path volume) throws VolumeWorkException {
        List<Path> bases = above(volume, roots());
        if (bases.isEmpty()) {
            mustBeAllowed(volume);
            throw new VolumeWorkException(
                    VolumeWorkException.OUTSIDE_BASE,
                    "Expected a volume in a directory for volumes, but " + volume
                            + " is such a directory itself: nothing was done");
        }
        return bases;
    }

    /** Directories above a path that are one of these or below it, the innermost first. */
    static List<Path> above(Path path, List<Path> roots) {
        List<Path> above = new ArrayList<>();
        for (Path at = path.getParent(); at != null; at = at.getParent()) {
            if (roots.stream().anyMatch(at::startsWith)) {
                above.add(at);
            }
        }
        return above;
    }

    private List<Path> roots() {
        return Stream.concat(Stream.of(settings.defaultBase()), settings.allowedBases().stream())
                .toList();
    }

    private void mustBeAllowed(Path path) throws VolumeWorkException {
        if (roots().stream().noneMatch(path::startsWith)) {
            throw new VolumeWorkException(
                    VolumeWorkException.OUTSIDE_BASE,
                    "Expected a path in one of the directories this node allows " + roots() + ", but found " + path
                            + ": choose one of them, or let the administrator of the node allow it");
        }
    }

    static Path absolute(String text, String what) throws VolumeWorkException {
        try {
            Path path = Path.of(text);
            // Compared as text: Path.of has silently taken double and trailing slashes away.
            if (path.isAbsolute() && path.normalize().toString().equals(text)) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Expected " + what + " to be a path, but found one that this machine cannot write",
                    e.getMessage());
        }
        throw new VolumeWorkException(
                VolumeWorkException.OUTSIDE_BASE,
                "Expected " + what + " to be absolute and without \"..\", \".\" or double slashes, but found \"" + text
                        + "\"");
    }
}
