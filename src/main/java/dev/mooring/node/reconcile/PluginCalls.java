package dev.mooring.node.reconcile;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Turns an open operation into calls of a plugin, and what comes back into how it ended. Stateless; several threads at once. */
final class PluginCalls {
    private final NodeParts node;
    private final Brackets brackets;
    private final Teller teller;

    PluginCalls(NodeParts node, Brackets brackets, Teller teller) {
        this.node = node;
        this.brackets = brackets;
        this.teller = teller;
    }

    Lane lane(ActualVolume volume, List<DesiredVolume> desired) {
        return node.plugins()
                .named(volume.plugin())
                .map(plugin -> plugin.lane(spec(volume, desired)))
                .orElse(Lane.LOCAL);
    }

    /** What no two operations may work on at once: a volume with a device, or what one Pod has of a volume. */
    Object exclusive(Task.Id id, ActualVolume volume) {
        boolean whole = node.plugins()
                .named(volume.plugin())
                .filter(DevicePlugin.class::isInstance)
                .isPresent();
        return whole ? id.key().volume() : id.key();
    }

    Ended perform(Task task, World world) throws InterruptedException {
        ActualVolume volume = task.opened();
        Operation operation = task.id().operation();
        try {
            VolumePlugin plugin = node.plugins()
                    .named(volume.plugin())
                    .orElseThrow(() -> new VolumeException(
                            Left.PERHAPS_SOMETHING,
                            "NoPlugin",
                            "no volume plugin matched: " + volume.plugin() + " is not part of this build of Mooring",
                            ""));
            List<DesiredVolume> desired = newest(task.desired(), world);
            String podUid = task.id().key().podUid();
            Progress progress = (reason, message) -> teller.progress(task, reason, message);
            return switch (operation) {
                case MOUNT -> mount(plugin, task, desired, world, progress);
                case UNMOUNT -> unmount(plugin, volume, podUid, progress);
                default -> {
                    if (!(plugin instanceof DevicePlugin device)) {
                        throw VolumeException.clean("NoDevice", plugin.name() + " has no such step");
                    }
                    yield forAll(device, operation, volume, desired, progress);
                }
            };
        } catch (VolumeException e) {
            return Ended.Failed.of(e);
        }
    }

    private static List<DesiredVolume> newest(List<DesiredVolume> seen, World world) {
        List<DesiredVolume> newest = new ArrayList<>();
        for (DesiredVolume each : seen) {
            world.get(each.key())
                    .map(DesiredVolume::of)
                    .filter(found ->
                            found.uid().equals(each.uid()) && found.volume().equals(each.volume()))
                    .filter(DesiredVolume::isResolved)
                    .ifPresent(newest::add);
        }
        return newest;
    }

    private Ended mount(VolumePlugin plugin, Task task, List<DesiredVolume> desired, World world, Progress progress)
            throws VolumeException, InterruptedException {
        Wish wish = Wish.of(task.id().key().podUid(), desired);
        if (!wish.isPresent()) {
            throw VolumeException.clean("NotWanted", "the Pod does not want it any more");
        }
        DesiredVolume first = wish.first();
        PodOf pod = first.pod();
        ActualVolume volume = task.opened();
        SetUp what = new SetUp(
                spec(volume, desired),
                new PodIdentity(pod.namespace(), pod.name(), pod.uid()),
                brackets.target(first),
                wish.access(),
                plugin instanceof DevicePlugin ? Optional.of(device(volume)) : Optional.empty(),
                ownership(first),
                podObject(world, pod));
        return new Ended.Mounted(plugin.setUp(what, progress), wish);
    }

    private Ended unmount(VolumePlugin plugin, ActualVolume volume, String podUid, Progress progress)
            throws VolumeException, InterruptedException {
        String name = directoryName(volume, podUid);
        node.subPaths().clean(podUid, name);
        plugin.tearDown(
                new TearDown(
                        volume.volume(),
                        name,
                        podUid,
                        brackets.target(podUid, volume.plugin(), name, volume.mode()),
                        volume.mode(),
                        volume.source().path("nfs").path("server").asText("")),
                progress);
        return new Ended.Gone();
    }

