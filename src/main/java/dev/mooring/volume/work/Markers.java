package dev.mooring.volume.work;

import dev.mooring.host.DirectoryEntries;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.OpenFile;
import dev.mooring.host.PathException;
import dev.mooring.host.RelativePath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The markers of a base: files in its {@code .mooring} directory, named by uid. Each is written to a temporary file,
 * synced and then renamed, so it is complete or missing. Retained data has a note in a separate directory.
 */
final class Markers {
    private static final int MAX_BYTES = 64 * 1024;

    /** Why data outlived its volume. */
    enum KeptDataKind {
        KEPT("kept.notes"),
        ARCHIVED("archived.notes");

        private final String directory;

        KeptDataKind(String directory) {
            this.directory = directory;
        }
    }

    private final OpenDirectory area;

    Markers(OpenDirectory area) {
        this.area = area;
    }

    OpenDirectory area() {
        return area;
    }

    Optional<Marker> find(String uid) throws PathException, VolumeWorkException {
        return read(area, uid);
    }

    private static Optional<Marker> read(OpenDirectory in, String uid) throws PathException, VolumeWorkException {
        if (in.status(uid).isEmpty()) {
            return Optional.empty();
        }
        try (OpenFile file = in.openFileToRead(uid)) {
            Marker marker = Marker.parse(file.read(MAX_BYTES), file.path());
            if (!marker.uid().equals(uid)) {
                throw new VolumeWorkException(
                        VolumeWorkException.WRONG_MARKER,
                        "Marker " + file.path() + " must be for uid " + uid + ", but is for uid " + marker.uid()
                                + ": it was moved; restore the right file");
            }
            return Optional.of(marker);
        }
    }

    void write(Marker marker) throws PathException {
        write(area, marker);
    }

    private static void write(OpenDirectory in, Marker marker) throws PathException {
        String aside = marker.uid() + ".tmp";
        if (in.status(aside).isPresent()) {
            in.removeFile(aside);
        }
        try (OpenFile file = in.createFile(aside)) {
            file.write(marker.bytes());
            file.sync();
        }
        in.replace(aside, marker.uid());
        in.sync();
    }

    /** Removes the marker. A missing marker is success. */
    void remove(String uid) throws PathException {
        for (String name : List.of(uid, uid + ".tmp")) {
            if (area.status(name).isPresent()) {
                area.removeFile(name);
            }
        }
        area.sync();
    }

    /** Records the owner of retained data. */
    void note(Marker marker, KeptDataKind ending) throws PathException {
        if (area.status(ending.directory).isEmpty()) {
            try {
                area.makeDirectory(ending.directory);
            } catch (PathException e) {
                if (!e.isExisting()) {
                    throw e;
                }
            }
            area.sync();
        }
        try (OpenDirectory notes = area.open(ending.directory)) {
            write(notes, marker);
        }
    }

    /** Returns the deleted volumes whose data at the path was retained. */
    List<Marker> findKept(RelativePath path) throws PathException, VolumeWorkException {
        return notes(KeptDataKind.KEPT).stream()
                .filter(each -> each.path().equals(path))
                .toList();
    }

    /** Returns whether the data at the path belonged to this volume and was retained. */
    boolean wasKept(Marker marker) throws PathException, VolumeWorkException {
        return findKept(marker.path()).stream().anyMatch(each -> each.uid().equals(marker.uid()));
    }

    /** Assigns the data at the path to this volume. Repeated after a crash, it removes the remaining notes. */
    void adoptKeptData(Marker marker, List<Marker> kept) throws PathException {
        write(marker);
        try (OpenDirectory notes = area.open(KeptDataKind.KEPT.directory)) {
            for (Marker each : kept) {
                notes.removeFile(each.uid());
            }
            notes.sync();
        }
    }

    private List<Marker> notes(KeptDataKind ending) throws PathException, VolumeWorkException {
        if (area.status(ending.directory).isEmpty()) {
            return List.of();
        }
        try (OpenDirectory notes = area.open(ending.directory)) {
            return all(notes);
        }
    }

    /** Returns the marker for a path. Reads all markers; for error cases only. */
    Optional<Marker> findByPath(RelativePath path) throws PathException, VolumeWorkException {
        return all(area).stream().filter(each -> each.path().equals(path)).findFirst();
    }

    /** Returns the paths with data of other volumes, existing or retained. */
    Set<RelativePath> places(String exceptUid) throws PathException, VolumeWorkException {
        Set<RelativePath> places = new LinkedHashSet<>();
        for (Marker each : all(area)) {
            if (!each.uid().equals(exceptUid)) {
                places.add(each.path());
            }
        }
        for (Marker each : notes(KeptDataKind.KEPT)) {
            places.add(each.path());
        }
        for (Marker each : notes(KeptDataKind.ARCHIVED)) {
            places.add(RelativePath.of(each.archiveName()));
        }
        return places;
    }

    private static List<Marker> all(OpenDirectory in) throws PathException, VolumeWorkException {
        List<Marker> markers = new ArrayList<>();
        DirectoryEntries entries = in.entries();
        for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
            for (String name : some) {
                if (Marker.isUid(name)) {
                    read(in, name).ifPresent(markers::add);
                }
            }
        }
        return markers;
    }
}
