package dev.mooring.volume.content;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import java.util.List;

/** Creates nested directories one name at a time without following symbolic links. Stateless. */
final class DirectoryPathCreator {
    private DirectoryPathCreator() {}

    /**
     * Opens the last directory, creating missing ones. Sets the permissions of all of them, including those that an
     * interrupted run created.
     */
    static OpenDirectory make(OpenDirectory from, List<String> names, FsGroupPermissions access, int permissions)
            throws PathException {
        OpenDirectory at = from.open(List.of());
        for (String name : names) {
            try (OpenDirectory above = at) {
                if (above.status(name).isEmpty()) {
                    above.makeDirectory(name);
                }
                at = above.open(name);
            }
            applyAccess(at, access, access.directoryPermissions(permissions));
        }
        return at;
    }

    private static void applyAccess(OpenDirectory to, FsGroupPermissions access, int permissions) throws PathException {
        boolean given = false;
        try {
            access.applyIfDifferent(to, permissions);
            given = true;
        } finally {
            if (!given) {
                to.close();
            }
        }
    }
}
