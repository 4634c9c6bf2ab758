package dev.mooring.volume.content;

/** Where the files are, and who may do what in the topmost directory: what the kubelet's emptyDir has that it puts such files into. */
enum Keeping {
    /** A plain directory of the node. */
    ON_DISK(0777),
    /** A file system in memory, so that nothing secret is ever written to a disk. */
    IN_MEMORY(01777);

    private final int permissions;

    Keeping(int permissions) {
        this.permissions = permissions;
    }

    int permissions() {
        return permissions;
    }
}
