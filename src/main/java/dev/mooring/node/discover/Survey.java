package dev.mooring.node.discover;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What looking through the configured directories has shown. What could not be looked at is not taken to be gone.
 *
 * @param looked the directories whose entries are all known
 * @param unclear entries of these of which nothing could be learned
 * @param problems what went wrong, in sentences for the log
 */
public record Survey(List<Found> found, Set<Path> looked, Set<Path> unclear, List<String> problems) {
    public Survey {
        found = List.copyOf(found);
        looked = Set.copyOf(looked);
        unclear = Set.copyOf(unclear);
        problems = List.copyOf(problems);
    }

    /** Whether it would have been found if it were there. */
    boolean covers(Path path) {
        Path parent = path.getParent();
        return parent != null && looked.contains(parent) && !unclear.contains(path);
    }
}
