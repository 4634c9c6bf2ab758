package dev.mooring.volume.content;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Tree;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/**
 * Replaces all files of a volume in one step, as the kubelet does, so that a reader who keeps to one directory sees the files of one
 * version only:
 *
 * <pre>
 * ..2016_02_01_15_04_05.123456789/key   the files
 * ..data -> ..2016_02_01_15_04_05.123456789
 * key    -> ..data/key                   what users open
 * </pre>
 *
 * <p>The step is the rename of {@code ..data_tmp} over {@code ..data}. Whoever is killed before it leaves the old version in force and a
 * directory that nobody looks at; killed after it, the new version and perhaps missing or stale links and an old directory. The next write
 * finds and mends all of that. (The kubelet forgets such directories, and stumbles over a {@code ..data_tmp} that was left.)
 *
 * <p>Nothing is forced to the disk: after a power cut no container is running, the volume is written again before one starts, and a version
 * whose bytes did not survive is not the one that is wanted, which comparing finds out.
 *
 * <p>No link is followed, and {@code ..data} only believed if it names a version next to it. One writer for a volume at a time.
 */
final class AtomicWriter {
    static final String DATA = "..data";
    static final String NEW_DATA = "..data_tmp";

    /** A clock that stands still gives each version the next billionth of a second; more than two at a time there never are. */
    private static final int MAX_SAME_NAMES = 1000;

    /** What became of a write. */
    enum Outcome {
        WRITTEN,
        UNCHANGED
    }

    private final Directory volume;
    private final Clock clock;

    AtomicWriter(Directory volume, Clock clock) {
        this.volume = volume;
        this.clock = clock;
    }

    /** The version in force, if there is one. */
    static Optional<String> published(Directory volume) throws PathException {
        FileStatus data = volume.status(DATA).orElse(null);
        if (data == null || data.type() != FileStatus.Type.LINK) {
            return Optional.empty();
        }
        Optional<String> version = volume.readLink(DATA).filter(VersionName::matches);
        return version.isPresent() && isDirectory(volume, version.get()) ? version : Optional.empty();
    }

    /** When it fails before the step, the old version stays in force and the new one is removed. */
    Outcome write(Payload payload, GroupAccess access) throws PathException, InterruptedException {
        Optional<String> old = published(volume);
        removeLeftovers(old);
        boolean current = old.isPresent() && shows(old.get(), payload, access);
        if (!current) {
            String version = makeVersion();
            try {
                writeAndPublish(version, payload, access);
            } catch (PathException e) {
                discard(version, e);
                throw e;
            }
        }
        UserLinks links = new UserLinks(volume);
        links.makeMissing(payload.visible());
        links.removeStale(payload.visible());
        if (!current && old.isPresent()) {
            Tree.remove(volume, old.get());
        }
        return current ? Outcome.UNCHANGED : Outcome.WRITTEN;
    }

    private void removeLeftovers(Optional<String> kept) throws PathException, InterruptedException {
        for (String name : VersionFiles.namesIn(volume)) {
            boolean unfinished = name.equals(NEW_DATA) || name.equals(UserLinks.UNFINISHED);
            boolean forgotten = VersionName.matches(name) && !name.equals(kept.orElse(""));
            boolean planted = name.equals(DATA) && isDirectory(volume, name);
            if (unfinished || forgotten || planted) {
                Tree.remove(volume, name);
            }
        }
    }

    private boolean shows(String version, Payload payload, GroupAccess access) throws PathException {
        try (Directory top = volume.open(version)) {
            return new VersionFiles(top, access).show(payload);
        }
    }

    private String makeVersion() throws PathException {
        Instant now = clock.instant();
        for (int i = 0; ; i++) {
            String name = VersionName.at(now.plusNanos(i));
            try {
                volume.makeDirectory(name);
                return name;
            } catch (PathException e) {
                if (!e.isTaken() || i == MAX_SAME_NAMES) {
                    throw e;
                }
            }
        }
    }

    private void writeAndPublish(String version, Payload payload, GroupAccess access) throws PathException {
        try (Directory top = volume.open(version)) {
            new VersionFiles(top, access).write(payload);
        }
        volume.makeLink(NEW_DATA, version);
        volume.replace(NEW_DATA, DATA);
    }

    private void discard(String version, PathException cause) throws InterruptedException {
        try {
            Tree.remove(volume, NEW_DATA);
            Tree.remove(volume, version);
        } catch (PathException e) {
            // The next write removes it.
            cause.addSuppressed(e);
        }
    }

    private static boolean isDirectory(Directory volume, String name) throws PathException {
        return volume.status(name).filter(FileStatus::isDirectory).isPresent();
    }
}
