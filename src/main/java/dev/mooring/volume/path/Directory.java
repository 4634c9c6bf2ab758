package dev.mooring.volume.path;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An open directory, and what can be done to the names in it. Every name is a single one; no link is followed, ever. Whoever renames or
 * replaces the directory, its parents or what is in it changes what is found, but not where: nothing outside is reached. Not for several
 * threads at once.
 */
public final class Directory extends Descriptor {
    private static final int MAX_LINK = 4096;
    private static final int NO_FOLLOW = 0x100;
    private static final int REMOVE_DIRECTORY = 0x200;
    private static final int NO_REPLACE = 1;

    private Directory(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** Follows no link on the whole way, so the words of the path say where it is. */
    public static Directory open(SystemCalls calls, Path absolute) throws PathException {
        if (!absolute.isAbsolute() || !absolute.normalize().equals(absolute)) {
            throw new IllegalArgumentException("Expected an absolute, normalized path, but found " + absolute);
        }
        Directory at = new Directory(calls, Opening.root(calls), "");
        for (Path name : absolute) {
            try (Directory above = at) {
                at = above.child(name.toString(), Reach.ANY_MOUNT);
            }
        }
        return at;
    }

    /** The directory of that name, which must be in the same mount. */
    public Directory open(String name) throws PathException {
        return child(name, Reach.SAME_MOUNT);
    }

    /** Down that way, in the same mount. For no names: this very directory, opened once more. */
    public Directory open(List<String> names) throws PathException {
        Directory at = new Directory(calls, openAgain(), path());
        for (String name : names) {
            try (Directory above = at) {
                at = above.open(name);
            }
        }
        return at;
    }

    private int openAgain() throws PathException {
        byte[] here = bytes(".");
        return Opening.open(this, here, Opening.DIRECTORY, 0, Reach.ANY_MOUNT);
    }

    /** What has that name, of whatever type. */
    public Reference refer(String name, Reach reach) throws PathException {
        return refer(bytes(name), reach);
    }

    Reference refer(byte[] name, Reach reach) throws PathException {
        return Reference.of(this, name, Opening.ONLY_NAME, reach);
    }

    /** To be listed and changed, after it was only in hand. */
    static Directory of(Reference same) throws PathException {
        byte[] here = bytes(".");
        return new Directory(same.calls, Opening.open(same, here, Opening.DIRECTORY, 0, Reach.ANY_MOUNT), same.path());
    }

    private Directory child(String name, Reach reach) throws PathException {
        return child(bytes(name), reach);
    }

    Directory child(byte[] name, Reach reach) throws PathException {
        return new Directory(calls, Opening.open(this, name, Opening.DIRECTORY, 0, reach), path() + "/" + words(name));
    }

    /** For reading and writing. */
    public OpenFile openFile(String name) throws PathException {
        return file(name, Opening.READ_WRITE, 0);
    }

    public OpenFile openFileToRead(String name) throws PathException {
        return file(name, Opening.READ, 0);
    }

    /** A new and empty file, readable by its owner only; fails if there is anything of that name. */
    public OpenFile createFile(String name) throws PathException {
        return file(name, Opening.READ_WRITE | Opening.CREATE | Opening.EXCLUSIVE, 0600);
    }

    private OpenFile file(String name, int flags, int mode) throws PathException {
        return new OpenFile(calls, Opening.open(this, bytes(name), flags, mode, Reach.SAME_MOUNT), path() + "/" + name);
    }

    /** A new directory that only its owner can enter, to be opened up when it is ready. */
    public void makeDirectory(String name) throws PathException {
        retried("mkdir", path() + "/" + name, () -> calls.mkdirat(number(), bytes(name), 0700));
    }

    /** A new symbolic link that says {@code target}; fails if there is anything of that name. */
    public void makeLink(String name, String target) throws PathException {
        retried("symlink", path() + "/" + name, () -> calls.symlinkat(bytes(target), number(), bytes(name)));
    }

    /** What a symbolic link says. Nothing if there is nothing of that name. */
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

    /** Of the name itself: a link is a link. Nothing if there is nothing of that name. */
    public Optional<FileStatus> status(String name) throws PathException {
        return status(bytes(name));
    }

    Optional<FileStatus> status(byte[] name) throws PathException {
        Memory result = new Memory(FileStatus.BYTES);
        try {
            retried(
                    "statx",
                    path() + "/" + words(name),
                    () -> calls.statx(number(), name, NO_FOLLOW, FileStatus.WANTED, result));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw e;
        }
        return Optional.of(FileStatus.of(result));
    }

    /** Removes a name that is no directory. */
    public void removeFile(String name) throws PathException {
        removeFile(bytes(name));
    }

    void removeFile(byte[] name) throws PathException {
        retried("unlink", path() + "/" + words(name), () -> calls.unlinkat(number(), name, 0));
    }

    /** Removes an empty directory. */
    public void removeDirectory(String name) throws PathException {
        removeDirectory(bytes(name));
    }

    void removeDirectory(byte[] name) throws PathException {
        retried("rmdir", path() + "/" + words(name), () -> calls.unlinkat(number(), name, REMOVE_DIRECTORY));
    }

    /** Moves a name, in one step, to where nothing is; fails if there is something. */
    public void move(String name, Directory to, String newName) throws PathException {
        move(bytes(name), to, bytes(newName));
    }

    void move(byte[] name, Directory to, byte[] newName) throws PathException {
        String words = path() + "/" + words(name) + " to " + to.path() + "/" + words(newName);
        try {
            rename(name, to, newName, NO_REPLACE, words);
        } catch (PathException e) {
            // NFS and some others cannot promise it in one step; the directory we move to is then at least looked at
            // first.
            if (e.errno() != Errno.ENOSYS && e.errno() != Errno.EINVAL) {
                throw e;
            }
            if (to.status(newName).isPresent()) {
                throw new PathException("rename", words, Errno.EEXIST);
            }
            rename(name, to, newName, 0, words);
        }
    }

    /** Moves a file in one step to a name in this directory, over what may be there. */
    public void replace(String name, String newName) throws PathException {
        rename(bytes(name), this, bytes(newName), 0, path() + "/" + name + " to " + newName);
    }

    private void rename(byte[] name, Directory to, byte[] newName, int flags, String words) throws PathException {
        retried("rename", words, () -> calls.renameat2(number(), name, to.number(), newName, flags));
    }

    /** The names in it, some at a time. To be used up before the directory is listed again. */
    public Entries entries() throws PathException {
        retried("lseek", path(), () -> calls.lseek(number(), 0, 0));
        return new Entries(this);
    }
}
