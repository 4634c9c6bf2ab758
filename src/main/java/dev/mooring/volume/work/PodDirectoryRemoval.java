package dev.mooring.volume.work;

import java.util.Comparator;
import java.util.List;

/** Result of removing a Pod's directory. */
public sealed interface PodDirectoryRemoval {
    /** The directory no longer exists. */
    record Removed() implements PodDirectoryRemoval {}

    /**
     * The removal was not started or was aborted, because something may be in use.
     *
     * @param reason the obstacle, as a text that follows "but"
     */
    record Kept(String reason) implements PodDirectoryRemoval {}

    /**
     * The directory still exists because of entries that Mooring must not delete. They were not changed.
     *
     * @param leftovers at least one, ordered by path, so that the same state gives the same message
     */
    record HasLeftovers(List<Leftover> leftovers) implements PodDirectoryRemoval {
        public HasLeftovers {
            leftovers = leftovers.stream()
                    .sorted(Comparator.comparing(Leftover::path))
                    .toList();
        }
    }
}
