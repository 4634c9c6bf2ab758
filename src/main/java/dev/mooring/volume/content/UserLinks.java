package dev.mooring.volume.content;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import java.util.Set;

/**
 * The links a user sees in the topmost directory, {@code key -> ..data/key}: they never change, so that what is behind all of them changes
 * in one step. They are judged by what is there, not by what was done before, so that none is missing or left over after a crash. Not for
 * several threads at once.
 */
final class UserLinks {
    /** Lies here for a moment while a link takes the place of something else. */
    static final String UNFINISHED = "..link_tmp";

    private final Directory volume;

    UserLinks(Directory volume) {
        this.volume = volume;
    }

    void makeMissing(Set<String> names) throws PathException {
        for (String name : names) {
            FileStatus status = volume.status(name).orElse(null);
            if (status == null) {
                volume.makeLink(name, target(name));
            } else if (!status.isDirectory() && !isOurs(name, status)) {
                // Somebody has put it there. A directory is left: another volume is mounted on it in a container.
                volume.makeLink(UNFINISHED, target(name));
                volume.replace(UNFINISHED, name);
            }
        }
    }

    void removeStale(Set<String> kept) throws PathException {
        for (String name : VersionFiles.namesIn(volume)) {
            if (!kept.contains(name)) {
                FileStatus status = volume.status(name).orElse(null);
                if (status != null && isOurs(name, status)) {
                    volume.removeFile(name);
                }
            }
        }
    }

    private boolean isOurs(String name, FileStatus status) throws PathException {
        return status.type() == FileStatus.Type.LINK
                && volume.readLink(name).filter(target(name)::equals).isPresent();
    }

    private static String target(String name) {
        return AtomicWriter.DATA + "/" + name;
    }
}
