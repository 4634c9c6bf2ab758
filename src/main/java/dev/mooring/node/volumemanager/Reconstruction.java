package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Creates ActualVolumes for mounts on the machine that the log does not know. All are uncertain, so that they are
 * mounted again for Pods that need them and unmounted otherwise. Everything of one volume becomes one entry. Mounts
 * without a known plugin or with an invalid name were not made by Mooring and get no entry, because they could never be
 * unmounted.
 *
 * <p>Uses the data of a DesiredVolume, or else of a PersistentVolume with that name and type, or else the path only,
 * which is enough to unmount it. Used once, by one thread.
 */
final class Reconstruction {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private final NodeContext node;
    private final OperationRecorder recorder;
    private final World world;
    private final Instant now;
    private final Map<ObjectKey, ObjectNode> objects = new HashMap<>();
    private Optional<Map<String, PodReference>> pods = Optional.empty();
    private Optional<Map<Path, DesiredVolume>> desired = Optional.empty();

    Reconstruction(NodeContext node, World world, Instant now) {
        this.node = node;
        this.recorder = new OperationRecorder(node.name(), node.layout());
        this.world = world;
        this.now = now;
    }

    /** Returns the proposals. */
    List<Proposal> proposals() {
        List<Proposal> proposals = new ArrayList<>();
        objects.forEach((key, object) -> {
            Optional<StoredObject> seen = world.get(key);
            if (seen.isPresent() && seen.get().toTree().equals(object)) {
                return;
            }
            OperationRecorder.updateState(object.withObject("/status"), now);
            Proposal.Builder proposal = Proposal.by(recorder.actor(), "VolumeReconstructed");
            Draft draft = Draft.of(key, object);
            seen.ifPresentOrElse(each -> proposal.replace(each, draft), () -> proposal.create(draft));
            proposals.add(proposal.build());
        });
        return proposals;
    }

    /** Adds a Pod's volume that no entry has a mount for. */
    void addVolume(ObservedMachine.FoundVolume found) {
        Optional<VolumePlugin> plugin = node.plugins().named(found.plugin());
        if (plugin.isEmpty() || !isName(found.name())) {
            return;
        }
        Optional<DesiredVolume> wanted = Optional.ofNullable(desired().get(found.path()));
        ObjectNode object =
                wanted.map(each -> wanted(each, plugin.get())).orElseGet(() -> unwanted(found, plugin.get()));
        ObjectNode status = object.withObject("/status");
        if (OperationRecorder.mount(status, found.podUid()).isPresent()) {
            return;
        }
        status.put("reconstructed", true);
        if (plugin.get() instanceof DevicePlugin && !status.has("deviceMount")) {
            status.put("deviceMount", ActualVolume.UNCERTAIN);
        }
        PodReference pod = wanted.map(DesiredVolume::pod)
                .orElseGet(() -> pods().getOrDefault(found.podUid(), new PodReference("", "", found.podUid())));
        ObjectNode mount = status.withArray("mounts").addObject();
        mount.put("path", found.path().toString());
        mount.set("pod", pod.json());
        mount.put("volumeName", wanted.map(DesiredVolume::volumeName).orElse(found.name()))
                .put("state", ActualVolume.UNCERTAIN)
                .put("since", OperationRecorder.time(now));
    }

    private ObjectNode wanted(DesiredVolume wanted, VolumePlugin plugin) {
        ObjectNode object = entry(wanted.counterpart().orElseThrow(), wanted.volume(), plugin);
        ObjectNode spec = object.withObject("/spec");
        if (!wanted.persistentVolume().isEmpty()) {
            spec.put("persistentVolume", wanted.persistentVolume());
        }
        if (wanted.claim().isObject()) {
            spec.set("claim", wanted.claim());
        }
        spec.put("volumeMode", wanted.mode().toString()).set("source", wanted.source());
        return object;
    }

