package dev.mooring.volume.orphan;

import java.util.Comparator;
import java.util.List;

/** How it ended to remove the directory of a Pod. */
public sealed interface Removal {
    /** It is not there any more, or never was. */
    record Removed() implements Removal {}

    /**
     * It was not begun, or given up, because something may be in use.
     *
     * @param reason what is in the way, to follow on "but"
     */
    record Kept(String reason) implements Removal {}

    /**
     * It is still there because of something in it that is not Mooring's to delete. Nothing of that was changed.
     *
     * @param all at least one, in the order of their paths: the same state of the disk is always told in the same words
     */
    record Leftovers(List<Leftover> all) implements Removal {
        public Leftovers {
            all = all.stream().sorted(Comparator.comparing(Leftover::path)).toList();
        }
    }
}
