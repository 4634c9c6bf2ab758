package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.node.volumemanager.OperationExecutor.StartedOperation;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Executes started operations by plugin calls, and maps their results. Stateless; several threads at once. */
final class PluginCalls {
    private final NodeContext node;
    private final OperationRecorder recorder;
    private final VolumeEventRecorder eventRecorder;

    PluginCalls(NodeContext node, OperationRecorder recorder, VolumeEventRecorder eventRecorder) {
        this.node = node;
        this.recorder = recorder;
        this.eventRecorder = eventRecorder;
    }

    WorkerPoolKey workerPool(ActualVolume volume, List<DesiredVolume> desired) {
        return node.plugins()
                .named(volume.plugin())
                .map(plugin -> plugin.workerPool(spec(volume, desired)))
                .orElse(WorkerPoolKey.LOCAL);
    }

    /**
     * Returns the key that two operations must not share at once: the volume, if it has a device, or else one Pod's
     * mount of it.
     */
    Object exclusiveKey(OperationKey key, ActualVolume volume) {
        boolean whole = node.plugins()
                .named(volume.plugin())
                .filter(DevicePlugin.class::isInstance)
                .isPresent();
        return whole ? key.volume() : key;
    }

    OperationResult perform(StartedOperation started, World world) throws InterruptedException {
        ActualVolume volume = started.volume();
        Operation operation = started.start().operation();
        try {
            VolumePlugin plugin = node.plugins()
                    .named(volume.plugin())
                    .orElseThrow(() -> new VolumeException(
                            FailureState.UNCERTAIN,
                            "NoPlugin",
                            "no volume plugin matched: " + volume.plugin() + " is not part of this build of Mooring",
                            ""));
            List<DesiredVolume> desired = newest(started.start().desired(), world);
            String podUid = started.start().key().podUid();
            OperationProgress progress = (reason, message) -> eventRecorder.recordProgress(started, reason, message);
            return switch (operation) {
                case MOUNT -> mount(plugin, started, desired, world, progress);
                case UNMOUNT -> unmount(plugin, volume, podUid, progress);
                default -> {
                    if (!(plugin instanceof DevicePlugin device)) {
                        throw VolumeException.clean(
                                "NoDevice", plugin.name() + " does not support operation " + operation.text());
                    }
                    yield performForDevice(device, operation, volume, desired, progress);
                }
            };
        } catch (VolumeException e) {
            return OperationResult.Failed.of(e);
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

    private OperationResult mount(
            VolumePlugin plugin,
            StartedOperation operation,
            List<DesiredVolume> desired,
            World world,
            OperationProgress progress)
            throws VolumeException, InterruptedException {
        MountRequest mountRequest = MountRequest.of(operation.start().key().podUid(), desired);
        if (!mountRequest.isPresent()) {
            throw VolumeException.clean("NotWanted", "the Pod does not use the volume any more");
        }
        DesiredVolume first = mountRequest.first();
        PodReference pod = first.pod();
        ActualVolume volume = operation.volume();
        SetUpRequest what = new SetUpRequest(
                spec(volume, desired),
                new PodIdentity(pod.namespace(), pod.name(), pod.uid()),
                recorder.target(first),
                mountRequest.access(),
                plugin instanceof DevicePlugin ? Optional.of(device(volume)) : Optional.empty(),
                ownership(first),
                podObject(world, pod));
        return new OperationResult.Mounted(plugin.setUp(what, progress), mountRequest);
    }

    private OperationResult unmount(VolumePlugin plugin, ActualVolume volume, String podUid, OperationProgress progress)
            throws VolumeException, InterruptedException {
        String name = directoryName(volume, podUid);
        node.subPaths().clean(podUid, name);
        plugin.tearDown(
                new TearDownRequest(
                        volume.volume(),
                        name,
                        podUid,
                        recorder.target(podUid, volume.plugin(), name, volume.mode()),
                        volume.mode(),
                        SourceTypes.server(volume.source())),
                progress);
        return new OperationResult.Removed();
    }

    private static OperationResult performForDevice(
            DevicePlugin plugin,
            Operation operation,
            ActualVolume volume,
            List<DesiredVolume> desired,
            OperationProgress progress)
            throws VolumeException, InterruptedException {
        VolumeSpec spec = spec(volume, desired);
        switch (operation) {
            case ATTACH -> {
                return new OperationResult.Attached(plugin.attach(spec, progress));
            }
            case DETACH -> plugin.detach(spec, progress);
            case MOUNT_DEVICE -> {
                boolean readOnly = !desired.isEmpty() && desired.stream().allMatch(DesiredVolume::isReadOnly);
                Access access = readOnly ? Access.READ_ONLY : Access.READ_WRITE;
                return mountDevice(plugin, spec, volume, access, progress);
            }
            case UNMOUNT_DEVICE -> plugin.unmountDevice(spec, device(volume), progress);
            case EXPAND -> {
                return new OperationResult.Expanded(plugin.expand(spec, device(volume), progress)
                        .orElseThrow(() -> VolumeException.clean(
                                Planner.EXPANDS_OFFLINE,
                                "this kernel cannot grow the file system while it is mounted; it is grown when no Pod"
                                        + " on this node has it mounted and one mounts it again")));
            }
            default -> throw new IllegalArgumentException("Operation must not be for a single Pod, got " + operation);
        }
        return new OperationResult.Removed();
    }

    /** Mounts a device. A mount that may have existed before was not expanded by this call. */
    private static OperationResult mountDevice(
            DevicePlugin plugin, VolumeSpec spec, ActualVolume volume, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        DeviceState state = plugin.mountDevice(spec, volume.devicePath(), access, progress);
        boolean perhapsOld = volume.deviceMount().equals(ActualVolume.UNCERTAIN);
        if (!perhapsOld || spec.bytes() == 0 || access == Access.READ_ONLY) {
            return new OperationResult.DeviceMounted(state, spec.bytes());
        }
        long before = volume.capacity().map(Quantity::value).orElse(0L);
        return new OperationResult.DeviceMounted(
                state, plugin.expand(spec, state, progress).orElse(before));
    }

    private static VolumeSpec spec(ActualVolume volume, List<DesiredVolume> desired) {
        Optional<DesiredVolume> first = desired.stream().findFirst();
        return new VolumeSpec(
                volume.volume(),
                first.map(DesiredVolume::directoryName).orElseGet(() -> directoryName(volume, "")),
                first.map(DesiredVolume::source).orElseGet(volume::source),
                volume.mode(),
                first.map(DesiredVolume::mountOptions).orElse(List.of()),
                MountRequest.bytes(desired));
    }

    /** Returns the PersistentVolume's name, or else the volume's name within the Pod. */
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

    private static Optional<FsGroup> ownership(DesiredVolume desired) {
        OptionalLong group = desired.fsGroup();
        if (group.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new FsGroup(
                group.getAsLong(),
                desired.changesGroupOnRootMismatchOnly()
                        ? FsGroup.FsGroupChangePolicy.ON_ROOT_MISMATCH
                        : FsGroup.FsGroupChangePolicy.ALWAYS));
    }

    private static ObjectNode podObject(World world, PodReference pod) {
        return world.get(Pod.key(pod.namespace(), pod.name()))
                .map(Pod::of)
                .filter(found -> found.uid().equals(pod.uid()))
                .map(Pod::tree)
                .orElseGet(JsonNodeFactory.instance::objectNode);
    }
}
