package dev.mooring.host;

/** Which mounts path resolution may enter. */
public enum MountScope {
    /** All mounts: only for paths that cannot hang, or in a child process. */
    ANY_MOUNT,
    /** Only the mount of the starting directory; other mounts are not accessed. */
    SAME_MOUNT
}
