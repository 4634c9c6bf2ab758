package dev.mooring.volume.content;

/** Where the files are stored, with the permissions of the top directory. Same as the kubelet's emptyDir wrapper. */
enum ContentMedium {
    /** A directory of the node. */
    ON_DISK(0777),
    /** A tmpfs, so that secrets are never written to disk. */
    IN_MEMORY(01777);

    private final int permissions;

    ContentMedium(int permissions) {
        this.permissions = permissions;
    }

    int permissions() {
        return permissions;
    }
}
