package dev.mooring.volume.work;

import dev.mooring.host.Descriptor;
import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.RelativePath;
import dev.mooring.host.TreeRemover;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A base directory with volumes, and the protocol that creates and removes them. Its {@code .mooring} directory contains, for a uid:
 *
 * <pre>
 *   UID        the marker: which path was created for which volume
 *   UID.new    the volume, being created
 *   UID.gone   the volume, being removed
 * </pre>
 *
 * To create a volume: create UID.new, write the marker, move UID.new to the volume's path. To remove it: move it from its path to
 * UID.gone, remove UID.gone, remove the marker. Each step is durable before the next. So the names alone show the owner at any moment:
 *
 * <ul>
 *   <li>marker, no UID.new: the data at the path was created for this volume
 *   <li>marker and UID.new: the volume was not moved yet; data at the path belongs to another owner
 *   <li>no marker: data at the path belongs to another owner
 * </ul>
 *
 * Extended attributes record the owner redundantly, where the file system supports them. Not thread-safe; several instances of one base
 * may be used concurrently for different volumes.
 */
final class VolumeBaseDirectory implements AutoCloseable {
    static final String AREA = ".mooring";
    static final String ARCHIVED = "archived-";
    static final String ATTRIBUTE = "user.mooring.volume";

    private final OpenDirectory base;
    private final Markers markers;
    private final ParentDirectories parents;

    private VolumeBaseDirectory(OpenDirectory base, OpenDirectory area) {
        this.base = base;
        this.markers = new Markers(area);
        this.parents = new ParentDirectories(base, area);
    }

    /** Opens the base; closes the given directory with this. */
    static VolumeBaseDirectory of(OpenDirectory base) throws PathException {
        boolean opened = false;
        try {
            if (base.status(AREA).isEmpty()) {
                make(base);
            }
            VolumeBaseDirectory marked = new VolumeBaseDirectory(base, base.open(AREA));
            opened = true;
            return marked;
        } finally {
            if (!opened) {
                base.close();
            }
        }
    }

    private static void make(OpenDirectory base) throws PathException {
        try {
            base.makeDirectory(AREA);
        } catch (PathException e) {
            if (!e.isExisting()) {
                throw e;
            }
        }
        base.sync();
    }

    Markers markers() {
        return markers;
    }

    OpenDirectory directory() {
        return base;
    }

    /** Opens the parent directory of a path, if it exists. */
    Optional<OpenDirectory> parentOf(RelativePath path) throws PathException {
        return parents.find(path);
    }

    /** Creates a volume unless it exists. Returns a note if it contains earlier data. */
    Optional<String> create(Marker marker, VolumeDataCreator creator)
            throws VolumeWorkException, PathException, InterruptedException {
        OpenDirectory area = markers.area();
        String made = marker.uid() + ".new";
        TreeRemover.remove(area, marker.uid() + ".gone");
        parents.removeLeftover(marker);
        Optional<Marker> earlier = markers.find(marker.uid());
        if (earlier.isPresent()) {
            requireSameVolume(earlier.get(), marker);
        }
        try (OpenDirectory parent = parents.make(marker)) {
            boolean there = parent.status(marker.path().last()).isPresent();
            boolean half = area.status(made).isPresent();
            List<Marker> kept = there ? markers.findKept(marker.path()) : List.of();
            if (earlier.isPresent() && there && !half) {
                requireOwned(parent, marker, creator.type());
                return kept.isEmpty() ? Optional.empty() : Optional.of(adoptKeptData(marker, kept));
            }
            if (earlier.isEmpty()
                    && !kept.isEmpty()
                    && markers.findByPath(marker.path()).isEmpty()) {
                requireKeptFor(marker, kept);
                TreeRemover.remove(area, made);
                writeUidAttribute(parent, marker, creator.type());
                return Optional.of(adoptKeptData(marker, kept));
            }
            if (there) {
                throw occupied(marker);
            }
            if (earlier.isEmpty() || !half) {
                // The marker has no data, so the data was removed by hand: start over.
                markers.remove(marker.uid());
                TreeRemover.remove(area, made);
                creator.make(area, made, marker.uid());
                area.sync();
                markers.write(marker);
            }
            move(area, made, parent, marker);
            parent.sync();
            area.sync();
        }
        return Optional.empty();
    }

    private String adoptKeptData(Marker marker, List<Marker> kept) throws PathException {
        markers.adoptKeptData(marker, kept);
        return "adopted the retained data at " + base.path() + "/" + marker.path() + " of the former claim "
                + marker.claim().map(Object::toString).orElse("");
    }

