package dev.mooring.model.view;

/** Whether the path of a mounted volume is a mount point. */
public enum MountPoint {
    /** A local mount point: the path may be accessed. */
    LOCAL,
    /** A possibly remote mount point: only the mount table may be read. */
    REMOTE,
    /** A plain directory or device. */
    NONE
}
