package dev.mooring.volume.path;

import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A file of any type that was opened only to have it in hand ({@code O_PATH}): a named pipe does not block, a device does nothing, a link is
 * the link itself, no permission to read is needed. What it refers to stays the same whatever happens to its name. Nothing can be read
 * from or written to it. Not for several threads at once.
 */
public final class Reference extends Descriptor {
    private static final int MAX_LINK = 4096;

    private Reference(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** A directory. Follows no link on the whole way, so the words of the path say where it is. */
    public static Reference open(SystemCalls calls, Path absolute) throws PathException {
        if (!absolute.isAbsolute() || !absolute.normalize().equals(absolute)) {
            throw new IllegalArgumentException("Expected an absolute, normalized path, but found " + absolute);
        }
        Reference at = new Reference(calls, Opening.root(calls), "");
        for (Path name : absolute) {
            try (Reference above = at) {
                at = of(above, bytes(name.toString()), Opening.ONLY_NAME | Opening.DIRECTORY, Reach.ANY_MOUNT);
            }
        }
        return at;
    }

    /** What has that single name in it, of whatever type; fails if this is no directory. */
    public Reference child(String name, Reach reach) throws PathException {
        return of(this, bytes(name), Opening.ONLY_NAME, reach);
    }

    static Reference of(Descriptor above, byte[] name, int flags, Reach reach) throws PathException {
        return new Reference(above.calls, Opening.open(above, name, flags, 0, reach), above.path() + "/" + words(name));
    }

    /** What it says, if it is a symbolic link. */
    public String linkText() throws PathException {
        byte[] text = new byte[MAX_LINK];
        long length = retried(
                "readlink",
                path(),
                () -> calls.readlinkat(number(), NOTHING, text, new NativeLong(text.length))
                        .longValue());
        return new String(text, 0, (int) length, StandardCharsets.UTF_8);
    }

    /** A new directory in this one. The umask of the process may take some of the permissions away. */
    public void makeDirectory(String name, int permissions) throws PathException {
        retried("mkdir", path() + "/" + name, () -> calls.mkdirat(number(), bytes(name), permissions));
    }

    /** Not for links, which have none. */
    @Override
    public void setPermissions(int permissions) throws PathException {
        // The kernel refuses fchmod on such descriptors, but not this way to the same file.
        retried("chmod", path(), () -> calls.fchmodat(Opening.HERE, bytes(handle()), permissions, 0));
    }

    /** Of a link: its own. */
    @Override
    public void setOwner(int uid, int gid) throws PathException {
        retried("chown", path(), () -> calls.fchownat(number(), NOTHING, uid, gid, EMPTY_PATH));
    }
}
