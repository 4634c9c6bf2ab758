package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.volume.hostpath.HostPathPlugin;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Determines the actual state after a start by comparing the event log with the machine. Where they differ, or an
 * operation has no end, the volume becomes uncertain: it is mounted again if a Pod needs it and unmounted otherwise;
 * both operations handle any state. Mounts that the log does not know get new entries ({@link Reconstruction}). Does
 * not change the machine.
 *
 * <p>To be repeated before any operation starts, until there are no more proposals. Pure and idempotent.
 */
final class Recovery {
    private final NodeContext node;
    private final OperationRecorder recorder;
    private final World world;
    private final ObservedMachine machine;
    private final Instant now;
    private final Set<Path> known = new HashSet<>();

    Recovery(NodeContext node, World world, ObservedMachine machine, Instant now) {
        this.node = node;
        this.recorder = new OperationRecorder(node.name(), node.layout());
        this.world = world;
        this.machine = machine;
        this.now = now;
    }

    List<Proposal> decide() {
        List<Proposal> proposals = new ArrayList<>();
        for (ActualVolume each : new ActualStateOfWorld(node.name(), world).list()) {
            addKnownPaths(each);
            markUncertain(each).ifPresent(proposals::add);
        }
        Reconstruction reconstruction = new Reconstruction(node, world, now);
        machine.volumes().stream().filter(each -> !known.contains(each.path())).forEach(reconstruction::addVolume);
        machine.globalMounts().forEach(reconstruction::addGlobalMount);
        reconstructDevices(reconstruction);
        proposals.addAll(reconstruction.proposals());
        return proposals;
    }

    private void addKnownPaths(ActualVolume volume) {
        for (ActualVolume.Mount each : volume.mounts()) {
            String name = volume.persistentVolume().isEmpty() ? each.volumeName() : volume.persistentVolume();
            if (!name.isEmpty()) {
                known.add(recorder.target(each.pod().uid(), volume.plugin(), name, volume.mode()));
            }
            known.add(Path.of(each.path()));
        }
    }

    /** Marks the state as uncertain where the machine does not confirm it. */
    private Optional<Proposal> markUncertain(ActualVolume volume) {
        ObjectNode object = volume.copy();
        ObjectNode status = object.withObject("/status");
        status.remove("operation");
        if (volume.deviceMount().equals(ActualVolume.MOUNTING)) {
            status.put("deviceMount", ActualVolume.UNCERTAIN);
        }
        if (volume.attachment().equals(ActualVolume.ATTACHING)) {
            status.put("attachment", ActualVolume.UNCERTAIN);
        }
        for (ActualVolume.Mount each : volume.mounts()) {
            markUncertain(OperationRecorder.mount(status, each.pod().uid()).orElseThrow(), each, volume);
        }
        boolean isThere = isDevicePresent(volume);
        if (!isThere) {
            status.put("attachment", ActualVolume.UNCERTAIN);
        }
        if (!volume.deviceMount().isEmpty() && (!isThere || isLost(volume.deviceMountPath()))) {
            status.put("deviceMount", ActualVolume.UNCERTAIN);
        }
        if (status.equals(volume.status())) {
            return Optional.empty();
        }
        OperationRecorder.updateState(status, now);
        return Optional.of(Proposal.by(recorder.actor(), "VolumeMountUncertain")
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), object))
                .build());
    }

    private void markUncertain(ObjectNode json, ActualVolume.Mount mount, ActualVolume volume) {
        json.remove("operation");
        if (!mount.isMounted()) {
            boolean failed = mount.state().equals(ActualVolume.FAILED)
                    && mount.operation().isEmpty();
            if (!failed) {
                json.put("state", ActualVolume.UNCERTAIN);
            }
        } else if (isLost(mount.path()) || isUnbound(volume, mount)) {
            // A plain directory, or a mount lost by a reboot.
            json.put("state", ActualVolume.UNCERTAIN);
        } else if (!mount.operation().isEmpty()) {
            // An update was in progress; it is repeated.
            json.remove("content");
        }
    }

    /**
     * Returns whether containers would get the path of a PersistentVolume itself, as in earlier versions, so that the
     * engine would follow symbolic links that Pods have created.
     */
    private boolean isUnbound(ActualVolume volume, ActualVolume.Mount mount) {
        return volume.plugin().equals(HostPathPlugin.NAME)
                && !volume.persistentVolume().isEmpty()
                && !Path.of(mount.path()).startsWith(node.layout().pods());
    }

    /** Returns whether the path is Mooring's and is not a mount point. */
    private boolean isLost(String path) {
        return !path.isEmpty()
                && Path.of(path).startsWith(node.layout().root())
                && machine.mounts().at(Path.of(path)).isEmpty();
    }

    /** Returns whether an attached device is still the same: after a reboot its number may belong to another volume. */
    private boolean isDevicePresent(ActualVolume volume) {
        if (volume.attachment().isEmpty() || volume.devicePath().isEmpty()) {
            return true;
        }
        Path behind = machine.backing().get(volume.devicePath());
        String image = SourceTypes.image(volume.source());
        return behind != null && (image.isEmpty() || behind.toString().equals(image));
    }

    /** Adds loop devices on images of volumes, unless the log knows that they are attached. */
    private void reconstructDevices(Reconstruction reconstruction) {
        if (machine.backing().isEmpty()) {
            return;
        }
        Map<String, String> devices = new HashMap<>();
        machine.backing().forEach((device, image) -> devices.put(image.toString(), device));
        for (StoredObject each : world.list(Scope.resource(StorageNames.VOLUMES))) {
            if (SourceTypes.mayHave(each, SourceType::isDevice)) {
                Volume volume = Volume.of(each);
                String device = devices.get(SourceTypes.image(volume.spec()));
                if (device != null) {
                    reconstruction.addDevice(volume, device);
                }
            }
        }
    }
}
