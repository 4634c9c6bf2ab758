package dev.mooring.chaos.path;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.host.TreeRemover;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** File operations of the tests in directories under attack; they do not follow links. */
final class TestFileOperations {
    private TestFileOperations() {}

    /** Creates nested directories, unless an attacker interferes. */
    static void makeBelow(Path top, List<String> names) {
        try {
            OpenDirectory at = OpenDirectory.open(SystemCalls.real(), top);
            for (String name : names) {
                try (OpenDirectory above = at) {
                    if (above.status(name).isEmpty()) {
                        above.makeDirectory(name);
                    }
                    at = above.open(name);
                }
            }
            at.close();
        } catch (PathException expected) {
            // An attacker interfered.
        }
    }

    /** Removes everything below a directory, unless an attacker interferes. */
    static void empty(Path top) throws InterruptedException {
        try (OpenDirectory directory = OpenDirectory.open(SystemCalls.real(), top)) {
            TreeRemover.empty(directory, Set.of());
        } catch (PathException expected) {
            // An attacker interfered; the next round tries again.
        }
    }
}
