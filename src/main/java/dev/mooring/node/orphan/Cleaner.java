package dev.mooring.node.orphan;

import java.util.function.Predicate;

/** What {@link PodDirectories} has done. Returns at once; asking again while it is waiting to be done is asking once. Any thread. */
public interface Cleaner {
    /** Has the directory of a Pod removed that nobody needs any more. */
    void remove(String podUid);

    /**
     * Has all directories removed of Pods that nobody knows.
     *
     * @param known by uid whether somebody does; asked later, by another thread
     */
    void sweep(Predicate<String> known);
}
