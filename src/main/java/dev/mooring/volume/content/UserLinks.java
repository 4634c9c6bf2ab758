package dev.mooring.volume.content;

import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import java.util.Set;

/**
 * The links in the top directory of a volume, {@code key -> ..data/key}. They never change, so that replacing
 * {@code ..data} changes all files in one step. The existing directory content decides which links are added and
 * removed, so an interrupted update is completed by the next one. Not thread-safe.
 */
final class UserLinks {
    /** Temporary name of a link that replaces another entry. */
    static final String UNFINISHED = "..link_tmp";

    private final OpenDirectory volume;

    UserLinks(OpenDirectory volume) {
        this.volume = volume;
    }

    void makeMissing(Set<String> names) throws PathException {
        for (String name : names) {
            FileStatus status = volume.status(name).orElse(null);
            if (status == null) {
                volume.makeLink(name, target(name));
            } else if (!status.isDirectory() && !isOurs(name, status)) {
                // The entry was not created by this writer. Directories stay: a container may use them as mount points.
                volume.makeLink(UNFINISHED, target(name));
                volume.replace(UNFINISHED, name);
            }
        }
    }

    void removeStale(Set<String> kept) throws PathException {
        for (String name : VersionDirectory.namesIn(volume)) {
            if (!kept.contains(name)) {
                FileStatus status = volume.status(name).orElse(null);
                if (status != null && isOurs(name, status)) {
                    volume.removeFile(name);
                }
            }
        }
    }

    private boolean isOurs(String name, FileStatus status) throws PathException {
        return status.type() == FileStatus.FileType.LINK
                && volume.readLink(name).filter(target(name)::equals).isPresent();
    }

    private static String target(String name) {
        return AtomicWriter.DATA + "/" + name;
    }
}
