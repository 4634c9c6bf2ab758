package dev.mooring.node.volumemanager;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The result of scanning the configured directories. Unreadable entries do not count as missing.
 *
 * @param scanned the directories whose entries are completely known
 * @param unreadable entries of these that could not be inspected
 * @param problems errors, as log messages
 */
public record ScanResult(List<DiscoveredEntry> found, Set<Path> scanned, Set<Path> unreadable, List<String> problems) {
    public ScanResult {
        found = List.copyOf(found);
        scanned = Set.copyOf(scanned);
        unreadable = Set.copyOf(unreadable);
        problems = List.copyOf(problems);
    }

    /** Returns whether the scan would have found the path if it existed. */
    boolean covers(Path path) {
        Path parent = path.getParent();
        return parent != null && scanned.contains(parent) && !unreadable.contains(path);
    }
}
