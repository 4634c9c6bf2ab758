package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.RelativePath;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.VolumeMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Worker for directories of this machine: {@code hostPath} and {@code local} volumes. Stateless and thread-safe. */
final class DirectoryWorker implements VolumeWorker {
    /** Volume source type in the PersistentVolume. */
    enum DirectoryVolumeKind {
        HOST_PATH(HostPathSource.PROVISIONER, "hostPath"),
        LOCAL(LocalSource.PROVISIONER, "local");

        private final String provisioner;
        private final String source;

        DirectoryVolumeKind(String provisioner, String source) {
            this.provisioner = provisioner;
            this.source = source;
        }
    }

    static final String NOT_ENFORCED =
            "the size of a directory is not enforced: the volume can use as much as its file system has";

    private final DirectoryVolumeKind kind;
    private final VolumeLocations locations;
    private final ScrubRules scrubRules;
    private final FileOperations fileOperations;

    DirectoryWorker(DirectoryVolumeKind kind, WorkerSettings settings, FileOperations fileOperations) {
        this.kind = kind;
        this.locations = new VolumeLocations(settings);
        this.scrubRules = new ScrubRules(settings);
        this.fileOperations = fileOperations;
    }

    @Override
    public String provisioner() {
        return kind.provisioner;
    }

    @Override
    public VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        mustBeFileSystem(work);
        return switch (work.work()) {
            case PROVISION -> provision(work);
            case DELETE -> VolumeWorkResult.deleted(fileOperations.perform(deletion(work)));
            case SCRUB -> scrub(work);
            case GROW ->
                VolumeWorkResult.at(
                        work.source().orElseGet(this::emptySource), work.bytes(), Optional.of(NOT_ENFORCED));
        };
    }

    static void mustBeFileSystem(VolumeWork work) throws VolumeWorkException {
        if (work.mode() == VolumeMode.BLOCK) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    work.volume() + " has volumeMode Block, but " + work.provisioner()
                            + " supports only Filesystem: use a class of the provisioner "
                            + SourceTypes.provisionerWith(SourceType::isDevice));
        }
    }

    private VolumeWorkResult provision(VolumeWork work) throws VolumeWorkException, InterruptedException {
        VolumeLocations.VolumeBase base = locations.baseFor(work);
        DirectoryJob job = job(DirectoryJob.DirectoryAction.MAKE, work, base);
        Optional<String> note = fileOperations.perform(job);
        return VolumeWorkResult.at(source(job.target()), work.bytes(), note);
    }

    private DirectoryJob deletion(VolumeWork work) throws VolumeWorkException {
        Optional<String> made = work.fromSource(kind.source, "path");
        if (made.isEmpty()) {
            return job(DirectoryJob.DirectoryAction.REMOVE_UNFINISHED, work, locations.baseFor(work));
        }
        Path target = VolumeLocations.absolute(made.get(), kind.source + ".path");
        List<Path> bases = locations.basesAbove(target);
        return new DirectoryJob(
                DirectoryJob.DirectoryAction.REMOVE,
                bases,
                Optional.empty(),
                target,
                DirectoryParameters.owner(work),
                DirectoryParameters.directoryCreator(work));
    }

    private static DirectoryJob job(
            DirectoryJob.DirectoryAction action, VolumeWork work, VolumeLocations.VolumeBase base)
            throws VolumeWorkException {
        DirectoryJob.DirectoryOwner owner = DirectoryParameters.owner(work);
        RelativePath path = Marker.of(owner.volume(), owner.uid(), work.path(), owner.onDelete())
                .path();
        Path target = base.path().resolve(path.toString());
        return new DirectoryJob(
                action,
                List.of(base.path()),
                base.creationRoot(),
                target,
                owner,
                DirectoryParameters.directoryCreator(work));
    }

    private VolumeWorkResult scrub(VolumeWork work) throws VolumeWorkException, InterruptedException {
        Optional<String> made = work.fromSource(kind.source, "path");
        if (made.isEmpty()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID, "Volume " + work.volume() + " does not have a source " + kind.source);
        }
        Path target = VolumeLocations.absolute(made.get(), kind.source + ".path");
        scrubRules.check(target);
        DirectoryJob job = new DirectoryJob(
                DirectoryJob.DirectoryAction.EMPTY,
                List.of(),
                Optional.empty(),
                target,
                DirectoryParameters.owner(work),
                DirectoryParameters.directoryCreator(work));
        Optional<String> note = fileOperations.perform(job);
        return VolumeWorkResult.at(work.source().orElseThrow(), work.bytes(), note);
    }

    private ObjectNode source(Path path) {
        ObjectNode source = emptySource();
        ObjectNode place = source.putObject(kind.source).put("path", path.toString());
        if (kind == DirectoryVolumeKind.HOST_PATH) {
            place.put("type", "Directory");
        }
        return source;
    }

    private ObjectNode emptySource() {
        return JsonNodeFactory.instance.objectNode();
    }
}
