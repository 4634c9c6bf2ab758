package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.work.Performer;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.WorkDone;
import dev.mooring.volume.work.WorkDone.FileSystemSize;
import java.util.Locale;
import java.util.Optional;

/** Makes, deletes, empties and grows the data of volumes; can be asked again. Tells when it is to take data that somebody has. */
final class SimWorker implements Performer {
    private static final String BASE = "/srv/mooring/";
    private static final int SILENCE_MILLIS = 10_000;

    private final SimMachine machine;

    SimWorker(SimMachine machine) {
        this.machine = machine;
    }

    @Override
    public WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        String call = work.work().toString().toLowerCase(Locale.ROOT);
        return machine.turns()
                .perform(
                        call,
                        work.provisioner(),
                        () -> done(work),
                        done -> new VolumeWorkException("MadeUp", "meant to fail"));
    }

    private WorkDone done(VolumeWork work) throws VolumeWorkException, InterruptedException {
        ObjectNode source = work.source().orElseGet(() -> source(work));
        if (source.has("nfs")) {
            ask(source.path("nfs").path("server").asText(""));
        }
        Place place = Place.of(machine.name(), source)
                .orElseThrow(() -> new VolumeWorkException(VolumeWorkException.INVALID, "no known source"));
        return switch (work.work()) {
            case PROVISION -> provision(work, source, place);
            case DELETE -> delete(work, place);
            case SCRUB -> scrub(work, source, place);
            case GROW -> grow(work, source, place);
        };
    }

    private void ask(String server) throws VolumeWorkException, InterruptedException {
        switch (machine.storage().server(server).state()) {
            case DOWN -> {
                machine.turns().pause(SILENCE_MILLIS);
                throw new VolumeWorkException(VolumeWorkException.MOUNT_FAILED, server + " does not answer");
            }
            case SLOW -> machine.turns().pause(SILENCE_MILLIS);
            case REFUSING, ELSEWHERE ->
                throw new VolumeWorkException(VolumeWorkException.MOUNT_FAILED, server + " does not permit it");
            case UP -> {}
        }
    }

    /** Where it is, or would be, made. */
    private static ObjectNode source(VolumeWork work) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        switch (work.provisioner()) {
            case StorageNames.NFS_PROVISIONER ->
                source.putObject("nfs")
                        .put("server", work.parameters().getOrDefault("server", "nas"))
                        .put("path", work.parameters().getOrDefault("share", "/export") + '/' + work.path());
            case StorageNames.LOCAL_PROVISIONER -> source.putObject("local").put("path", BASE + work.path());
            case StorageNames.HOST_PATH_PROVISIONER ->
                source.putObject("hostPath").put("path", BASE + work.path()).put("type", "Directory");
            default -> {
                ObjectNode csi = source.putObject("csi");
                csi.put("driver", StorageNames.BLOCK_DRIVER).put("volumeHandle", work.uid());
                if (work.mode() == VolumeMode.FILESYSTEM) {
                    csi.put("fsType", "ext4");
                }
                csi.putObject("volumeAttributes").put("image", BASE + work.path() + ".img");
            }
        }
        return source;
    }

    private WorkDone provision(VolumeWork work, ObjectNode source, Place place) throws VolumeWorkException {
        Optional<SimStorage.Data> there = machine.storage().find(place);
        if (there.isPresent() && !there.get().madeFor().equals(work.uid())) {
            throw new VolumeWorkException(VolumeWorkException.OCCUPIED, place + " is somebody else's");
        }
        SimStorage.Data made = machine.storage().make(place, work.uid());
        made.resize(work.bytes());
        return new WorkDone(Optional.of(source), made.bytes(), FileSystemSize.FITS, Optional.empty());
    }

    private WorkDone delete(VolumeWork work, Place place) throws VolumeWorkException {
        Optional<SimStorage.Data> there = machine.storage().find(place);
        WorkDone gone = new WorkDone(Optional.empty(), 0, FileSystemSize.FITS, Optional.empty());
        if (there.isEmpty()
                || (work.source().isEmpty() && !there.get().madeFor().equals(work.uid()))) {
            return gone;
        }
        if (!there.get().madeFor().equals(work.uid())) {
            throw new VolumeWorkException(VolumeWorkException.WRONG_MARKER, place + " was made for another volume");
        }
        mayBeTaken(work, place, "deleted");
        if (work.parameters().getOrDefault("onDelete", "delete").equals("delete")) {
            machine.storage().remove(place);
        }
        return gone;
    }

    private WorkDone scrub(VolumeWork work, ObjectNode source, Place place) throws VolumeWorkException {
        if (source.has("csi")) {
            throw new VolumeWorkException(VolumeWorkException.REFUSED, "an image is not scrubbed");
        }
        mayBeTaken(work, place, "scrubbed");
        machine.storage().empty(place);
        return new WorkDone(Optional.of(source), work.bytes(), FileSystemSize.FITS, Optional.empty());
    }

    private WorkDone grow(VolumeWork work, ObjectNode source, Place place) throws VolumeWorkException {
        Optional<SimStorage.Data> there = machine.storage().find(place);
        if (there.isEmpty()) {
            throw new VolumeWorkException(VolumeWorkException.MISSING, "there is no " + place);
        }
        there.get().resize(work.bytes());
        boolean later = source.has("csi")
                && work.mode() == VolumeMode.FILESYSTEM
                && machine.random().nextBoolean();
        return new WorkDone(
                Optional.of(source),
                there.get().bytes(),
                later ? FileSystemSize.RESIZE_PENDING : FileSystemSize.FITS,
                Optional.empty());
    }

    /** Refuses what the real one can see to be in use; tells whatever must not have been asked for. */
    private void mayBeTaken(VolumeWork work, Place place, String how) throws VolumeWorkException {
        Optional<Volume> volume = machine.world()
                .get(Volume.key(work.volume()))
                .map(Volume::of)
                .filter(each -> each.uid().equals(work.uid()));
        Optional<ClaimRef> claim = volume.flatMap(Volume::claimRef)
                .filter(ref -> machine.world()
                        .get(ref.key())
                        .map(Claim::of)
                        .filter(each -> each.uid().equals(ref.uid())
                                && each.volumeName().equals(work.volume()))
                        .isPresent());
        machine.findings()
                .check(
                        claim.isEmpty(),
                        "I4",
                        place + " is " + how + " while " + claim + " is bound to " + work.volume());
        Optional<String> use = machine.storage().use(place);
        if (use.isPresent()) {
            machine.findings().report("I4", place + " is " + how + " while " + use.get());
            throw new VolumeWorkException(VolumeWorkException.IN_USE, use.get());
        }
    }
}
