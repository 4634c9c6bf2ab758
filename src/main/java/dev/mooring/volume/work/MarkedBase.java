package dev.mooring.volume.work;

import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.RelativePath;
import dev.mooring.volume.path.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A directory that holds volumes, and the protocol by which they come and go. In its {@code .mooring} there are, for a volume's uid:
 *
 * <pre>
 *   UID        the marker: which path was made for which volume
 *   UID.new    the volume, being made
 *   UID.gone   the volume, being removed
 * </pre>
 *
 * Coming: make UID.new, write the marker, move UID.new to its place. Going: move it from its place to UID.gone, remove that, remove the
 * marker. Each step is durable before the next. So at any moment the names alone tell what is whose:
 *
 * <ul>
 *   <li>marker, no UID.new: what is at the place was put there for this volume
 *   <li>marker and UID.new: it was not put there yet; what is at the place is somebody else's
 *   <li>no marker: what is at the place is somebody else's
 * </ul>
 *
 * Extended attributes say the same a second time, where the file system has them. Not for several threads at once; several instances of
 * one base may be used at once for different volumes.
 */
final class MarkedBase implements AutoCloseable {
    static final String AREA = ".mooring";
    static final String ARCHIVED = "archived-";
    static final String ATTRIBUTE = "user.mooring.volume";

    private final Directory base;
    private final Markers markers;
    private final Parents parents;

    private MarkedBase(Directory base, Directory area) {
        this.base = base;
        this.markers = new Markers(area);
        this.parents = new Parents(base, area);
    }

    /** Takes over the directory. */
    static MarkedBase of(Directory base) throws PathException {
        boolean opened = false;
        try {
            if (base.status(AREA).isEmpty()) {
                make(base);
            }
            MarkedBase marked = new MarkedBase(base, base.open(AREA));
            opened = true;
            return marked;
        } finally {
            if (!opened) {
                base.close();
            }
        }
    }

    private static void make(Directory base) throws PathException {
        try {
            base.makeDirectory(AREA);
        } catch (PathException e) {
            if (!e.isTaken()) {
                throw e;
            }
        }
        base.sync();
    }

    Markers markers() {
        return markers;
    }

    Directory directory() {
        return base;
    }

    /** Opens the directory a path lies in, if it is there. */
    Optional<Directory> parentOf(RelativePath path) throws PathException {
        return parents.find(path);
    }

    /** Puts a volume to its place, unless it is there already. Tells whether there was data in it before. */
    Optional<String> place(Marker marker, Making making)
            throws VolumeWorkException, PathException, InterruptedException {
        Directory area = markers.area();
        String made = marker.uid() + ".new";
        Tree.remove(area, marker.uid() + ".gone");
        parents.forget(marker);
        Optional<Marker> earlier = markers.find(marker.uid());
        if (earlier.isPresent()) {
            mustName(earlier.get(), marker);
        }
        try (Directory parent = parents.make(marker)) {
            boolean there = parent.status(marker.path().last()).isPresent();
            boolean half = area.status(made).isPresent();
            if (earlier.isPresent() && there && !half) {
                mustBeOurs(parent, marker, making.type());
                return Optional.empty();
            }
            if (there && earlier.isEmpty() && markers.mayTakeOver(marker)) {
                Tree.remove(area, made);
                sign(parent, marker, making.type());
                markers.takeOver(marker);
                return Optional.of(
                        "took over the data that an earlier volume has left at " + base.path() + "/" + marker.path());
            }
            if (there) {
                throw occupied(marker);
            }
            if (earlier.isEmpty() || !half) {
                // A marker without data is one whose data was removed by hand: begin anew.
                markers.remove(marker.uid());
                Tree.remove(area, made);
                making.make(area, made, marker.uid());
                area.sync();
                markers.write(marker);
            }
            move(area, made, parent, marker);
            parent.sync();
            area.sync();
        }
        return Optional.empty();
    }

    private void move(Directory area, String made, Directory parent, Marker marker)
            throws VolumeWorkException, PathException {
        try {
            area.move(made, parent, marker.path().last());
        } catch (PathException e) {
            if (e.isTaken()) {
                throw occupied(marker);
            }
            throw e;
        }
    }

    /** What is found when no marker says that there is something of this volume. */
    enum Unmarked {
        /** The volume was never put to its place: whatever is there is somebody else's, and is let alone. */
        LET_ALONE,
        /** The volume has been there: somebody must look. */
        REFUSE
    }

    /** Takes a volume from its place and does with it what was promised when it was made. Nothing there is fine. */
    Optional<String> remove(Marker asked, FileStatus.Type type, Unmarked unmarked)
            throws VolumeWorkException, PathException, InterruptedException {
        Directory area = markers.area();
        String uid = asked.uid();
        Tree.remove(area, uid + ".gone");
        parents.forget(asked);
        Optional<Marker> marker = markers.find(uid);
        boolean neverThere = area.status(uid + ".new").isPresent();
        if (neverThere) {
            Tree.remove(area, uid + ".new");
        }
        Optional<String> note = Optional.empty();
        if (marker.isPresent()) {
            mustName(marker.get(), asked);
            note = neverThere ? Optional.empty() : leave(marker.get(), type);
        } else if (unmarked == Unmarked.REFUSE) {
            note = unmarked(asked);
        }
        parents.removeEmpty(asked.path());
        markers.remove(uid);
        return note;
    }

    private Optional<String> leave(Marker marker, FileStatus.Type type)
            throws VolumeWorkException, PathException, InterruptedException {
        Optional<Directory> found = parents.find(marker.path());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (Directory parent = found.get()) {
            if (parent.status(marker.path().last()).isEmpty()) {
                return Optional.empty();
            }
            mustBeOurs(parent, marker, type);
            return leave(marker, parent);
        }
    }

