package dev.mooring.volume.path;

/** Which mounts may be entered on the way. */
public enum Reach {
    /** Also others: only for ways on which nothing can hang, or in a child process. */
    ANY_MOUNT,
    /** Only the one where the way begins; what is mounted on it is not even touched. */
    SAME_MOUNT
}
