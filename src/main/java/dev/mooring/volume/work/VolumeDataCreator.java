package dev.mooring.volume.work;

import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.OpenFile;
import dev.mooring.host.PathException;

/** Creates the data of a new volume at a private path, so that it appears complete or not at all. */
interface VolumeDataCreator {
    FileStatus.FileType type();

    /** Creates the data under an unused name, with the uid as an attribute; durable on return. */
    void make(OpenDirectory in, String name, String uid) throws PathException;

    /** Creates a directory with exactly these permissions, regardless of the umask; -1 leaves an owner unchanged. */
    record DirectoryCreator(int permissions, int owner, int group) implements VolumeDataCreator {
        @Override
        public FileStatus.FileType type() {
            return FileStatus.FileType.DIRECTORY;
        }

        @Override
        public void make(OpenDirectory in, String name, String uid) throws PathException {
            in.makeDirectory(name);
            try (OpenDirectory made = in.open(name)) {
                made.setAttribute(VolumeBaseDirectory.ATTRIBUTE, uid);
                if (owner >= 0 || group >= 0) {
                    made.setOwner(owner, group);
                }
                made.setPermissions(permissions);
                made.sync();
            }
        }
    }

    /** Creates a sparse file of this size, accessible by root only. */
    record ImageCreator(long bytes) implements VolumeDataCreator {
        @Override
        public FileStatus.FileType type() {
            return FileStatus.FileType.FILE;
        }

        @Override
        public void make(OpenDirectory in, String name, String uid) throws PathException {
            try (OpenFile made = in.createFile(name)) {
                made.setAttribute(VolumeBaseDirectory.ATTRIBUTE, uid);
                made.setPermissions(0600);
                made.extendTo(bytes);
                made.sync();
            }
        }
    }
}
