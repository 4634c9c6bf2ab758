package dev.mooring.node.discover;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is mounted where, as the kernel tells it. To ask it, no file system is touched. Immutable. */
final class MountTable {
    private static final Set<String> REMOTE = Set.of(
            "nfs",
            "nfs4",
            "cifs",
            "smb3",
            "smbfs",
            "ncpfs",
            "9p",
            "afs",
            "ceph",
            "coda",
            "glusterfs",
            "lustre",
            "gfs2",
            "ocfs2",
            "beegfs",
            "orangefs",
            "autofs");

    /** Of file systems in user space only those of disks are local; behind the others may be anything. */
    private static final String FUSE = "fuse.";

    private static final int MOUNT_POINT = 4;
    private static final String END_OF_OPTIONAL = "-";

    private final Map<Path, String> types;

    private MountTable(Map<Path, String> types) {
        this.types = types;
    }

    /** @param lines of {@code /proc/self/mountinfo}; what is not understood is passed over */
    static MountTable of(List<String> lines) {
        Map<Path, String> types = new HashMap<>();
        for (String line : lines) {
            List<String> fields = List.of(line.split(" "));
            int end = fields.indexOf(END_OF_OPTIONAL);
            if (end > MOUNT_POINT && end + 1 < fields.size()) {
                // Of several at the same place the last one is on top.
                types.put(Path.of(unescaped(fields.get(MOUNT_POINT))), fields.get(end + 1));
            }
        }
        return new MountTable(types);
    }

    boolean isMountPoint(Path path) {
        return types.containsKey(path);
    }

    /** The type of the file system a path is on, if that is one whose data is on another machine. */
    Optional<String> remoteType(Path path) {
        for (Path at = path; at != null; at = at.getParent()) {
            String type = types.get(at);
            if (type != null) {
                return Optional.of(type).filter(MountTable::isRemote);
            }
        }
        return Optional.empty();
    }

    private static boolean isRemote(String type) {
        return REMOTE.contains(type) || type.startsWith(FUSE);
    }

    /** The kernel writes blanks and backslashes as three octal digits. */
    private static String unescaped(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\\' && at + 3 < text.length() && isOctal(text, at + 1)) {
                plain.append((char) Integer.parseInt(text.substring(at + 1, at + 4), 8));
                at += 4;
            } else {
                plain.append(c);
                at++;
            }
        }
        return plain.toString();
    }

    private static boolean isOctal(String text, int from) {
        for (int i = from; i < from + 3; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '7') {
                return false;
            }
        }
        return true;
    }
}
