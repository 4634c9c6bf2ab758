package dev.mooring.chaos.path;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.path.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** What a test does itself in places under attack, without being led astray. */
final class Hands {
    private Hands() {}

    /** Makes these directories in each other, as far as the attackers let it. */
    static void makeBelow(Path top, List<String> names) {
        try {
            Directory at = Directory.open(SystemCalls.real(), top);
            for (String name : names) {
                try (Directory above = at) {
                    if (above.status(name).isEmpty()) {
                        above.makeDirectory(name);
                    }
                    at = above.open(name);
                }
            }
            at.close();
        } catch (PathException expected) {
            // Somebody was faster.
        }
    }

    /** Removes what attackers have left lying about, as far as they let it. */
    static void empty(Path top) throws InterruptedException {
        try (Directory directory = Directory.open(SystemCalls.real(), top)) {
            Tree.empty(directory, Set.of());
        } catch (PathException expected) {
            // The next time.
        }
    }
}