    /**
     * Refuses data that was retained for another claim, which may belong to another tenant. Users who see the message
     * may not know of that claim, so only the raw output names it. Retained data is only given to a volume that retains
     * it again: data that is deleted in the end must have been created for the deleted volume.
     */
    private void requireKeptFor(Marker marker, List<Marker> kept) throws VolumeWorkException {
        String place = base.path() + "/" + marker.path();
        boolean same = kept.stream()
                .allMatch(each -> each.claim().isPresent()
                        && marker.claim().filter(each.claim().get()::isSameAs).isPresent());
        if (!same) {
            throw new VolumeWorkException(
                    VolumeWorkException.KEPT,
                    place + " contains retained data of another claim (onDelete: retain): it was not changed; choose"
                            + " another volumeName or path, or have an administrator move or remove the data",
                    "retained: " + kept.stream().map(Marker::text).toList() + ", requested: " + marker.text());
        }
        if (marker.onDelete() != OnDelete.RETAIN) {
            throw new VolumeWorkException(
                    VolumeWorkException.KEPT,
                    place + " contains retained data of this claim (onDelete: retain), but the storage class has"
                            + " onDelete: " + marker.onDelete()
                            + ": it was not changed; use a class with onDelete: retain, or choose another volumeName or"
                            + " path");
        }
    }

    private void move(OpenDirectory area, String made, OpenDirectory parent, Marker marker)
            throws VolumeWorkException, PathException {
        try {
            area.move(made, parent, marker.path().last());
        } catch (PathException e) {
            if (e.isExisting()) {
                throw occupied(marker);
            }
            throw e;
        }
    }

    /** What to do if no marker shows that the volume has data here. */
    enum UnmarkedPolicy {
        /** The volume was never created here: data at the path belongs to others and is ignored. */
        IGNORE,
        /** The volume was created here: an administrator must look into it. */
        REFUSE
    }

    /**
     * Removes a volume from its path and deletes, archives or retains its data, as recorded on creation. A missing
     * volume is success.
     */
    Optional<String> remove(Marker asked, FileStatus.FileType type, UnmarkedPolicy unmarked)
            throws VolumeWorkException, PathException, InterruptedException {
        OpenDirectory area = markers.area();
        String uid = asked.uid();
        TreeRemover.remove(area, uid + ".gone");
        parents.removeLeftover(asked);
        Optional<Marker> marker = markers.find(uid);
        boolean neverThere = area.status(uid + ".new").isPresent();
        if (neverThere) {
            TreeRemover.remove(area, uid + ".new");
        }
        Optional<String> note = Optional.empty();
        if (marker.isPresent()) {
            requireSameVolume(marker.get(), asked);
            Marker last = asked.claim().isPresent()
                    ? marker.get()
                            .forClaim(asked.claim()
                                    .map(claim -> claim.mergedWith(marker.get().claim())))
                    : marker.get();
            note = neverThere ? Optional.empty() : release(last, type);
        } else if (unmarked == UnmarkedPolicy.REFUSE) {
            note = unmarked(asked);
        }
        parents.removeEmpty(asked.path());
        markers.remove(uid);
        return note;
    }

    private Optional<String> release(Marker marker, FileStatus.FileType type)
            throws VolumeWorkException, PathException, InterruptedException {
        Optional<OpenDirectory> found = parents.find(marker.path());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (OpenDirectory parent = found.get()) {
            if (parent.status(marker.path().last()).isEmpty()) {
                return Optional.empty();
            }
            requireOwned(parent, marker, type);
            return release(marker, parent);
        }
    }

    private Optional<String> release(Marker marker, OpenDirectory parent) throws PathException, InterruptedException {
        OpenDirectory area = markers.area();
        String name = marker.path().last();
        switch (marker.onDelete()) {
            case RETAIN -> {
                markers.note(marker, Markers.KeptDataKind.KEPT);
                return Optional.of("retained the data at " + base.path() + "/" + marker.path() + " (onDelete: retain)");
            }
            case ARCHIVE -> {
                markers.note(marker, Markers.KeptDataKind.ARCHIVED);
                parent.move(name, base, marker.archiveName());
                parent.sync();
                base.sync();
                return Optional.of("archived the data as " + base.path() + "/" + marker.archiveName());
            }
            default -> {
                parent.move(name, area, marker.uid() + ".gone");
                parent.sync();
                area.sync();
                TreeRemover.remove(area, marker.uid() + ".gone");
                return Optional.empty();
            }
        }
    }

