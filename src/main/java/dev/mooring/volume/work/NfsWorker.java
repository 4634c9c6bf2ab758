package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.StorageNames;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Volumes that are directories of an NFS server. If this machine is the server, they are made in its own file system; otherwise the share
 * is mounted for a moment, with a deadline on everything. Stateless; any thread.
 */
final class NfsWorker implements VolumeWorker {
    private final NfsSettings settings;
    private final ScrubRules scrubRules;
    private final Hands hands;
    private final ShortMount shortMount;

    NfsWorker(WorkerSettings settings, Hands hands, ShortMount shortMount) {
        this.settings = settings.nfs();
        this.scrubRules = new ScrubRules(settings);
        this.hands = hands;
        this.shortMount = shortMount;
    }

    @Override
    public String provisioner() {
        return StorageNames.NFS_PROVISIONER;
    }

    @Override
    public WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        DirectoryWorker.mustBeFileSystem(work);
        return switch (work.work()) {
            case PROVISION -> provision(work);
            case DELETE -> delete(work);
            case SCRUB -> scrub(work);
            case GROW ->
                WorkDone.at(
                        work.source().orElseGet(JsonNodeFactory.instance::objectNode),
                        work.bytes(),
                        Optional.of(DirectoryWorker.NOT_ENFORCED));
        };
    }

    private WorkDone provision(VolumeWork work) throws VolumeWorkException, InterruptedException {
        NfsPlace place = NfsPlace.ofClass(work, settings);
        Optional<String> note = inShare(DirectoryJob.Action.MAKE, work, place);
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs")
                .put("server", place.server())
                .put("path", place.volume().toString());
        return WorkDone.at(source, work.bytes(), note);
    }

    private WorkDone delete(VolumeWork work) throws VolumeWorkException, InterruptedException {
        Optional<NfsPlace> made = NfsPlace.ofSource(work, settings);
        if (made.isPresent()) {
            return WorkDone.gone(inShare(DirectoryJob.Action.REMOVE, work, made.get()));
        }
        NfsPlace place = NfsPlace.ofClass(work, settings);
        return WorkDone.gone(inShare(DirectoryJob.Action.REMOVE_UNFINISHED, work, place));
    }

    private Optional<String> inShare(DirectoryJob.Action action, VolumeWork work, NfsPlace place)
            throws VolumeWorkException, InterruptedException {
        if (place.isServedBy(settings)) {
            return hands.perform(job(action, work, place.share(), place.volume()));
        }
        Path below = place.share().relativize(place.volume());
        String device = NfsPlace.device(place.server(), place.share());
        return shortMount.during(
                device, work.uid(), point -> hands.perform(job(action, work, point, point.resolve(below))));
    }

    /** In the share, markers lie at its top, or in the directory whose share it was when the volume was made. */
    private static DirectoryJob job(DirectoryJob.Action action, VolumeWork work, Path share, Path target)
            throws VolumeWorkException {
        List<Path> bases = action == DirectoryJob.Action.REMOVE ? Places.above(target, List.of(share)) : List.of(share);
        return new DirectoryJob(
                action, bases, Optional.empty(), target, Parameters.owner(work), Parameters.making(work));
    }

    private WorkDone scrub(VolumeWork work) throws VolumeWorkException, InterruptedException {
        NfsPlace place = NfsPlace.ofSource(work, settings)
                .orElseThrow(() -> new VolumeWorkException(
                        VolumeWorkException.INVALID,
                        "Expected the volume " + work.volume() + " to name an nfs server and path, but it does not"));
        if (place.volume().getNameCount() == 0 || settings.exportRoot().startsWith(place.volume())) {
            throw new VolumeWorkException(
                    VolumeWorkException.REFUSED,
                    "Expected a directory of a volume on " + place.server() + ", but " + place.volume()
                            + " holds other volumes too: nothing was removed; set the reclaim policy to Retain");
        }
        Optional<String> note;
        if (place.isServedBy(settings)) {
            scrubRules.check(place.volume());
            note = hands.perform(emptying(work, place.volume()));
        } else {
            String device = NfsPlace.device(place.server(), place.volume());
            note = shortMount.during(device, work.uid(), point -> hands.perform(emptying(work, point)));
        }
        return WorkDone.at(work.source().orElseThrow(), work.bytes(), note);
    }

    private static DirectoryJob emptying(VolumeWork work, Path target) throws VolumeWorkException {
        return new DirectoryJob(
                DirectoryJob.Action.EMPTY,
                List.of(),
                Optional.empty(),
                target,
                Parameters.owner(work),
                Parameters.making(work));
    }
}
