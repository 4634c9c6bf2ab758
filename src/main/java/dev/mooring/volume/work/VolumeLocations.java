package dev.mooring.volume.work;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Paths of this node where volumes may be. Compares path names only and accesses no files. Immutable. */
record VolumeLocations(WorkerSettings settings) {

    /** A directory that holds volumes, and the directory below which it may be created if it is missing. */
    record VolumeBase(Path path, Optional<Path> creationRoot) {}

    /**
     * Returns the base of new volumes: the base of the class, or a directory of the provisioner in the default base.
     */
    VolumeBase baseFor(VolumeWork work) throws VolumeWorkException {
        Optional<String> asked = work.parameter("basePath");
        if (asked.isEmpty()) {
            String kind = work.provisioner().substring(work.provisioner().indexOf('/') + 1);
            return new VolumeBase(settings.defaultBase().resolve(kind), Optional.of(settings.defaultBase()));
        }
        Path path = absolute(asked.get(), "basePath");
        mustBeAllowed(path);
        boolean own = path.startsWith(settings.defaultBase());
        return new VolumeBase(path, own ? Optional.of(settings.defaultBase()) : Optional.empty());
    }

    /** Returns directories above a volume that may be its base, innermost first. */
    List<Path> basesAbove(Path volume) throws VolumeWorkException {
        List<Path> bases = above(volume, roots());
        if (bases.isEmpty()) {
            mustBeAllowed(volume);
            throw new VolumeWorkException(
                    VolumeWorkException.OUTSIDE_BASE,
                    volume + " is a base directory of volumes, not the directory of a volume: nothing was done");
        }
        return bases;
    }

    /** Returns directories above a path that are at or below one of the roots, innermost first. */
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
                    "Path must be in one of the directories that this node allows " + roots() + ", got " + path
                            + ": choose one of them, or have the administrator of the node allow it");
        }
    }

    static Path absolute(String text, String what) throws VolumeWorkException {
        try {
            Path path = Path.of(text);
            // Compared as text, because Path.of silently removes double and trailing slashes.
            if (path.isAbsolute() && path.normalize().toString().equals(text)) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID, what + " must be a path that this machine can encode", e.getMessage());
        }
        throw new VolumeWorkException(
                VolumeWorkException.OUTSIDE_BASE,
                what + " must be absolute and without \"..\", \".\" or double slashes, got \"" + text + "\"");
    }
}
