package dev.mooring.volume.content;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.Entries;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.OpenFile;
import dev.mooring.volume.path.PathException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The directory of one version: writes a payload into it, and tells whether it shows one. Holds a descriptor for each level of
 * directories, of which a path of allowed length has 2,048 at most. Not for several threads at once.
 */
final class VersionFiles {
    /** Of the version's directory and those in it: everybody may look. */
    private static final int DIRECTORY = 0755;

    private final Directory top;
    private final GroupAccess access;

    VersionFiles(Directory top, GroupAccess access) {
        this.top = top;
        this.access = access;
    }

    /** Into an empty directory. When it returns everything has its permissions, so that it can be shown. */
    void write(Payload payload) throws PathException {
        for (Map.Entry<String, ContentFile> each : payload.files().entrySet()) {
            List<String> names = PayloadPath.names(each.getKey());
            int last = names.size() - 1;
            try (Directory parent = Descent.make(top, names.subList(0, last), access, DIRECTORY);
                    OpenFile file = parent.createFile(names.get(last))) {
                file.write(each.getValue().bytes());
                access.give(file, access.ofFile(each.getValue().mode()));
            }
        }
        access.give(top, access.ofDirectory(DIRECTORY));
    }

    /** Whether it shows these files and nothing else, byte by byte, with their permissions. */
    boolean show(Payload payload) throws PathException {
        if (!access.holdsFor(top.status(), access.ofDirectory(DIRECTORY))) {
            return false;
        }
        SortedMap<String, FileStatus> found = below();
        if (!payload.surplus(found.keySet()).isEmpty()) {
            return false;
        }
        for (Map.Entry<String, FileStatus> each : found.entrySet()) {
            FileStatus status = each.getValue();
            if (status.isDirectory() && !access.holdsFor(status, access.ofDirectory(DIRECTORY))) {
                return false;
            }
        }
        for (Map.Entry<String, ContentFile> each : payload.files().entrySet()) {
            FileStatus status = found.get(each.getKey());
            if (status == null || !shows(each.getKey(), status, each.getValue())) {
                return false;
            }
        }
        return true;
    }

    private boolean shows(String path, FileStatus status, ContentFile file) throws PathException {
        if (!status.isFile()
                || status.size() != file.length()
                || !access.holdsFor(status, access.ofFile(file.mode()))) {
            return false;
        }
        List<String> names = PayloadPath.names(path);
        int last = names.size() - 1;
        try (Directory parent = top.open(names.subList(0, last));
                OpenFile open = parent.openFileToRead(names.get(last))) {
            return file.holds(open.read(file.length() + 1));
        }
    }

    /** Everything below, by path. */
    SortedMap<String, FileStatus> below() throws PathException {
        SortedMap<String, FileStatus> found = new TreeMap<>();
        addBelow(top, "", found);
        return found;
    }

    private static void addBelow(Directory directory, String way, SortedMap<String, FileStatus> found)
            throws PathException {
        for (String name : namesIn(directory)) {
            FileStatus status = directory.status(name).orElse(null);
            if (status != null) {
                found.put(way + name, status);
                if (status.isDirectory()) {
                    try (Directory child = directory.open(name)) {
                        addBelow(child, way + name + "/", found);
                    }
                }
            }
        }
    }

    static List<String> namesIn(Directory directory) throws PathException {
        List<String> names = new ArrayList<>();
        Entries entries = directory.entries();
        for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
            names.addAll(some);
        }
        return names;
    }
}
