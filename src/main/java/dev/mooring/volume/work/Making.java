package dev.mooring.volume.work;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.OpenFile;
import dev.mooring.volume.path.PathException;

/** How the data of a new volume is made, in a place nobody else sees, so that it appears whole or not at all. */
interface Making {
    FileStatus.Type type();

    /** Makes it under a name where nothing is, carrying the uid as an attribute, durable when it returns. */
    void make(Directory in, String name, String uid) throws PathException;

    /** A directory with exactly these permissions, whatever the umask; -1 leaves an owner as it comes. */
    record OfDirectory(int permissions, int owner, int group) implements Making {
        @Override
        public FileStatus.Type type() {
            return FileStatus.Type.DIRECTORY;
        }

        @Override
        public void make(Directory in, String name, String uid) throws PathException {
            in.makeDirectory(name);
            try (Directory made = in.open(name)) {
                made.setAttribute(MarkedBase.ATTRIBUTE, uid);
                if (owner >= 0 || group >= 0) {
                    made.setOwner(owner, group);
                }
                made.setPermissions(permissions);
                made.sync();
            }
        }
    }

    /** A file of so many bytes that takes no space yet, for root only. */
    record OfImage(long bytes) implements Making {
        @Override
        public FileStatus.Type type() {
            return FileStatus.Type.FILE;
        }

        @Override
        public void make(Directory in, String name, String uid) throws PathException {
            try (OpenFile made = in.createFile(name)) {
                made.setAttribute(MarkedBase.ATTRIBUTE, uid);
                made.setPermissions(0600);
                made.extendTo(bytes);
                made.sync();
            }
        }
    }
}
