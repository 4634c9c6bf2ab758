package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.volumemanager.UsedVolume.Use;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Determines which volumes a Pod needs, and for how long. Pure, except for {@link PodStateProvider}; any thread. */
public final class PodVolumes {
    private static final List<String> CONTAINERS = List.of("containers", "initContainers", "ephemeralContainers");
    private static final List<String> STATUSES =
            List.of("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses");

    /** ActualVolumes by their node and the UIDs of the Pods that they are mounted for. */
    public static final Index<NodeValue<String>> ACTUAL_VOLUMES_BY_POD =
            Index.of("ActualVolumes by Pod", Scope.resource(StorageNames.ACTUAL_VOLUMES), PodVolumes::mountingPods);

    private PodVolumes() {}

    private static List<NodeValue<String>> mountingPods(StoredObject object) {
        ActualVolume volume = ActualVolume.of(object);
        return volume.mounts().stream()
                .map(each -> each.pod().uid())
                .filter(uid -> !uid.isEmpty())
                .map(uid -> new NodeValue<>(volume.node(), uid))
                .toList();
    }

    /**
     * Returns whether an assigned Pod should have its volumes. A finished or deleted Pod keeps them as long as a
     * container may run, because nothing may be unmounted under a container, unless it never started.
     */
    public static boolean wants(Pod pod, PodStateProvider containers) {
        return !isEnding(pod) || isRunning(pod) || containers.mayRun(pod.uid());
    }

    /** Returns whether the Pod needs its volumes only for containers that still run. */
    static boolean isEnding(Pod pod) {
        return pod.isFinished() || pod.isBeingDeleted();
    }

    /** Returns whether the Pod's status has a running container. */
    public static boolean isRunning(Pod pod) {
        for (String list : STATUSES) {
            for (JsonNode status : pod.status().path(list)) {
                if (status.path("state").hasNonNull("running")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the volumes that containers use, in the Pod's order. Ignores unused entries of {@code spec.volumes}. */
    static List<UsedVolume> used(Pod pod) {
        Map<String, Set<Use>> uses = new HashMap<>();
        for (String list : CONTAINERS) {
            for (JsonNode container : pod.spec().path(list)) {
                add(uses, container.path("volumeMounts"), Use.MOUNT);
                add(uses, container.path("volumeDevices"), Use.DEVICE);
            }
        }
        List<UsedVolume> used = new ArrayList<>();
        for (JsonNode volume : pod.spec().path("volumes")) {
            String name = volume.path("name").asText("");
            Set<Use> found = uses.remove(name);
            if (found != null) {
                used.add(new UsedVolume(name, volume, found));
            }
        }
        return used;
    }

    /** Returns the names of the used volumes within the Pod, in its order. */
    public static List<String> names(Pod pod) {
        return used(pod).stream().map(UsedVolume::name).toList();
    }

    private static void add(Map<String, Set<Use>> uses, JsonNode list, Use use) {
        for (JsonNode each : list) {
            uses.computeIfAbsent(each.path("name").asText(""), unused -> EnumSet.noneOf(Use.class))
                    .add(use);
        }
    }
}
