package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.OpenFile;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.path.SystemCalls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Volumes that are image files, to be used as loop devices: their size is enforced, and they can grow while in use. Only on local file
 * systems, since a loop device on one that may hang would hang the kernel's writers. Any thread; what promises space is done one after
 * the other.
 */
final class BlockWorker implements VolumeWorker {
    private static final String ENDING = ".img";

    /** Loop devices count in these; a rest would be lost. */
    private static final long SECTOR = 512;

    private final Places places;
    private final SystemCalls calls;
    private final Mounts mounts;
    private final Promises promises;
    private final ImageTools tools;
    private final ReentrantLock promising = new ReentrantLock();

    BlockWorker(
            WorkerSettings settings, SystemCalls calls, Mounts mounts, FileSystemSpace.Gauge gauge, ImageTools tools) {
        this.places = new Places(settings);
        this.calls = calls;
        this.mounts = mounts;
        this.promises = new Promises(gauge);
        this.tools = tools;
    }

    @Override
    public String provisioner() {
        return StorageNames.BLOCK_PROVISIONER;
    }

    @Override
    public WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        try {
            return switch (work.work()) {
                case PROVISION -> provision(work);
                case DELETE -> delete(work);
                case GROW -> grow(work);
                case SCRUB ->
                    throw new VolumeWorkException(
                            VolumeWorkException.REFUSED,
                            "Expected a directory to be scrubbed, but " + work.volume()
                                    + " is an image: set its reclaim policy to Delete or Retain");
            };
        } catch (IOException e) {
            throw VolumeWorkException.of("working on the image of " + work.volume(), e);
        }
    }

    private WorkDone provision(VolumeWork work) throws VolumeWorkException, IOException, InterruptedException {
        Places.Base base = places.baseFor(work);
        Marker marker = marker(work);
        mustBeLocal(base.path());
        long bytes = wholeSectors(work);
        promising.lock();
        try (MarkedBase marked = MarkedBase.of(BaseDirectory.make(calls, base.path(), base.home()))) {
            if (marked.markers().find(work.uid()).isEmpty()) {
                mustBeKept(work, base.path(), marked, bytes, 0);
            }
            Optional<String> note = marked.place(marker, new Making.OfImage(bytes));
            Path image = base.path().resolve(marker.path().toString());
            try (OpenFile opened = open(base.path(), marked, marker)) {
                return WorkDone.at(source(work, image), extend(work, base.path(), marked, opened), note);
            }
        } finally {
            promising.unlock();
        }
    }

    private void mustBeKept(VolumeWork work, Path path, MarkedBase marked, long bytes, long allocated)
            throws VolumeWorkException, PathException {
        if (!work.parameter("overcommit").orElse("false").equals("true")) {
            promises.mustBeKept(path, marked, work.uid(), bytes, allocated);
        }
    }

    /** The image that is there: a file with no other name, so that it is nobody else's, too. */
    private static OpenFile open(Path path, MarkedBase marked, Marker marker)
            throws VolumeWorkException, PathException {
        Optional<Directory> parent = marked.parentOf(marker.path());
        if (parent.isEmpty()) {
            throw gone(path, marker);
        }
        try (Directory in = parent.get()) {
            OpenFile image = in.openFile(marker.path().last());
            boolean ours = false;
            try {
                mustBeOurs(image, marker);
                ours = true;
                return image;
            } finally {
                if (!ours) {
                    image.close();
                }
            }
        } catch (PathException e) {
            if (e.isMissing()) {
                throw gone(path, marker);
            }
            throw e;
        }
    }

    private static void mustBeOurs(OpenFile image, Marker marker) throws VolumeWorkException, PathException {
        FileStatus status = image.status();
        if (!status.isFile()) {
            throw new VolumeWorkException(
                    VolumeWorkException.DIVERTED,
                    "Expected the image " + image.path() + ", but found a " + status.type());
        }
        int names = image.names();
        String owner = image.attribute(MarkedBase.ATTRIBUTE).orElse(marker.uid());
        if (names != 1 || !owner.equals(marker.uid())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    "Expected the image " + image.path() + " of volume " + marker.volume() + " with uid " + marker.uid()
                            + " to be a file of its own, but it "
                            + (names == 1 ? "carries the uid " + owner : "has " + names + " names (hard links)")
                            + ": it was not changed; put the right file there");
        }
    }

    /** Makes it so large as is wanted, if it is not yet; answers with its size. */
    private long extend(VolumeWork work, Path path, MarkedBase marked, OpenFile image)
            throws VolumeWorkException, PathException {
        long bytes = wholeSectors(work);
        FileStatus status = image.status();
        if (status.size() >= bytes) {
            return status.size();
        }
        mustBeKept(work, path, marked, bytes, status.allocated());
        image.extendTo(bytes);
        image.sync();
        return bytes;
    }

    private static VolumeWorkException gone(Path base, Marker marker) {
        return new VolumeWorkException(
                VolumeWorkException.MISSING,
                "Expected the image " + base.resolve(marker.path().toString()) + " of volume " + marker.volume()
                        + ", but it is not there: is its disk mounted? Somebody may have removed it");
    }

    private WorkDone delete(VolumeWork work) throws VolumeWorkException, IOException, InterruptedException {
        Optional<Path> made = image(work);
        List<Path> bases = made.isPresent()
                ? places.basesAbove(made.get())
                : List.of(places.baseFor(work).path());
        Path target = made.isPresent()
                ? made.get()
                : bases.get(0).resolve(marker(work).path().toString());
        mustBeLocal(target);
        Optional<Path> base = BaseDirectory.holding(calls, bases, work.uid());
        if (base.isEmpty()) {
            if (made.isEmpty()) {
                return WorkDone.gone(Optional.empty());
            }
            throw BaseDirectory.missing(target, bases);
        }
        Marker marker = marker(work, base.get(), target);
        try (MarkedBase marked = MarkedBase.of(Directory.open(calls, base.get()))) {
            if (marked.markers().find(work.uid()).isPresent()) {
                mustNotBeAttached(target, marked, marker);
            }
            return WorkDone.gone(marked.remove(
                    marker,
                    FileStatus.Type.FILE,
                    made.isPresent() ? MarkedBase.Unmarked.REFUSE : MarkedBase.Unmarked.LET_ALONE));
        }
    }

    /** The kernel would go on writing to a file without a name, and the space would be lost until somebody detaches it. */
    private void mustNotBeAttached(Path image, MarkedBase marked, Marker marker)
            throws VolumeWorkException, PathException, InterruptedException {
        Optional<Directory> parent = marked.parentOf(marker.path());
        if (parent.isEmpty()) {
            return;
        }
        List<String> devices = List.of();
        try (Directory in = parent.get();
                Reference there = in.refer(marker.path().last(), Reach.SAME_MOUNT)) {
            if (there.status().isFile()) {
                devices = tools.devices(ImageTools.Image.of(image, there));
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
        if (!devices.isEmpty()) {
            throw new VolumeWorkException(
                    VolumeWorkException.IN_USE,
                    "Expected the image " + image + " to be unused, but it is attached to " + String.join(", ", devices)
                            + ": nothing was deleted; it is tried again after it was detached (losetup -d)");
        }
    }

    private WorkDone grow(VolumeWork work) throws VolumeWorkException, IOException, InterruptedException {
        Path image = image(work)
                .orElseThrow(() -> new VolumeWorkException(
                        VolumeWorkException.INVALID,
                        "Expected the volume " + work.volume()
                                + " to name its image (csi.volumeAttributes.image), but it does not"));
        mustBeLocal(image);
        List<Path> bases = places.basesAbove(image);
        Path base =
                BaseDirectory.holding(calls, bases, work.uid()).orElseThrow(() -> BaseDirectory.missing(image, bases));
        try (OpenFile opened = marked(work, base, marker(work, base, image))) {
            return grow(
                    work, ImageTools.Image.of(image, opened), opened.status().size());
        }
    }

    private WorkDone grow(VolumeWork work, ImageTools.Image image, long bytes)
            throws VolumeWorkException, InterruptedException {
        List<String> devices = tools.devices(image);
        for (String each : devices) {
            tools.adoptSize(each);
        }
        WorkDone.FileSystemSize fileSystem =
                work.mode() == VolumeMode.BLOCK ? WorkDone.FileSystemSize.FITS : growFileSystem(image, devices);
        Optional<String> note = fileSystem == WorkDone.FileSystemSize.FITS
                ? Optional.empty()
                : Optional.of("the image has grown; the file system in it grows when it is mounted the next time"
                        + " (growing a mounted ext4 needs the capability CAP_SYS_RESOURCE)");
        return new WorkDone(work.source(), bytes, fileSystem, note);
    }

    /** The image of that volume, enlarged. */
    private OpenFile marked(VolumeWork work, Path base, Marker asked) throws VolumeWorkException, PathException {
        promising.lock();
        try (MarkedBase marked = MarkedBase.of(Directory.open(calls, base))) {
            Optional<Marker> marker = marked.markers().find(work.uid());
            if (marker.isEmpty() || !marker.get().path().equals(asked.path())) {
                throw new VolumeWorkException(
                        VolumeWorkException.UNMARKED,
                        "Expected a marker in " + base + "/" + MarkedBase.AREA + " that says that " + asked.path()
                                + " was made for volume " + work.volume() + " with uid " + work.uid()
                                + ", but there is none: it was not changed");
            }
            OpenFile image = open(base, marked, asked);
            boolean enlarged = false;
            try {
                extend(work, base, marked, image);
                enlarged = true;
                return image;
            } finally {
                if (!enlarged) {
                    image.close();
                }
            }
        } finally {
            promising.unlock();
        }
    }

    private WorkDone.FileSystemSize growFileSystem(ImageTools.Image image, List<String> devices)
            throws VolumeWorkException, InterruptedException {
        Optional<String> type = tools.fileSystem(image);
        if (type.isEmpty()) {
            // It will be formatted at its full size when it is first mounted.
            return WorkDone.FileSystemSize.FITS;
        }
        if (!type.get().equals("ext4")) {
            return WorkDone.FileSystemSize.RESIZE_PENDING;
        }
        if (devices.isEmpty()) {
            tools.growUnused(image);
            return WorkDone.FileSystemSize.FITS;
        }
        for (String each : devices) {
            if (tools.isMounted(each)) {
                return tools.growMounted(each) ? WorkDone.FileSystemSize.FITS : WorkDone.FileSystemSize.RESIZE_PENDING;
            }
        }
        // Attached but not mounted: somebody is about to use it, who would not like it changed under his hands.
        return WorkDone.FileSystemSize.RESIZE_PENDING;
    }

    private void mustBeLocal(Path path) throws VolumeWorkException, IOException {
        if (!mounts.read().isLocalAllTheWay(path)) {
            throw new VolumeWorkException(
                    VolumeWorkException.REFUSED,
                    "Expected a local file system for images, but " + path + " lies in one of type "
                            + mounts.read().of(path).type() + ": choose a basePath on a disk of this machine");
        }
    }

    private static long wholeSectors(VolumeWork work) throws VolumeWorkException {
        if (work.bytes() <= 0 || work.bytes() > Long.MAX_VALUE - SECTOR) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Expected a size for the image of " + work.volume() + ", but found " + work.bytes() + " bytes");
        }
        return (work.bytes() + SECTOR - 1) / SECTOR * SECTOR;
    }

    private static Marker marker(VolumeWork work) throws VolumeWorkException {
        return Marker.of(work.volume(), work.uid(), work.path() + ENDING, Parameters.onDelete(work));
    }

    private static Marker marker(VolumeWork work, Path base, Path image) throws VolumeWorkException {
        return Marker.of(work.volume(), work.uid(), base.relativize(image).toString(), Parameters.onDelete(work));
    }

    private static Optional<Path> image(VolumeWork work) throws VolumeWorkException {
        Optional<String> text = work.source()
                .map(source -> source.path("csi")
                        .path("volumeAttributes")
                        .path("image")
                        .asText(""))
                .filter(path -> !path.isEmpty());
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(Places.absolute(text.get(), "csi.volumeAttributes.image"));
    }

    private static ObjectNode source(VolumeWork work, Path image) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        ObjectNode csi = source.putObject("csi");
        csi.put("driver", StorageNames.BLOCK_DRIVER);
        csi.put("volumeHandle", work.uid());
        if (work.mode() == VolumeMode.FILESYSTEM) {
            csi.put("fsType", work.parameter("fsType").orElse("ext4"));
        }
        csi.putObject("volumeAttributes").put("image", image.toString());
        return source;
    }
}
