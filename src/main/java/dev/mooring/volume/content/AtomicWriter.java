package dev.mooring.volume.content;

import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.TreeRemover;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/**
 * Replaces all files of a volume atomically, as the kubelet does, so that a reader of one directory sees the files of one version only:
 *
 * <pre>
 * ..2016_02_01_15_04_05.123456789/key   the files
 * ..data -> ..2016_02_01_15_04_05.123456789
 * key    -> ..data/key                   what users open
 * </pre>
 *
 * <p>Renaming {@code ..data_tmp} to {@code ..data} publishes a version. A crash before the rename leaves the old version published and
 * an unused directory; a crash after it leaves the new version published, possibly with missing or stale links and the old directory.
 * The next write repairs all of that. (The kubelet leaks such directories and fails on a leftover {@code ..data_tmp}.)
 *
 * <p>The writer does not sync: after a power failure no container runs, and the volume is written again before one starts. A version
 * with lost bytes differs from the payload and is replaced.
 *
 * <p>Links are not followed, and {@code ..data} is used only if it names a version in the same directory. One writer per volume.
 */
final class AtomicWriter {
    static final String DATA = "..data";
    static final String NEW_DATA = "..data_tmp";

    /** Limits the attempts to find an unused version name if the clock does not advance. */
    private static final int MAX_SAME_NAMES = 1000;

    /** Result of a write. */
    enum WriteResult {
        WRITTEN,
        UNCHANGED
    }

    private final OpenDirectory volume;
    private final Clock clock;

    AtomicWriter(OpenDirectory volume, Clock clock) {
        this.volume = volume;
        this.clock = clock;
    }

    /** Returns the name of the published version, if there is one. */
    static Optional<String> published(OpenDirectory volume) throws PathException {
        FileStatus data = volume.status(DATA).orElse(null);
        if (data == null || data.type() != FileStatus.FileType.LINK) {
            return Optional.empty();
        }
        Optional<String> version = volume.readLink(DATA).filter(VersionName::matches);
        return version.isPresent() && isDirectory(volume, version.get()) ? version : Optional.empty();
    }

    /**
     * Writes and publishes the payload. If it fails before publishing, the old version stays published and the new one
     * is removed.
     */
    WriteResult write(Payload payload, FsGroupPermissions access) throws PathException, InterruptedException {
        Optional<String> old = published(volume);
        removeLeftovers(old);
        boolean current = old.isPresent() && isCurrent(old.get(), payload, access);
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
            TreeRemover.remove(volume, old.get());
        }
        return current ? WriteResult.UNCHANGED : WriteResult.WRITTEN;
    }

    private void removeLeftovers(Optional<String> kept) throws PathException, InterruptedException {
        for (String name : VersionDirectory.namesIn(volume)) {
            boolean unfinished = name.equals(NEW_DATA) || name.equals(UserLinks.UNFINISHED);
            boolean forgotten = VersionName.matches(name) && !name.equals(kept.orElse(""));
            boolean planted = name.equals(DATA) && isDirectory(volume, name);
            if (unfinished || forgotten || planted) {
                TreeRemover.remove(volume, name);
            }
        }
    }

    private boolean isCurrent(String version, Payload payload, FsGroupPermissions access) throws PathException {
        try (OpenDirectory top = volume.open(version)) {
            return new VersionDirectory(top, access).matches(payload);
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
                if (!e.isExisting() || i == MAX_SAME_NAMES) {
                    throw e;
                }
            }
        }
    }

    private void writeAndPublish(String version, Payload payload, FsGroupPermissions access) throws PathException {
        try (OpenDirectory top = volume.open(version)) {
            new VersionDirectory(top, access).write(payload);
        }
        volume.makeLink(NEW_DATA, version);
        volume.replace(NEW_DATA, DATA);
    }

    private void discard(String version, PathException cause) throws InterruptedException {
        try {
            TreeRemover.remove(volume, NEW_DATA);
            TreeRemover.remove(volume, version);
        } catch (PathException e) {
            // The next write removes the directory.
            cause.addSuppressed(e);
        }
    }

    private static boolean isDirectory(OpenDirectory volume, String name) throws PathException {
        return volume.status(name).filter(FileStatus::isDirectory).isPresent();
    }
}
