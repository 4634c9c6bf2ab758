package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.FileReference;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountScope;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.OpenFile;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Worker for image file volumes, which are used as loop devices. Their size is enforced, and they can grow while in
 * use. Only on local file systems, because a loop device on a hanging file system would block kernel writers.
 * Thread-safe; operations that allocate capacity are serialized.
 */
final class BlockWorker implements VolumeWorker {
    private static final String ENDING = ".img";

    /** Sector size of loop devices; image sizes are multiples of it. */
    private static final long SECTOR = 512;

    private final VolumeLocations locations;
    private final SystemCalls calls;
    private final MountTableSupplier mounts;
    private final OvercommitCheck overcommitCheck;
    private final ImageTools tools;
    private final ReentrantLock capacityLock = new ReentrantLock();

    BlockWorker(
            WorkerSettings settings,
            SystemCalls calls,
            MountTableSupplier mounts,
            FileSystemSpace.SpaceProbe gauge,
            ImageTools tools) {
        this.locations = new VolumeLocations(settings);
        this.calls = calls;
        this.mounts = mounts;
        this.overcommitCheck = new OvercommitCheck(gauge);
        this.tools = tools;
    }

    @Override
    public String provisioner() {
        return BlockSource.PROVISIONER;
    }

    @Override
    public VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        try {
            return switch (work.work()) {
                case PROVISION -> provision(work);
                case DELETE -> delete(work);
                case GROW -> grow(work);
                case SCRUB ->
                    throw new VolumeWorkException(
                            VolumeWorkException.REFUSED,
                            "Cannot scrub volume " + work.volume()
                                    + ": it is an image, not a directory; set its reclaim policy to Delete or Retain");
            };
        } catch (IOException e) {
            throw VolumeWorkException.of("process the image of " + work.volume(), e);
        }
    }

    private VolumeWorkResult provision(VolumeWork work) throws VolumeWorkException, IOException, InterruptedException {
        VolumeLocations.VolumeBase base = locations.baseFor(work);
        Marker marker = marker(work);
        mustBeLocal(base.path());
        long bytes = wholeSectors(work);
        capacityLock.lock();
        try (VolumeBaseDirectory marked =
                VolumeBaseDirectory.of(BaseDirectory.make(calls, base.path(), base.creationRoot()))) {
            if (marked.markers().find(work.uid()).isEmpty()) {
                requireCapacity(work, base.path(), marked, bytes, 0);
            }
            Optional<String> note = marked.create(marker, new VolumeDataCreator.ImageCreator(bytes));
            Path image = base.path().resolve(marker.path().toString());
            try (OpenFile opened = open(base.path(), marked, marker)) {
                return VolumeWorkResult.at(source(work, image), extend(work, base.path(), marked, opened), note);
            }
        } finally {
            capacityLock.unlock();
        }
    }

    private void requireCapacity(VolumeWork work, Path path, VolumeBaseDirectory marked, long bytes, long allocated)
            throws VolumeWorkException, PathException {
        if (!work.parameter("overcommit").orElse("false").equals("true")) {
            overcommitCheck.requireCapacity(path, marked, work.uid(), bytes, allocated);
        }
    }

    /** Opens an existing image, which must have a single hard link, so that no other path refers to it. */
    private static OpenFile open(Path path, VolumeBaseDirectory marked, Marker marker)
            throws VolumeWorkException, PathException {
        Optional<OpenDirectory> parent = marked.parentOf(marker.path());
        if (parent.isEmpty()) {
            throw missingImage(path, marker);
        }
        try (OpenDirectory in = parent.get()) {
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
                throw missingImage(path, marker);
            }
            throw e;
        }
    }

    /**
     * Refuses a file that does not carry the volume's uid. A single hard link does not prove ownership: an attacker can
     * remove the link through which the file was opened before the links are counted. So the uid is required wherever
     * the file system supports extended attributes.
     */
    private static void mustBeOurs(OpenFile image, Marker marker) throws VolumeWorkException, PathException {
        FileStatus status = image.status();
        if (!status.isFile()) {
            throw new VolumeWorkException(
                    VolumeWorkException.DIVERTED,
                    "Image " + image.path() + " must be a regular file, found a " + status.type());
        }
        int names = image.linkCount();
        Optional<String> owner = image.attribute(VolumeBaseDirectory.ATTRIBUTE);
        String found = "";
        if (names != 1) {
            found = "has " + names + " hard links";
        } else if (owner.isEmpty() && image.keepsAttributes()) {
            found = "has no uid attribute";
        } else if (owner.isPresent() && !owner.get().equals(marker.uid())) {
            found = "has the uid " + owner.get();
        }
        if (!found.isEmpty()) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER,
                    "Image " + image.path() + " of volume " + marker.volume() + " with uid " + marker.uid()
                            + ' ' + found + ": it was not changed; restore the right file, or, if this is the right"
                            + " one, run setfattr -n "
                            + VolumeBaseDirectory.ATTRIBUTE + " -v " + marker.uid() + " on it");
        }
    }

    /** Grows the image to the requested size, if it is smaller, and returns its size. */
    private long extend(VolumeWork work, Path path, VolumeBaseDirectory marked, OpenFile image)
            throws VolumeWorkException, PathException {
        long bytes = wholeSectors(work);
        FileStatus status = image.status();
        if (status.size() >= bytes) {
            return status.size();
        }
        requireCapacity(work, path, marked, bytes, status.allocated());
        image.extendTo(bytes);
        image.sync();
        return bytes;
    }

    private static VolumeWorkException missingImage(Path base, Marker marker) {
        return new VolumeWorkException(
                VolumeWorkException.MISSING,
                "Image " + base.resolve(marker.path().toString()) + " of volume " + marker.volume()
                        + " does not exist: check that its disk is mounted and that the image was not removed");
    }

    private VolumeWorkResult delete(VolumeWork work) throws VolumeWorkException, IOException, InterruptedException {
        Optional<Path> made = image(work);
        List<Path> bases = made.isPresent()
                ? locations.basesAbove(made.get())
                : List.of(locations.baseFor(work).path());
        Path target = made.isPresent()
                ? made.get()
                : bases.get(0).resolve(marker(work).path().toString());
        mustBeLocal(target);
        Optional<Path> base = BaseDirectory.findHolding(calls, bases, work.uid());
        if (base.isEmpty()) {
            if (made.isEmpty()) {
                return VolumeWorkResult.deleted(Optional.empty());
            }
            throw BaseDirectory.missing(target, bases);
        }
        Marker marker = marker(work, base.get(), target);
        try (VolumeBaseDirectory marked = VolumeBaseDirectory.of(OpenDirectory.open(calls, base.get()))) {
            if (marked.markers().find(work.uid()).isPresent()) {
                mustNotBeAttached(target, marked, marker);
            }
            return VolumeWorkResult.deleted(marked.remove(
                    marker,
                    FileStatus.FileType.FILE,
                    made.isPresent()
                            ? VolumeBaseDirectory.UnmarkedPolicy.REFUSE
                            : VolumeBaseDirectory.UnmarkedPolicy.IGNORE));
        }
    }

    /**
     * Requires that the image is not attached. The kernel would keep writing to the deleted file, and its space would
     * stay allocated until the device is detached.
     */
    private void mustNotBeAttached(Path image, VolumeBaseDirectory marked, Marker marker)
            throws VolumeWorkException, PathException, InterruptedException {
        Optional<OpenDirectory> parent = marked.parentOf(marker.path());
        if (parent.isEmpty()) {
            return;
        }
        List<String> devices = List.of();
        try (OpenDirectory in = parent.get();
                FileReference there = in.reference(marker.path().last(), MountScope.SAME_MOUNT)) {
            if (there.status().isFile()) {
                devices = tools.devices(ImageTools.OpenImage.of(image, there));
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
        if (!devices.isEmpty()) {
            throw new VolumeWorkException(
                    VolumeWorkException.IN_USE,
                    "Image " + image + " is attached to " + String.join(", ", devices)
                            + ": nothing was deleted; detach it first (losetup -d), the deletion is retried");
        }
    }

    private VolumeWorkResult grow(VolumeWork work) throws VolumeWorkException, IOException, InterruptedException {
        Path image = image(work)
                .orElseThrow(() -> new VolumeWorkException(
                        VolumeWorkException.INVALID,
                        "Volume " + work.volume() + " does not name its image (csi.volumeAttributes.image)"));
        mustBeLocal(image);
        List<Path> bases = locations.basesAbove(image);
        Path base = BaseDirectory.findHolding(calls, bases, work.uid())
                .orElseThrow(() -> BaseDirectory.missing(image, bases));
        try (OpenFile opened = marked(work, base, marker(work, base, image))) {
            return grow(
                    work,
                    ImageTools.OpenImage.of(image, opened),
                    opened.status().size());
        }
    }

    private VolumeWorkResult grow(VolumeWork work, ImageTools.OpenImage image, long bytes)
            throws VolumeWorkException, InterruptedException {
        List<String> devices = tools.devices(image);
        for (String each : devices) {
            tools.updateCapacity(each);
        }
        VolumeWorkResult.FileSystemSize fileSystem =
                work.mode() == VolumeMode.BLOCK ? VolumeWorkResult.FileSystemSize.FITS : growFileSystem(image, devices);
        Optional<String> note = fileSystem == VolumeWorkResult.FileSystemSize.FITS
                ? Optional.empty()
                : Optional.of("the image was expanded; its file system is expanded at the next mount"
                        + " (expanding a mounted ext4 needs the capability CAP_SYS_RESOURCE)");
        return new VolumeWorkResult(work.source(), bytes, fileSystem, note);
    }

    /** Opens the existing image of the volume and grows it. */
    private OpenFile marked(VolumeWork work, Path base, Marker asked) throws VolumeWorkException, PathException {
        capacityLock.lock();
        try (VolumeBaseDirectory marked = VolumeBaseDirectory.of(OpenDirectory.open(calls, base))) {
            Optional<Marker> marker = marked.markers().find(work.uid());
            if (marker.isEmpty() || !marker.get().path().equals(asked.path())) {
                throw new VolumeWorkException(
                        VolumeWorkException.UNMARKED,
                        "No marker in " + base + "/" + VolumeBaseDirectory.AREA + " for " + asked.path() + " of volume "
                                + work.volume() + " with uid " + work.uid() + ": it was not changed");
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
            capacityLock.unlock();
        }
    }

    private VolumeWorkResult.FileSystemSize growFileSystem(ImageTools.OpenImage image, List<String> devices)
            throws VolumeWorkException, InterruptedException {
        Optional<String> type = tools.fileSystem(image);
        if (type.isEmpty()) {
            // The image will be formatted at its full size on first mount.
            return VolumeWorkResult.FileSystemSize.FITS;
        }
        if (!type.get().equals("ext4")) {
            return VolumeWorkResult.FileSystemSize.RESIZE_PENDING;
        }
        if (devices.isEmpty()) {
            tools.growUnused(image);
            return VolumeWorkResult.FileSystemSize.FITS;
        }
        for (String each : devices) {
            if (tools.isMounted(each)) {
                return tools.growMounted(each)
                        ? VolumeWorkResult.FileSystemSize.FITS
                        : VolumeWorkResult.FileSystemSize.RESIZE_PENDING;
            }
        }
        // Attached but not mounted: another operation is about to use the file system, so it must not be changed now.
        return VolumeWorkResult.FileSystemSize.RESIZE_PENDING;
    }

    private void mustBeLocal(Path path) throws VolumeWorkException, IOException {
        if (!mounts.read().isLocalPath(path)) {
            throw new VolumeWorkException(
                    VolumeWorkException.REFUSED,
                    "Images must be on a local file system, but " + path + " is on one of type "
                            + mounts.read().of(path).type() + ": choose a basePath on a disk of this machine");
        }
    }

    private static long wholeSectors(VolumeWork work) throws VolumeWorkException {
        if (work.bytes() <= 0 || work.bytes() > Long.MAX_VALUE - SECTOR) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Size of the image of " + work.volume() + " must be positive, got " + work.bytes() + " bytes");
        }
        return (work.bytes() + SECTOR - 1) / SECTOR * SECTOR;
    }

    private static Marker marker(VolumeWork work) throws VolumeWorkException {
        return Marker.of(work.volume(), work.uid(), work.path() + ENDING, DirectoryParameters.onDelete(work))
                .forClaim(work.claim());
    }

    private static Marker marker(VolumeWork work, Path base, Path image) throws VolumeWorkException {
        return Marker.of(
                        work.volume(),
                        work.uid(),
                        base.relativize(image).toString(),
                        DirectoryParameters.onDelete(work))
                .forClaim(work.claim());
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
                : Optional.of(VolumeLocations.absolute(text.get(), "csi.volumeAttributes.image"));
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