    private ObjectNode unwanted(ObservedMachine.FoundVolume found, VolumePlugin plugin) {
        Optional<Volume> volume = persistentVolume(found.name(), plugin);
        JsonNode source =
                volume.<JsonNode>map(each -> SourceTypes.source(each.spec())).orElse(MissingNode.getInstance());
        String identity = plugin instanceof DevicePlugin
                ? plugin.sharedIdentity(found.name(), source).orElse(found.name())
                : found.podUid() + '-' + found.name();
        String unique = plugin.name() + '/' + identity;
        ObjectNode object = entry(ActualVolume.key(node.name(), unique, found.name()), unique, plugin);
        boolean isDevice =
                found.path().startsWith(node.layout().pod(found.podUid()).resolve("volumeDevices"));
        ObjectNode spec = object.withObject("/spec");
        spec.put("volumeMode", (isDevice ? VolumeMode.BLOCK : VolumeMode.FILESYSTEM).toString());
        if (plugin instanceof DevicePlugin || volume.isPresent()) {
            spec.put("persistentVolume", found.name());
        }
        if (source.isObject()) {
            spec.set("source", source);
        }
        return object;
    }

    /** Adds a global mount directory, if its volume is still known. */
    void addGlobalMount(ObservedMachine.FoundGlobalMount found) {
        Optional<VolumePlugin> plugin = node.plugins().named(found.plugin()).filter(DevicePlugin.class::isInstance);
        Optional<Volume> volume =
                plugin.filter(unused -> isName(found.name())).flatMap(each -> persistentVolume(found.name(), each));
        if (volume.isPresent()) {
            ObjectNode status = entry(volume.get(), plugin.get()).withObject("/status");
            if (!status.has("deviceMount")) {
                status.put("deviceMount", ActualVolume.UNCERTAIN)
                        .put("deviceMountPath", found.path().toString())
                        .put("reconstructed", true);
            }
        }
    }

    /** Adds the device of a volume, which may have an entry already. */
    void addDevice(Volume volume, String device) {
        Optional<VolumePlugin> plugin =
                node.plugins().forSource(SourceTypes.source(volume.spec())).filter(DevicePlugin.class::isInstance);
        if (plugin.isPresent()) {
            ObjectNode status = entry(volume, plugin.get()).withObject("/status");
            if (!status.has("attachment")) {
                status.put("attachment", ActualVolume.UNCERTAIN)
                        .put("deviceMount", ActualVolume.UNCERTAIN)
                        .put("devicePath", device)
                        .put("reconstructed", true);
            }
        }
    }

    private ObjectNode entry(Volume volume, VolumePlugin plugin) {
        ObjectNode source = SourceTypes.source(volume.spec());
        String identity = plugin.name()
                + '/'
                + plugin.sharedIdentity(volume.name(), source).orElse(volume.name());
        ObjectKey key = ActualVolume.key(node.name(), identity, volume.name());
        boolean isNew = !objects.containsKey(key) && world.get(key).isEmpty();
        ObjectNode object = entry(key, identity, plugin);
        if (isNew) {
            object.withObject("/spec")
                    .put("persistentVolume", volume.name())
                    .put("volumeMode", volume.mode().toString())
                    .set("source", source);
        }
        return object;
    }

    private ObjectNode entry(ObjectKey key, String identity, VolumePlugin plugin) {
        return objects.computeIfAbsent(
                key,
                unused -> world.get(key)
                        .map(StoredObject::toTree)
                        .orElseGet(() -> recorder.newActualVolume(key, identity, plugin.name(), now)));
    }

    private Optional<Volume> persistentVolume(String name, VolumePlugin plugin) {
        return world.get(Volume.key(name))
                .map(Volume::of)
                .filter(each -> plugin.supports(SourceTypes.source(each.spec())));
    }

    private static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Returns the Pods of this node; read on first use. */
    private Map<String, PodReference> pods() {
        if (pods.isEmpty()) {
            Map<String, PodReference> read = new HashMap<>();
            for (StoredObject each : world.list(Scope.resource("pods"))) {
                if (each.containsText(node.name())) {
                    PodReference pod = PodReference.of(Pod.of(each));
                    read.put(pod.uid(), pod);
                }
            }
            pods = Optional.of(read);
        }
        return pods.get();
    }

    /** Returns the desired volumes by mount point. */
    private Map<Path, DesiredVolume> desired() {
        if (desired.isEmpty()) {
            Map<Path, DesiredVolume> read = new HashMap<>();
            for (DesiredVolume each : new DesiredStateOfWorld(node.name(), world).list()) {
                if (each.isResolved()) {
                    read.put(recorder.target(each), each);
                }
            }
            desired = Optional.of(read);
        }
        return desired.get();
    }
}
