package dev.mooring.volume.content;

import dev.mooring.host.DirectoryEntries;
import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.OpenFile;
import dev.mooring.host.PathException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The directory of one version: writes a payload and compares the content with a payload. Holds one descriptor per
 * directory level, at most 2,048 for a path of allowed length. Not thread-safe.
 */
final class VersionDirectory {
    /** Mode of the version's directory and its subdirectories. */
    private static final int DIRECTORY = 0755;

    private final OpenDirectory top;
    private final FsGroupPermissions access;

    VersionDirectory(OpenDirectory top, FsGroupPermissions access) {
        this.top = top;
        this.access = access;
    }

    /**
     * Writes the payload to an empty directory. All permissions are set when this returns, so the version can be
     * published.
     */
    void write(Payload payload) throws PathException {
        for (Map.Entry<String, ContentFile> each : payload.files().entrySet()) {
            List<String> names = PayloadPath.names(each.getKey());
            int last = names.size() - 1;
            try (OpenDirectory parent = DirectoryPathCreator.make(top, names.subList(0, last), access, DIRECTORY);
                    OpenFile file = parent.createFile(names.get(last))) {
                file.write(each.getValue().bytes());
                access.apply(file, access.filePermissions(each.getValue().mode()));
            }
        }
        access.apply(top, access.directoryPermissions(DIRECTORY));
    }

    /** Returns whether the directory holds exactly these files, with the same bytes and permissions. */
    boolean matches(Payload payload) throws PathException {
        if (!access.matches(top.status(), access.directoryPermissions(DIRECTORY))) {
            return false;
        }
        SortedMap<String, FileStatus> found = below();
        if (!payload.stalePaths(found.keySet()).isEmpty()) {
            return false;
        }
        for (Map.Entry<String, FileStatus> each : found.entrySet()) {
            FileStatus status = each.getValue();
            if (status.isDirectory() && !access.matches(status, access.directoryPermissions(DIRECTORY))) {
                return false;
            }
        }
        for (Map.Entry<String, ContentFile> each : payload.files().entrySet()) {
            FileStatus status = found.get(each.getKey());
            if (status == null || !matchesFile(each.getKey(), status, each.getValue())) {
                return false;
            }
        }
        return true;
    }

    private boolean matchesFile(String path, FileStatus status, ContentFile file) throws PathException {
        if (!status.isFile()
                || status.size() != file.length()
                || !access.matches(status, access.filePermissions(file.mode()))) {
            return false;
        }
        List<String> names = PayloadPath.names(path);
        int last = names.size() - 1;
        try (OpenDirectory parent = top.open(names.subList(0, last));
                OpenFile open = parent.openFileToRead(names.get(last))) {
            return file.holds(open.read(file.length() + 1));
        }
    }

    /** Returns everything below the directory by path. */
    SortedMap<String, FileStatus> below() throws PathException {
        SortedMap<String, FileStatus> found = new TreeMap<>();
        addBelow(top, "", found);
        return found;
    }

    private static void addBelow(OpenDirectory directory, String way, SortedMap<String, FileStatus> found)
            throws PathException {
        for (String name : namesIn(directory)) {
            FileStatus status = directory.status(name).orElse(null);
            if (status != null) {
                found.put(way + name, status);
                if (status.isDirectory()) {
                    try (OpenDirectory child = directory.open(name)) {
                        addBelow(child, way + name + "/", found);
                    }
                }
            }
        }
    }

    static List<String> namesIn(OpenDirectory directory) throws PathException {
        List<String> names = new ArrayList<>();
        DirectoryEntries entries = directory.entries();
        for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
            names.addAll(some);
        }
        return names;
    }
}
