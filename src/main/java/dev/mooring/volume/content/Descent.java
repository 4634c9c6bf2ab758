package dev.mooring.volume.content;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import java.util.List;

/** A way down that is made where it is missing, a name at a time, no link followed. Stateless. */
final class Descent {
    private Descent() {}

    /** The last directory. All on the way get these permissions, also those that a process made and was killed before it could. */
    static Directory make(Directory from, List<String> names, GroupAccess access, int permissions)
            throws PathException {
        Directory at = from.open(List.of());
        for (String name : names) {
            try (Directory above = at) {
                if (above.status(name).isEmpty()) {
                    above.makeDirectory(name);
                }
                at = above.open(name);
            }
            give(at, access, access.ofDirectory(permissions));
        }
        return at;
    }

    private static void give(Directory to, GroupAccess access, int permissions) throws PathException {
        boolean given = false;
        try {
            access.giveUnlessHeld(to, permissions);
            given = true;
        } finally {
            if (!given) {
                to.close();
            }
        }
    }
}
