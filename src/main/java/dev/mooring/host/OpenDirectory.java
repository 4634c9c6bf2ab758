package dev.mooring.host;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An open directory with operations on its entries. Names are single path components, and links are never followed.
 * Concurrent renames and replacements can change what is found, but never lead outside of the directory. Not
 * thread-safe.
 */
public final class OpenDirectory extends Descriptor {
    private static final int MAX_LINK = 4096;
    private static final int NO_FOLLOW = 0x100;
    private static final int REMOVE_DIRECTORY = 0x200;
    private static final int NO_REPLACE = 1;

    private OpenDirectory(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** Opens a directory without following links anywhere in the path, so the path is the real path. */
    public static OpenDirectory open(SystemCalls calls, Path absolute) throws PathException {
        if (!absolute.isAbsolute() || !absolute.normalize().equals(absolute)) {
            throw new IllegalArgumentException("path must be absolute and normalized, got " + absolute);
        }
        OpenDirectory at = new OpenDirectory(calls, FileOpener.root(calls), "");
        for (Path name : absolute) {
            try (OpenDirectory above = at) {
                at = above.child(name.toString(), MountScope.ANY_MOUNT);
            }
        }
        return at;
    }

    /** Opens a subdirectory, which must be in the same mount. */
    public OpenDirectory open(String name) throws PathException {
        return child(name, MountScope.SAME_MOUNT);
    }

    /** Opens a nested directory in the same mount. Without names, opens this directory again. */
    public OpenDirectory open(List<String> names) throws PathException {
        OpenDirectory at = new OpenDirectory(calls, openAgain(), path());
        for (String name : names) {
            try (OpenDirectory above = at) {
                at = above.open(name);
            }
        }
        return at;
    }

    private int openAgain() throws PathException {
        byte[] here = bytes(".");
        return FileOpener.open(this, here, FileOpener.DIRECTORY, 0, MountScope.ANY_MOUNT);
    }

    /** Opens a reference to an entry of any type. */
    public FileReference reference(String name, MountScope reach) throws PathException {
        return reference(bytes(name), reach);
    }

    FileReference reference(byte[] name, MountScope reach) throws PathException {
        return FileReference.of(this, name, FileOpener.ONLY_NAME, reach);
    }

    /** Opens a referenced directory for listing and changes. */
    static OpenDirectory of(FileReference same) throws PathException {
        byte[] here = bytes(".");
        return new OpenDirectory(
                same.calls, FileOpener.open(same, here, FileOpener.DIRECTORY, 0, MountScope.ANY_MOUNT), same.path());
    }

    private OpenDirectory child(String name, MountScope reach) throws PathException {
        return child(bytes(name), reach);
    }

    OpenDirectory child(byte[] name, MountScope reach) throws PathException {
        return new OpenDirectory(
                calls, FileOpener.open(this, name, FileOpener.DIRECTORY, 0, reach), path() + "/" + displayName(name));
    }

    /** Opens a file for reading and writing. */
    public OpenFile openFile(String name) throws PathException {
        return file(name, FileOpener.READ_WRITE, 0);
    }

    public OpenFile openFileToRead(String name) throws PathException {
        return file(name, FileOpener.READ, 0);
    }

    /** Creates an empty file, accessible by the owner only; fails if the name exists. */
    public OpenFile createFile(String name) throws PathException {
        return file(name, FileOpener.READ_WRITE | FileOpener.CREATE | FileOpener.EXCLUSIVE, 0600);
    }

    private OpenFile file(String name, int flags, int mode) throws PathException {
        return new OpenFile(
                calls, FileOpener.open(this, bytes(name), flags, mode, MountScope.SAME_MOUNT), path() + "/" + name);
    }

    /** Creates a directory, accessible by the owner only; the caller sets the final permissions later. */
    public void makeDirectory(String name) throws PathException {
        retried("mkdir", path() + "/" + name, () -> calls.mkdirat(number(), bytes(name), 0700));
    }

    /** Creates a symbolic link to {@code target}; fails if the name exists. */
    public void makeLink(String name, String target) throws PathException {
        retried("symlink", path() + "/" + name, () -> calls.symlinkat(bytes(target), number(), bytes(name)));
    }

    /** Returns the target of a symbolic link; empty if the name does not exist. */
    public Optional<String> readLink(String name) throws PathException {
        byte[] target = new byte[MAX_LINK];
        try {
            long length = retried(
                    "readlink",
                    path() + "/" + name,
                    () -> calls.readlinkat(number(), bytes(name), target, new NativeLong(target.length))
                            .longValue());
            return Optional.of(new String(target, 0, (int) length, StandardCharsets.UTF_8));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Returns the status of an entry without following links; empty if the name does not exist. */
    public Optional<FileStatus> status(String name) throws PathException {
        return status(bytes(name));
    }

    Optional<FileStatus> status(byte[] name) throws PathException {
        Memory result = new Memory(FileStatus.BYTES);
        try {
            retried(
                    "statx",
                    path() + "/" + displayName(name),
                    () -> calls.statx(number(), name, NO_FOLLOW, FileStatus.WANTED, result));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw e;
        }
        return Optional.of(FileStatus.of(result));
    }

    /** Removes an entry that is not a directory. */
    public void removeFile(String name) throws PathException {
        removeFile(bytes(name));
    }

    void removeFile(byte[] name) throws PathException {
        retried("unlink", path() + "/" + displayName(name), () -> calls.unlinkat(number(), name, 0));
    }

    /** Removes an empty directory. */
    public void removeDirectory(String name) throws PathException {
        removeDirectory(bytes(name));
    }

    void removeDirectory(byte[] name) throws PathException {
        retried("rmdir", path() + "/" + displayName(name), () -> calls.unlinkat(number(), name, REMOVE_DIRECTORY));
    }

    /** Moves an entry atomically; fails if the new name exists. */
    public void move(String name, OpenDirectory to, String newName) throws PathException {
        move(bytes(name), to, bytes(newName));
    }

    void move(byte[] name, OpenDirectory to, byte[] newName) throws PathException {
        String description = path() + "/" + displayName(name) + " to " + to.path() + "/" + displayName(newName);
        try {
            rename(name, to, newName, NO_REPLACE, description);
        } catch (PathException e) {
            // NFS and some other file systems do not support RENAME_NOREPLACE; check the target first instead.
            if (e.errno() != Errno.ENOSYS && e.errno() != Errno.EINVAL) {
                throw e;
            }
            if (to.status(newName).isPresent()) {
                throw new PathException("rename", description, Errno.EEXIST);
            }
            rename(name, to, newName, 0, description);
        }
    }

    /** Renames a file within this directory atomically, replacing an existing entry. */
    public void replace(String name, String newName) throws PathException {
        rename(bytes(name), this, bytes(newName), 0, path() + "/" + name + " to " + newName);
    }

    private void rename(byte[] name, OpenDirectory to, byte[] newName, int flags, String description)
            throws PathException {
        retried("rename", description, () -> calls.renameat2(number(), name, to.number(), newName, flags));
    }

    /** Returns an iterator over the names. It must be exhausted before the directory is listed again. */
    public DirectoryEntries entries() throws PathException {
        retried("lseek", path(), () -> calls.lseek(number(), 0, 0));
        return new DirectoryEntries(this);
    }
}
