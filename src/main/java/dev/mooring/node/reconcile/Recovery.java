package dev.mooring.node.reconcile;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Draft;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
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
 * What is true after a start. The log says what this node had and was doing; the machine says what it has. Where the two differ, or an
 * operation has no end, the volume is uncertain: it is set up again if a Pod wants it and torn down if none does, both of which
 * are made to find anything. What the machine has and the log does not know becomes an entry of its own ({@link Reconstruction}). Nothing
 * on the machine is changed here.
 *
 * <p>To be done before anything is begun, until there is nothing more to be decided. Pure; doing it twice changes nothing more.
 */
final class Recovery {
    private final NodeParts node;
    private final Brackets brackets;
    private final World world;
    private final Machine machine;
    private final Instant now;
    private final Set<Path> known = new HashSet<>();

    Recovery(NodeParts node, World world, Machine machine, Instant now) {
        this.node = node;
        this.brackets = new Brackets(node.name(), node.layout());
        this.world = world;
        this.machine = machine;
        this.now = now;
    }

    List<Proposal> decide() {
        List<Proposal> proposals = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            ActualVolume volume = ActualVolume.of(each);
            if (volume.node().equals(node.name())) {
                remember(volume);
                doubt(volume).ifPresent(proposals::add);
            }
        }
        Reconstruction reconstruction = new Reconstruction(node, world, now);
        machine.volumes().stream().filter(each -> !known.contains(each.path())).forEach(reconstruction::volume);
        machine.shared().forEach(reconstruction::shared);
        reconstructDevices(reconstruction);
        proposals.addAll(reconstruction.proposals());
        return proposals;
    }

    private void remember(ActualVolume volume) {
        for (ActualVolume.Mount each : volume.mounts()) {
            String name = volume.persistentVolume().isEmpty() ? each.volumeName() : volume.persistentVolume();
            if (!name.isEmpty()) {
                known.add(brackets.target(each.pod().uid(), volume.plugin(), name, volume.mode()));
            }
            known.add(Path.of(each.path()));
        }
    }

    /** What the log says, as far as the machine bears it out. */
    private Optional<Proposal> doubt(ActualVolume volume) {
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
            doubt(Brackets.mount(status, each.pod().uid()).orElseThrow(), each);
        }
        boolean isThere = isThere(volume);
        if (!isThere) {
            status.put("attachment", ActualVolume.UNCERTAIN);
        }
        if (!volume.deviceMount().isEmpty() && (!isThere || isLost(volume.deviceMountPath()))) {
            status.put("deviceMount", ActualVolume.UNCERTAIN);
        }
        if (status.equals(volume.status())) {
            return Optional.empty();
        }
        Brackets.settle(status, now);
        return Optional.of(Proposal.by(brackets.actor(), "VolumeMountUncertain")
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), object))
                .build());
    }

    private void doubt(ObjectNode json, ActualVolume.Mount mount) {
        json.remove("operation");
        if (!mount.isMounted()) {
            boolean failed = mount.state().equals(ActualVolume.FAILED)
                    && mount.operation().isEmpty();
            if (!failed) {
                json.put("state", ActualVolume.UNCERTAIN);
            }
        } else if (isLost(mount.path())) {
            // A plain directory, or what a reboot has taken.
            json.put("state", ActualVolume.UNCERTAIN);
        } else if (!mount.operation().isEmpty()) {
            // It was being brought up to date; so it is once more.
            json.remove("content");
        }
    }

    /** Whether it is a place of our own on which nothing is mounted. */
    private boolean isLost(String path) {
        return !path.isEmpty()
                && Path.of(path).startsWith(node.layout().root())
                && machine.mounts().at(Path.of(path)).isEmpty();
    }

    /** Whether a device that this node has attached is still the same: after a reboot its number may be another's. */
    private boolean isThere(ActualVolume volume) {
        if (volume.attachment().isEmpty() || volume.devicePath().isEmpty()) {
            return true;
        }
        Path behind = machine.backing().get(volume.devicePath());
        String image = Reconstruction.image(volume.source());
        return behind != null && (image.isEmpty() || behind.toString().equals(image));
    }

    /** Loop devices on images of volumes; those of which the log does not know that they are attached are found out there. */
    private void reconstructDevices(Reconstruction reconstruction) {
        if (machine.backing().isEmpty()) {
            return;
        }
        Map<String, String> devices = new HashMap<>();
        machine.backing().forEach((device, image) -> devices.put(image.toString(), device));
        for (StoredObject each : world.list(Scope.resource(StorageNames.VOLUMES))) {
            if (StoredJson.mentions(each, StorageNames.BLOCK_DRIVER)) {
                Volume volume = Volume.of(each);
                String device = devices.get(Reconstruction.image(volume.spec()));
                if (device != null) {
                    reconstruction.device(volume, device);
                }
            }
        }
    }
}
