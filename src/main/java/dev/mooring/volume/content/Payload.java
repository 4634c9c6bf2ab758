package dev.mooring.volume.content;

import dev.mooring.volume.VolumeException;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** All files of a volume by path. Paths are normalized, and no path is both a file and a directory. Immutable. */
final class Payload {
    private final SortedMap<String, ContentFile> files;
    private final SortedSet<String> directories = new TreeSet<>();
    private final SortedSet<String> visible = new TreeSet<>();

    private Payload(SortedMap<String, ContentFile> files) throws VolumeException {
        this.files = Collections.unmodifiableSortedMap(files);
        for (String path : files.keySet()) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                directories.add(path.substring(0, slash));
            }
            int first = path.indexOf('/');
            visible.add(first < 0 ? path : path.substring(0, first));
        }
        for (String directory : directories) {
            if (files.containsKey(directory)) {
                throw VolumeException.clean(
                        "InvalidPath", "invalid path: is both a file and the directory of another file: " + directory);
            }
        }
    }

    /**
     * Creates a payload.
     *
     * @throws VolumeException if a path is not valid
     */
    static Payload of(Map<String, ContentFile> files) throws VolumeException {
        TreeMap<String, ContentFile> clean = new TreeMap<>();
        for (Map.Entry<String, ContentFile> each : files.entrySet()) {
            clean.put(PayloadPath.normalize(each.getKey()), each.getValue());
        }
        return new Payload(clean);
    }

    SortedMap<String, ContentFile> files() {
        return files;
    }

    boolean has(String path) {
        return files.containsKey(path) || directories.contains(path);
    }

    /** Returns the first name of every path: the entries of the volume's top directory. */
    SortedSet<String> visible() {
        return Collections.unmodifiableSortedSet(visible);
    }

    /** Returns which of these paths of files and directories are not part of the payload. */
    SortedSet<String> stalePaths(Iterable<String> paths) {
        SortedSet<String> surplus = new TreeSet<>();
        for (String path : paths) {
            if (!has(path)) {
                surplus.add(path);
            }
        }
        return surplus;
    }
}
