package dev.mooring.host;

import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A reference to a file of any type ({@code O_PATH}): a named pipe does not block, a device is not opened, a link is
 * not followed, and no read permission is needed. It refers to the same file after a rename. Cannot be used to read or
 * write. Not thread-safe.
 */
public final class FileReference extends Descriptor {
    private static final int MAX_LINK = 4096;

    private FileReference(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** Opens a directory without following links anywhere in the path, so the path is the real path. */
    public static FileReference open(SystemCalls calls, Path absolute) throws PathException {
        if (!absolute.isAbsolute() || !absolute.normalize().equals(absolute)) {
            throw new IllegalArgumentException("path must be absolute and normalized, got " + absolute);
        }
        FileReference at = new FileReference(calls, FileOpener.root(calls), "");
        for (Path name : absolute) {
            try (FileReference above = at) {
                at = of(
                        above,
                        bytes(name.toString()),
                        FileOpener.ONLY_NAME | FileOpener.DIRECTORY,
                        MountScope.ANY_MOUNT);
            }
        }
        return at;
    }

    /** Opens a file of any type by its name in this directory; fails if this is not a directory. */
    public FileReference child(String name, MountScope reach) throws PathException {
        return of(this, bytes(name), FileOpener.ONLY_NAME, reach);
    }

    static FileReference of(Descriptor above, byte[] name, int flags, MountScope reach) throws PathException {
        return new FileReference(
                above.calls, FileOpener.open(above, name, flags, 0, reach), above.path() + "/" + displayName(name));
    }

    /** Returns the target of a symbolic link. */
    public String linkText() throws PathException {
        byte[] text = new byte[MAX_LINK];
        long length = retried(
                "readlink",
                path(),
                () -> calls.readlinkat(number(), NOTHING, text, new NativeLong(text.length))
                        .longValue());
        return new String(text, 0, (int) length, StandardCharsets.UTF_8);
    }

    /** Creates a directory in this one. The umask applies to the permissions. */
    public void makeDirectory(String name, int permissions) throws PathException {
        retried("mkdir", path() + "/" + name, () -> calls.mkdirat(number(), bytes(name), permissions));
    }

    /** Sets the permissions. Not for links, which have none. */
    @Override
    public void setPermissions(int permissions) throws PathException {
        // The kernel refuses fchmod on O_PATH descriptors, but allows it through /proc.
        retried("chmod", path(), () -> calls.fchmodat(FileOpener.HERE, bytes(procPath()), permissions, 0));
    }

    /** Sets the owner; for a link, that of the link itself. */
    @Override
    public void setOwner(int uid, int gid) throws PathException {
        retried("chown", path(), () -> calls.fchownat(number(), NOTHING, uid, gid, EMPTY_PATH));
    }
}
