package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.path.RelativePath;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Volumes that are directories of this machine: {@code hostPath} and {@code local}. Stateless; any thread. */
final class DirectoryWorker implements VolumeWorker {
    /** Under which word a PersistentVolume speaks of it. */
    enum Kind {
        HOST_PATH(StorageNames.HOST_PATH_PROVISIONER, "hostPath"),
        LOCAL(StorageNames.LOCAL_PROVISIONER, "local");

        private final String provisioner;
        private final String source;

        Kind(String provisioner, String source) {
            this.provisioner = provisioner;
            this.source = source;
        }
    }

    static final String NOT_ENFORCED =
            "the size of a directory is not enforced: the volume can use as much as its file system has";

    private final Kind kind;
    private final Places places;
    private final ScrubRules scrubRules;
    private final Hands hands;

    DirectoryWorker(Kind kind, WorkerSettings settings, Hands hands) {
        this.kind = kind;
        this.places = new Places(settings);
        this.scrubRules = new ScrubRules(settings);
        this.hands = hands;
    }

    @Override
    public String provisioner() {
        return kind.provisioner;
    }

    @Override
    public WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        mustBeFileSystem(work);
        return switch (work.work()) {
            case PROVISION -> provision(work);
            case DELETE -> WorkDone.gone(hands.perform(deletion(work)));
            case SCRUB -> scrub(work);
            case GROW -> WorkDone.at(work.source().orElseGet(this::nowhere), work.bytes(), Optional.of(NOT_ENFORCED));
        };
    }

    static void mustBeFileSystem(VolumeWork work) throws VolumeWorkException {
        if (work.mode() == VolumeMode.BLOCK) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Expected volumeMode Filesystem, but " + work.volume() + " has volumeMode Block, and "
                            + work.provisioner() + " makes directories: use a class of the provisioner "
                            + StorageNames.BLOCK_PROVISIONER);
        }
    }

    private WorkDone provision(VolumeWork work) throws VolumeWorkException, InterruptedException {
        Places.Base base = places.baseFor(work);
        DirectoryJob job = job(DirectoryJob.Action.MAKE, work, base);
        Optional<String> note = hands.perform(job);
        return WorkDone.at(source(job.target()), work.bytes(), note);
    }

    private DirectoryJob deletion(VolumeWork work) throws VolumeWorkException {
        Optional<String> made = work.fromSource(kind.source, "path");
        if (made.isEmpty()) {
            return job(DirectoryJob.Action.REMOVE_UNFINISHED, work, places.baseFor(work));
        }
        Path target = Places.absolute(made.get(), kind.source + ".path");
        List<Path> bases = places.basesAbove(target);
        return new DirectoryJob(
                DirectoryJob.Action.REMOVE,
                bases,
                Optional.empty(),
                target,
                Parameters.owner(work),
                Parameters.making(work));
    }

    private static DirectoryJob job(DirectoryJob.Action action, VolumeWork work, Places.Base base)
            throws VolumeWorkException {
        DirectoryJob.Owner owner = Parameters.owner(work);
        RelativePath path = Marker.of(owner.volume(), owner.uid(), work.path(), owner.onDelete())
                .path();
        Path target = base.path().resolve(path.toString());
        return new DirectoryJob(action, List.of(base.path()), base.home(), target, owner, Parameters.making(work));
    }

    private WorkDone scrub(VolumeWork work) throws VolumeWorkException, InterruptedException {
        Optional<String> made = work.fromSource(kind.source, "path");
        if (made.isEmpty()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Expected the volume " + work.volume() + " to name a " + kind.source + ", but it does not");
        }
        Path target = Places.absolute(made.get(), kind.source + ".path");
        scrubRules.check(target);
        DirectoryJob job = new DirectoryJob(
                DirectoryJob.Action.EMPTY,
                List.of(),
                Optional.empty(),
                target,
                Parameters.owner(work),
                Parameters.making(work));
        Optional<String> note = hands.perform(job);
        return WorkDone.at(work.source().orElseThrow(), work.bytes(), note);
    }

    private ObjectNode source(Path path) {
        ObjectNode source = nowhere();
        ObjectNode place = source.putObject(kind.source).put("path", path.toString());
        if (kind == Kind.HOST_PATH) {
            place.put("type", "Directory");
        }
        return source;
    }

    private ObjectNode nowhere() {
        return JsonNodeFactory.instance.objectNode();
    }
}
