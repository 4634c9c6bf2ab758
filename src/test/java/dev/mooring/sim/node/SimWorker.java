package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.NfsSource;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.volumemanager.Performer;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.volume.work.VolumeWorkResult.FileSystemSize;
import java.util.Locale;
import java.util.Optional;

/**
 * Provisions, deletes, scrubs and expands the data of volumes; idempotent. Reports a violation if the data is in use.
 */
final class SimWorker implements Performer {
    static final String BASE = "/srv/mooring/";
    private static final int NO_RESPONSE_MILLIS = 10_000;

    private final SimMachine machine;

    SimWorker(SimMachine machine) {
        this.machine = machine;
    }

    @Override
    public VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        String call = work.work().toString().toLowerCase(Locale.ROOT);
        return machine.callFaults()
                .perform(
                        call,
                        work.provisioner(),
                        () -> doWork(work),
                        done -> new VolumeWorkException("MadeUp", "injected error"));
    }

    private VolumeWorkResult doWork(VolumeWork work) throws VolumeWorkException, InterruptedException {
        ObjectNode source = work.source().orElseGet(() -> source(work));
        if (source.has("nfs")) {
            requireServer(source.path("nfs").path("server").asText(""));
        }
        DataLocation location = DataLocation.of(machine.name(), source)
                .orElseThrow(() -> new VolumeWorkException(VolumeWorkException.INVALID, "no known source"));
        return switch (work.work()) {
            case PROVISION -> provision(work, source, location);
            case DELETE -> delete(work, location);
            case SCRUB -> scrub(work, source, location);
            case GROW -> grow(work, source, location);
        };
    }

    private void requireServer(String server) throws VolumeWorkException, InterruptedException {
        switch (machine.storage().server(server).state()) {
            case DOWN -> {
                machine.callFaults().pause(NO_RESPONSE_MILLIS);
                throw new VolumeWorkException(VolumeWorkException.MOUNT_FAILED, server + " does not answer");
            }
            case SLOW -> machine.callFaults().pause(NO_RESPONSE_MILLIS);
            case REFUSING, NO_SUCH_EXPORT ->
                throw new VolumeWorkException(VolumeWorkException.MOUNT_FAILED, server + " denies access");
            case UP -> {}
        }
    }

    private static String below(VolumeWork work) {
        return BASE + work.provisioner().substring(work.provisioner().indexOf('/') + 1) + '/' + work.path();
    }

    /** Returns the source that provisioning uses. */
    private static ObjectNode source(VolumeWork work) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        switch (work.provisioner()) {
            case NfsSource.PROVISIONER ->
                source.putObject("nfs")
                        .put("server", work.parameters().getOrDefault("server", "nas"))
                        .put("path", work.parameters().getOrDefault("share", "/export") + '/' + work.path());
            case LocalSource.PROVISIONER -> source.putObject("local").put("path", below(work));
            case HostPathSource.PROVISIONER ->
                source.putObject("hostPath").put("path", below(work)).put("type", "Directory");
            default -> {
                ObjectNode csi = source.putObject("csi");
                csi.put("driver", StorageNames.BLOCK_DRIVER).put("volumeHandle", work.uid());
                if (work.mode() == VolumeMode.FILESYSTEM) {
                    csi.put("fsType", "ext4");
                }
                csi.putObject("volumeAttributes").put("image", below(work) + ".img");
            }
        }
        return source;
    }

    private VolumeWorkResult provision(VolumeWork work, ObjectNode source, DataLocation location)
            throws VolumeWorkException {
        Optional<SimStorage.Data> data = machine.storage().find(location);
        if (data.isPresent() && !data.get().createdFor().equals(work.uid())) {
            throw new VolumeWorkException(VolumeWorkException.OCCUPIED, location + " belongs to another volume");
        }
        SimStorage.Data made = machine.storage().make(location, work.uid());
        made.resize(work.bytes());
        return new VolumeWorkResult(Optional.of(source), made.bytes(), FileSystemSize.FITS, Optional.empty());
    }

    private VolumeWorkResult delete(VolumeWork work, DataLocation location) throws VolumeWorkException {
        Optional<SimStorage.Data> data = machine.storage().find(location);
        VolumeWorkResult deleted = new VolumeWorkResult(Optional.empty(), 0, FileSystemSize.FITS, Optional.empty());
        if (data.isEmpty()
                || (work.source().isEmpty() && !data.get().createdFor().equals(work.uid()))) {
            return deleted;
        }
        if (!data.get().createdFor().equals(work.uid())) {
            throw new VolumeWorkException(
                    VolumeWorkException.WRONG_MARKER, location + " was created for another volume");
        }
        checkNotInUse(work, location, "deleted");
        if (work.parameters().getOrDefault("onDelete", "delete").equals("delete")) {
            machine.storage().remove(location);
        }
        return deleted;
    }

    private VolumeWorkResult scrub(VolumeWork work, ObjectNode source, DataLocation location)
            throws VolumeWorkException {
        if (source.has("csi")) {
            throw new VolumeWorkException(VolumeWorkException.REFUSED, "an image is not scrubbed");
        }
        checkNotInUse(work, location, "scrubbed");
        machine.storage().empty(location);
        return new VolumeWorkResult(Optional.of(source), work.bytes(), FileSystemSize.FITS, Optional.empty());
    }

    private VolumeWorkResult grow(VolumeWork work, ObjectNode source, DataLocation location)
            throws VolumeWorkException {
        Optional<SimStorage.Data> data = machine.storage().find(location);
        if (data.isEmpty()) {
            throw new VolumeWorkException(VolumeWorkException.MISSING, "there is no " + location);
        }
        data.get().resize(work.bytes());
        boolean resizePending = source.has("csi")
                && work.mode() == VolumeMode.FILESYSTEM
                && machine.random().nextBoolean();
        return new VolumeWorkResult(
                Optional.of(source),
                data.get().bytes(),
                resizePending ? FileSystemSize.RESIZE_PENDING : FileSystemSize.FITS,
                Optional.empty());
    }

    /**
     * Fails if the location is in use, like the real worker, and reports a violation if the work must not have been
     * ordered.
     */
    private void checkNotInUse(VolumeWork work, DataLocation location, String operation) throws VolumeWorkException {
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
        machine.violations()
                .check(
                        claim.isEmpty(),
                        "I4",
                        location + " is " + operation + " while " + claim + " is bound to " + work.volume());
        Optional<String> use = machine.storage().userOf(location);
        if (use.isPresent()) {
            machine.violations().report("I4", location + " is " + operation + " while " + use.get());
            throw new VolumeWorkException(VolumeWorkException.IN_USE, use.get());
        }
    }
}