    private Optional<String> leave(Marker marker, Directory parent) throws PathException, InterruptedException {
        Directory area = markers.area();
        String name = marker.path().last();
        switch (marker.onDelete()) {
            case RETAIN -> {
                markers.note(marker, Markers.Ending.KEPT);
                return Optional.of(
                        "kept the data at " + base.path() + "/" + marker.path() + " as onDelete: retain says");
            }
            case ARCHIVE -> {
                markers.note(marker, Markers.Ending.ARCHIVED);
                parent.move(name, base, marker.archiveName());
                parent.sync();
                base.sync();
                return Optional.of("archived the data as " + base.path() + "/" + marker.archiveName());
            }
            default -> {
                parent.move(name, area, marker.uid() + ".gone");
                parent.sync();
                area.sync();
                Tree.remove(area, marker.uid() + ".gone");
                return Optional.empty();
            }
        }
    }

    /** It was deleted before and another volume got the place, or nobody knows whose it is. */
    private Optional<String> unmarked(Marker asked) throws VolumeWorkException, PathException {
        Optional<Directory> parent = parents.find(asked.path());
        if (parent.isEmpty()) {
            return Optional.empty();
        }
        try (Directory in = parent.get()) {
            if (in.status(asked.path().last()).isEmpty()) {
                return Optional.empty();
            }
        }
        Optional<Marker> owner = markers.at(asked.path());
        String place = base.path() + "/" + asked.path();
        if (owner.isPresent() && owner.get().volume().equals(asked.volume())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    "Expected " + place + " to be made for volume " + asked.volume() + " with uid " + asked.uid()
                            + ", but it was made for one of that name with uid "
                            + owner.get().uid()
                            + ": nothing was deleted; if it is the same data, remove it by hand");
        }
        if (owner.isPresent()) {
            return Optional.of(place + " belongs to volume " + owner.get().volume() + " by now and was let alone");
        }
        if (markers.wasKept(asked)) {
            return Optional.of("kept the data at " + place + " as onDelete: retain says");
        }
        throw new VolumeWorkException(
                VolumeWorkException.UNMARKED,
                "Expected a marker " + base.path() + "/" + AREA + "/" + asked.uid() + " that says that " + place
                        + " was made for volume " + asked.volume()
                        + ", but there is none: nothing was deleted; remove the data by hand, or set the reclaim"
                        + " policy to Retain");
    }

    private void mustName(Marker found, Marker asked) throws VolumeWorkException {
        if (!found.path().equals(asked.path()) || !found.volume().equals(asked.volume())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    "Expected the marker " + base.path() + "/" + AREA + "/" + asked.uid() + " to name volume "
                            + asked.volume() + " at " + asked.path() + ", but it names " + found.volume() + " at "
                            + found.path() + ": nothing was changed; look which of them is right");
        }
    }

    private void mustBeOurs(Directory parent, Marker marker, FileStatus.Type type)
            throws VolumeWorkException, PathException {
        String name = marker.path().last();
        FileStatus status = parent.status(name).orElse(null);
        if (status == null) {
            throw new VolumeWorkException(
                    VolumeWorkException.MISSING,
                    "Expected a " + type + " at " + parent.path() + "/" + name
                            + ", but somebody has just moved it away: nothing was changed; it is tried again");
        }
        if (status.type() != type) {
            throw new VolumeWorkException(
                    VolumeWorkException.DIVERTED,
                    "Expected a " + type + " at " + parent.path() + "/" + name + ", but found a " + status.type()
                            + ": somebody has replaced it; nothing was changed");
        }
        Optional<String> owner = attribute(parent, name, type);
        if (owner.isPresent() && !owner.get().equals(marker.uid())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    "Expected " + parent.path() + "/" + name + " to carry the uid " + marker.uid() + ", but it carries "
                            + owner.get() + ": somebody has replaced it; nothing was changed");
        }
    }

    private static Optional<String> attribute(Directory parent, String name, FileStatus.Type type)
            throws PathException {
        try (Descriptor there = open(parent, name, type)) {
            return there.attribute(ATTRIBUTE);
        }
    }

    private static void sign(Directory parent, Marker marker, FileStatus.Type type) throws PathException {
        try (Descriptor there = open(parent, marker.path().last(), type)) {
            there.setAttribute(ATTRIBUTE, marker.uid());
        }
    }

    private static Descriptor open(Directory parent, String name, FileStatus.Type type) throws PathException {
        return type == FileStatus.Type.DIRECTORY ? parent.open(name) : parent.openFileToRead(name);
    }

    private VolumeWorkException occupied(Marker marker) throws PathException, VolumeWorkException {
        String place = base.path() + "/" + marker.path();
        String owner = markers.at(marker.path())
                .filter(other -> !other.uid().equals(marker.uid()))
                .map(other -> "it was made for volume " + other.volume() + " (uid " + other.uid() + ")")
                .orElse("it was not made for a volume");
        return new VolumeWorkException(
                VolumeWorkException.OCCUPIED,
                "Expected nothing at " + place + ", but there is something and " + owner
                        + ": it was let alone; move it away, or choose another pathPattern");
    }

    /** What the markers and notes of other volumes in this base stand for, as far as it is there. */
    List<FileStatus> placed(String exceptUid) throws PathException, VolumeWorkException {
        List<FileStatus> placed = new ArrayList<>();
        for (RelativePath each : markers.places(exceptUid)) {
            Optional<Directory> parent = parents.find(each);
            if (parent.isPresent()) {
                try (Directory in = parent.get()) {
                    in.status(each.last()).ifPresent(placed::add);
                }
            }
        }
        return placed;
    }

    @Override
    public void close() {
        markers.area().close();
        base.close();
    }
}