    /**
     * Handles data without a marker: the volume was deleted before and another one uses the path, or the owner is
     * unknown.
     */
    private Optional<String> unmarked(Marker asked) throws VolumeWorkException, PathException {
        Optional<OpenDirectory> parent = parents.find(asked.path());
        if (parent.isEmpty()) {
            return Optional.empty();
        }
        try (OpenDirectory in = parent.get()) {
            if (in.status(asked.path().last()).isEmpty()) {
                return Optional.empty();
            }
        }
        Optional<Marker> owner = markers.findByPath(asked.path());
        String place = base.path() + "/" + asked.path();
        if (owner.isPresent() && owner.get().volume().equals(asked.volume())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    place + " was not created for volume " + asked.volume() + " with uid " + asked.uid()
                            + ", but for a volume of the same name with uid "
                            + owner.get().uid()
                            + ": nothing was deleted; if it is the same data, remove it manually");
        }
        if (owner.isPresent()) {
            return Optional.of(place + " now belongs to volume " + owner.get().volume() + " and was not changed");
        }
        if (markers.wasKept(asked)) {
            return Optional.of("retained the data at " + place + " (onDelete: retain)");
        }
        throw new VolumeWorkException(
                VolumeWorkException.UNMARKED,
                "No marker " + base.path() + "/" + AREA + "/" + asked.uid() + " shows that " + place
                        + " was created for volume " + asked.volume()
                        + ": nothing was deleted; remove the data manually, or set the reclaim policy to Retain");
    }

    private void requireSameVolume(Marker found, Marker asked) throws VolumeWorkException {
        if (!found.path().equals(asked.path()) || !found.volume().equals(asked.volume())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    "Marker " + base.path() + "/" + AREA + "/" + asked.uid() + " must name volume "
                            + asked.volume() + " at " + asked.path() + ", but names " + found.volume() + " at "
                            + found.path() + ": nothing was changed; find out which of them is right");
        }
    }

    private void requireOwned(OpenDirectory parent, Marker marker, FileStatus.FileType type)
            throws VolumeWorkException, PathException {
        String name = marker.path().last();
        FileStatus status = parent.status(name).orElse(null);
        if (status == null) {
            throw new VolumeWorkException(
                    VolumeWorkException.MISSING,
                    "The " + type + " at " + parent.path() + "/" + name
                            + " was moved away concurrently: nothing was changed; retrying");
        }
        if (status.type() != type) {
            throw new VolumeWorkException(
                    VolumeWorkException.DIVERTED,
                    "The " + type + " at " + parent.path() + "/" + name + " was replaced by a " + status.type()
                            + ": nothing was changed");
        }
        Optional<String> owner = attribute(parent, name, type);
        if (owner.isPresent() && !owner.get().equals(marker.uid())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    parent.path() + "/" + name + " must have the uid " + marker.uid() + ", but has " + owner.get()
                            + ": it was replaced; nothing was changed");
        }
    }

    private static Optional<String> attribute(OpenDirectory parent, String name, FileStatus.FileType type)
            throws PathException {
        try (Descriptor there = open(parent, name, type)) {
            return there.attribute(ATTRIBUTE);
        }
    }

    private static void writeUidAttribute(OpenDirectory parent, Marker marker, FileStatus.FileType type)
            throws PathException {
        try (Descriptor there = open(parent, marker.path().last(), type)) {
            there.setAttribute(ATTRIBUTE, marker.uid());
        }
    }

    private static Descriptor open(OpenDirectory parent, String name, FileStatus.FileType type) throws PathException {
        return type == FileStatus.FileType.DIRECTORY ? parent.open(name) : parent.openFileToRead(name);
    }

    private VolumeWorkException occupied(Marker marker) throws PathException, VolumeWorkException {
        String place = base.path() + "/" + marker.path();
        String owner = markers.findByPath(marker.path())
                .filter(other -> !other.uid().equals(marker.uid()))
                .map(other -> "was created for volume " + other.volume() + " (uid " + other.uid() + ")")
                .orElse("was not created for a volume");
        return new VolumeWorkException(
                VolumeWorkException.OCCUPIED,
                place + " already exists and " + owner
                        + ": it was not changed; move it away, or choose another pathPattern");
    }

    /** Returns the status of existing data of other volumes in this base, from their markers and notes. */
    List<FileStatus> otherVolumes(String exceptUid) throws PathException, VolumeWorkException {
        List<FileStatus> placed = new ArrayList<>();
        for (RelativePath each : markers.places(exceptUid)) {
            Optional<OpenDirectory> parent = parents.find(each);
            if (parent.isPresent()) {
                try (OpenDirectory in = parent.get()) {
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