    private static Ended forAll(
            DevicePlugin plugin,
            Operation operation,
            ActualVolume volume,
            List<DesiredVolume> desired,
            Progress progress)
            throws VolumeException, InterruptedException {
        VolumeSpec spec = spec(volume, desired);
        switch (operation) {
            case ATTACH -> {
                return new Ended.Attached(plugin.attach(spec, progress));
            }
            case DETACH -> plugin.detach(spec, progress);
            case MOUNT_DEVICE -> {
                boolean readOnly = !desired.isEmpty() && desired.stream().allMatch(DesiredVolume::isReadOnly);
                Access access = readOnly ? Access.READ_ONLY : Access.READ_WRITE;
                return ready(plugin, spec, volume, access, progress);
            }
            case UNMOUNT_DEVICE -> plugin.unmountDevice(spec, device(volume), progress);
            case EXPAND -> {
                return new Ended.Grown(plugin.expand(spec, device(volume), progress)
                        .orElseThrow(() -> VolumeException.clean(
                                Planner.GROWS_WHEN_UNUSED,
                                "this kernel does not grow the file system while it is mounted; it grows when no Pod"
                                        + " here has it and one gets it again")));
            }
            default -> throw new IllegalArgumentException("Expected an operation for all Pods, but found " + operation);
        }
        return new Ended.Gone();
    }

    /** One that may have been mounted all the time was not grown by being mounted. */
    private static Ended ready(
            DevicePlugin plugin, VolumeSpec spec, ActualVolume volume, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        DeviceState state = plugin.mountDevice(spec, volume.devicePath(), access, progress);
        boolean perhapsOld = volume.deviceMount().equals(ActualVolume.UNCERTAIN);
        if (!perhapsOld || spec.bytes() == 0 || access == Access.READ_ONLY) {
            return new Ended.Ready(state, spec.bytes());
        }
        long before = volume.capacity().map(Quantity::value).orElse(0L);
        return new Ended.Ready(state, plugin.expand(spec, state, progress).orElse(before));
    }

    private static VolumeSpec spec(ActualVolume volume, List<DesiredVolume> desired) {
        Optional<DesiredVolume> first = desired.stream().findFirst();
        return new VolumeSpec(
                volume.volume(),
                first.map(DesiredVolume::directoryName).orElseGet(() -> directoryName(volume, "")),
                first.map(DesiredVolume::source).orElseGet(volume::source),
                volume.mode(),
                first.map(DesiredVolume::mountOptions).orElse(List.of()),
                Wish.bytes(desired));
    }

    /** The PersistentVolume's name, or else what the Pod calls it. */
    private static String directoryName(ActualVolume volume, String podUid) {
        if (!volume.persistentVolume().isEmpty()) {
            return volume.persistentVolume();
        }
        Path path = volume.mounts().stream()
                .filter(each -> podUid.isEmpty() || each.pod().uid().equals(podUid))
                .findFirst()
                .map(each -> Path.of(each.volumeName().isEmpty() ? each.path() : each.volumeName()))
                .orElse(Path.of(""));
        return String.valueOf(path.getFileName());
    }

    private static DeviceState device(ActualVolume volume) {
        String mounted = volume.deviceMountPath();
        return new DeviceState(
                volume.devicePath(), mounted.isEmpty() ? Optional.empty() : Optional.of(Path.of(mounted)));
    }

    private static Optional<Ownership> ownership(DesiredVolume desired) {
        OptionalLong group = desired.fsGroup();
        if (group.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Ownership(
                group.getAsLong(),
                desired.changesGroupOnRootMismatchOnly() ? Ownership.When.ON_ROOT_MISMATCH : Ownership.When.ALWAYS));
    }

    private static ObjectNode podObject(World world, PodOf pod) {
        return world.get(Pod.key(pod.namespace(), pod.name()))
                .map(Pod::of)
                .filter(found -> found.uid().equals(pod.uid()))
                .map(Pod::tree)
                .orElseGet(JsonNodeFactory.instance::objectNode);
    }
}
