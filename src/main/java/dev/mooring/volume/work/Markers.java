package dev.mooring.volume.work;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.Entries;
import dev.mooring.volume.path.OpenFile;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.RelativePath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The markers of a base: files in its {@code .mooring}, named after uids. Each is written aside, made durable and then moved to its name,
 * so it is there whole or not at all. What outlived its volume leaves a note in a directory beside them.
 */
final class Markers {
    private static final int MAX_BYTES = 64 * 1024;

    /** How a volume ended whose data is still there. */
    enum Ending {
        KEPT("kept.notes"),
        ARCHIVED("archived.notes");

        private final String directory;

        Ending(String directory) {
            this.directory = directory;
        }
    }

    private final Directory area;

    Markers(Directory area) {
        this.area = area;
    }

    Directory area() {
        return area;
    }

    Optional<Marker> find(String uid) throws PathException, VolumeWorkException {
        return read(area, uid);
    }

    private static Optional<Marker> read(Directory in, String uid) throws PathException, VolumeWorkException {
        if (in.status(uid).isEmpty()) {
            return Optional.empty();
        }
        try (OpenFile file = in.openFileToRead(uid)) {
            Marker marker = Marker.parse(file.read(MAX_BYTES), file.path());
            if (!marker.uid().equals(uid)) {
                throw new VolumeWorkException(
                        VolumeWorkException.WRONG_MARKER,
                        "Expected " + file.path() + " to be a marker of " + uid + ", but it is one of " + marker.uid()
                                + ": somebody has moved it; put it right");
            }
            return Optional.of(marker);
        }
    }

    void write(Marker marker) throws PathException {
        write(area, marker);
    }

    private static void write(Directory in, Marker marker) throws PathException {
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

    /** None is fine. */
    void remove(String uid) throws PathException {
        for (String name : List.of(uid, uid + ".tmp")) {
            if (area.status(name).isPresent()) {
                area.removeFile(name);
            }
        }
        area.sync();
    }

    /** Remembers whose the data was that is kept. */
    void note(Marker marker, Ending ending) throws PathException {
        if (area.status(ending.directory).isEmpty()) {
            try {
                area.makeDirectory(ending.directory);
            } catch (PathException e) {
                if (!e.isTaken()) {
                    throw e;
                }
            }
            area.sync();
        }
        try (Directory notes = area.open(ending.directory)) {
            write(notes, marker);
        }
    }

    /**
     * Whether the data at that path was kept by a volume that is gone, and would be kept again. Only then may another volume have it:
     * data that is deleted in the end must have been made for the volume that ends.
     */
    boolean mayTakeOver(Marker marker) throws PathException, VolumeWorkException {
        if (marker.onDelete() != OnDelete.RETAIN || at(marker.path()).isPresent()) {
            return false;
        }
        return !notes(Ending.KEPT, marker.path()).isEmpty();
    }

    /** Whether the data at that path was this volume's, and was kept when it ended. */
    boolean wasKept(Marker marker) throws PathException, VolumeWorkException {
        return notes(Ending.KEPT, marker.path()).stream()
                .anyMatch(each -> each.uid().equals(marker.uid()));
    }

    /** The data at that path is this volume's from now on. */
    void takeOver(Marker marker) throws PathException, VolumeWorkException {
        write(marker);
        List<Marker> earlier = notes(Ending.KEPT, marker.path());
        try (Directory notes = area.open(Ending.KEPT.directory)) {
            for (Marker each : earlier) {
                notes.removeFile(each.uid());
            }
            notes.sync();
        }
    }

    private List<Marker> notes(Ending ending, RelativePath path) throws PathException, VolumeWorkException {
        return notes(ending).stream().filter(each -> each.path().equals(path)).toList();
    }

    private List<Marker> notes(Ending ending) throws PathException, VolumeWorkException {
        if (area.status(ending.directory).isEmpty()) {
            return List.of();
        }
        try (Directory notes = area.open(ending.directory)) {
            return all(notes);
        }
    }

    /** Whose marker names that path. Reads them all: for when something is not as it should be. */
    Optional<Marker> at(RelativePath path) throws PathException, VolumeWorkException {
        return all(area).stream().filter(each -> each.path().equals(path)).findFirst();
    }

    /** Where there is data of other volumes, living or not. */
    Set<RelativePath> places(String exceptUid) throws PathException, VolumeWorkException {
        Set<RelativePath> places = new LinkedHashSet<>();
        for (Marker each : all(area)) {
            if (!each.uid().equals(exceptUid)) {
                places.add(each.path());
            }
        }
        for (Marker each : notes(Ending.KEPT)) {
            places.add(each.path());
        }
        for (Marker each : notes(Ending.ARCHIVED)) {
            places.add(RelativePath.of(each.archiveName()));
        }
        return places;
    }

    private static List<Marker> all(Directory in) throws PathException, VolumeWorkException {
        List<Marker> markers = new ArrayList<>();
        Entries entries = in.entries();
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
