package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.Volume;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DevicePlugin.AttachMode;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads the input of the {@link Planner} from a World: for the {@link Reconciler}, and to explain a volume of any node
 * at any revision.
 *
 * @param node name of the node
 * @param devices returns how a plugin's devices are attached, by the plugin's name; empty if it has none
 * @param containers tells which Pods may still use a volume
 */
public record VolumeObserver(String node, Function<String, Optional<AttachMode>> devices, PodStateProvider containers) {
    static VolumeObserver of(NodeContext node) {
        return new VolumeObserver(
                node.name(),
                plugin -> node.plugins()
                        .named(plugin)
                        .filter(DevicePlugin.class::isInstance)
                        .map(found -> ((DevicePlugin) found).attachMode()),
                node.containers());
    }

    /** Creates an observer that needs no access to the node: a Pod's status tells whether its containers run. */
    public static VolumeObserver ofRecords(String node) {
        return new VolumeObserver(node, VolumeObserver::attachMode, PodStateProvider.NONE);
    }

    static Optional<AttachMode> attachMode(String plugin) {
        return SourceTypes.ofPlugin(plugin)
                .filter(SourceType::isStaged)
                .map(type -> type.isDevice() ? AttachMode.BY_THIS_NODE : AttachMode.NEVER);
    }

    /** Returns the plan of a volume, for inspection. */
    public VolumePlan plan(World world, ObjectKey key, Instant now) {
        return Planner.plan(observe(world, key, now));
    }

    ObservedVolume observe(World world, ObjectKey key, Instant now) {
        DesiredStateOfWorld desiredState = new DesiredStateOfWorld(node, world);
        ActualStateOfWorld actualState = new ActualStateOfWorld(node, world);
        Optional<ActualVolume> actual = actualState.get(key);
        List<DesiredVolume> desired = desiredState.volumesOf(key);
        Optional<String> plugin = actual.map(ActualVolume::plugin)
                .or(() -> desired.stream().map(DesiredVolume::plugin).findFirst());
        Optional<String> volume = actual.map(ActualVolume::volume)
                .or(() -> desired.stream().map(DesiredVolume::volume).findFirst());
        return new ObservedVolume(
                actual,
                desired,
                plugin.flatMap(devices),
                volume.flatMap(actualState::attachment),
                desired.stream()
                        .map(DesiredVolume::persistentVolume)
                        .filter(name -> !name.isEmpty())
                        .findFirst()
                        .flatMap(name -> world.get(Volume.key(name)))
                        .map(Volume::of),
                podsStillUsing(world, actual, desired),
                new AccessModeConflicts(desiredState, actualState).byPodUid(desired),
                now);
    }

    /** Returns the Pods that have the volume mounted and still need it, although they have no DesiredVolume. */
    private Set<String> podsStillUsing(World world, Optional<ActualVolume> actual, List<DesiredVolume> desired) {
        Set<String> needing = new HashSet<>();
        for (Mount each : actual.map(ActualVolume::mounts).orElse(List.of())) {
            boolean wanted = MountRequest.of(each.pod().uid(), desired).isPresent();
            if (!wanted && mayUse(world, each.pod())) {
                needing.add(each.pod().uid());
            }
        }
        return needing;
    }

    private boolean mayUse(World world, PodReference pod) {
        if (containers.mayRun(pod.uid())) {
            return true;
        }
        if (pod.namespace().isEmpty() || pod.name().isEmpty()) {
            return false;
        }
        return world.get(Pod.key(pod.namespace(), pod.name()))
                .filter(found -> found.containsText(pod.uid()))
                .map(Pod::of)
                .filter(found -> found.uid().equals(pod.uid())
                        && found.nodeName().equals(node)
                        && PodVolumes.wants(found, containers))
                .isPresent();
    }
}
