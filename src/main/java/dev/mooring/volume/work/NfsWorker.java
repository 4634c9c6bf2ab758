package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.NfsSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Worker for directories of an NFS server. If this machine is the server, it works on the local file system; otherwise
 * it mounts the share temporarily, with a deadline on every step. Stateless and thread-safe.
 */
final class NfsWorker implements VolumeWorker {
    private final NfsSettings settings;
    private final ScrubRules scrubRules;
    private final FileOperations fileOperations;
    private final TemporaryMount temporaryMount;

    NfsWorker(WorkerSettings settings, FileOperations fileOperations, TemporaryMount shortMount) {
        this.settings = settings.nfs();
        this.scrubRules = new ScrubRules(settings);
        this.fileOperations = fileOperations;
        this.temporaryMount = shortMount;
    }

    @Override
    public String provisioner() {
        return NfsSource.PROVISIONER;
    }

    @Override
    public VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        DirectoryWorker.mustBeFileSystem(work);
        return switch (work.work()) {
            case PROVISION -> provision(work);
            case DELETE -> delete(work);
            case SCRUB -> scrub(work);
            case GROW ->
                VolumeWorkResult.at(
                        work.source().orElseGet(JsonNodeFactory.instance::objectNode),
                        work.bytes(),
                        Optional.of(DirectoryWorker.NOT_ENFORCED));
        };
    }

    private VolumeWorkResult provision(VolumeWork work) throws VolumeWorkException, InterruptedException {
        NfsLocation location = NfsLocation.ofClass(work, settings);
        Optional<String> note = inShare(DirectoryJob.DirectoryAction.MAKE, work, location);
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs")
                .put("server", location.server())
                .put("path", location.volume().toString());
        return VolumeWorkResult.at(source, work.bytes(), note);
    }

    private VolumeWorkResult delete(VolumeWork work) throws VolumeWorkException, InterruptedException {
        Optional<NfsLocation> made = NfsLocation.ofSource(work, settings);
        if (made.isPresent()) {
            return VolumeWorkResult.deleted(inShare(DirectoryJob.DirectoryAction.REMOVE, work, made.get()));
        }
        NfsLocation location = NfsLocation.ofClass(work, settings);
        return VolumeWorkResult.deleted(inShare(DirectoryJob.DirectoryAction.REMOVE_UNFINISHED, work, location));
    }

    private Optional<String> inShare(DirectoryJob.DirectoryAction action, VolumeWork work, NfsLocation location)
            throws VolumeWorkException, InterruptedException {
        if (location.isServedBy(settings)) {
            return fileOperations.perform(job(action, work, location.share(), location.volume()));
        }
        Path below = location.share().relativize(location.volume());
        return temporaryMount.withMount(
                location.server(),
                location.share(),
                work.uid(),
                point -> fileOperations.perform(job(action, work, point, point.resolve(below))));
    }

    /**
     * Returns the job. Markers are at the top of the share, or in the directory that was the share when the volume was
     * created.
     */
    private static DirectoryJob job(DirectoryJob.DirectoryAction action, VolumeWork work, Path share, Path target)
            throws VolumeWorkException {
        List<Path> bases = action == DirectoryJob.DirectoryAction.REMOVE
                ? VolumeLocations.above(target, List.of(share))
                : List.of(share);
        return new DirectoryJob(
                action,
                bases,
                Optional.empty(),
                target,
                DirectoryParameters.owner(work),
                DirectoryParameters.directoryCreator(work));
    }

    private VolumeWorkResult scrub(VolumeWork work) throws VolumeWorkException, InterruptedException {
        NfsLocation location = NfsLocation.ofSource(work, settings)
                .orElseThrow(() -> new VolumeWorkException(
                        VolumeWorkException.INVALID,
                        "Volume " + work.volume() + " does not have an nfs server and path"));
        if (location.volume().getNameCount() == 0 || settings.exportRoot().startsWith(location.volume())) {
            throw new VolumeWorkException(
                    VolumeWorkException.REFUSED,
                    "Directory " + location.volume() + " on " + location.server()
                            + " contains other volumes too: nothing was removed; set the reclaim policy to Retain");
        }
        Optional<String> note;
        if (location.isServedBy(settings)) {
            scrubRules.check(location.volume());
            note = fileOperations.perform(emptying(work, location.volume()));
        } else {
            note = temporaryMount.withMount(
                    location.server(),
                    location.volume(),
                    work.uid(),
                    point -> fileOperations.perform(emptying(work, point)));
        }
        return VolumeWorkResult.at(work.source().orElseThrow(), work.bytes(), note);
    }

    private static DirectoryJob emptying(VolumeWork work, Path target) throws VolumeWorkException {
        return new DirectoryJob(
                DirectoryJob.DirectoryAction.EMPTY,
                List.of(),
                Optional.empty(),
                target,
                DirectoryParameters.owner(work),
                DirectoryParameters.directoryCreator(work));
    }
}
