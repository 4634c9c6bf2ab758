package dev.mooring.node.desired;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.desired.UsedVolume.Use;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which volumes a Pod wants, and how long. Pure, but for asking {@link Containers}; any thread. */
public final class PodVolumes {
    private static final List<String> CONTAINERS = List.of("containers", "initContainers", "ephemeralContainers");
    private static final List<String> STATUSES =
            List.of("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses");

    private PodVolumes() {}

    /**
     * Whether a Pod that is on a node should have its volumes there. One that has finished or is being deleted keeps them as long as a
     * container may still run, since nothing may be taken away under a container; one that never started does not count.
     */
    public static boolean wants(Pod pod, Containers containers) {
        return !isEnding(pod) || isRunning(pod) || containers.mayRun(pod.uid());
    }

    /** Whether it wants its volumes only for what still runs. */
    static boolean isEnding(Pod pod) {
        return pod.isFinished() || pod.isBeingDeleted();
    }

    /** Whether it says itself that a container runs. */
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

    /** The volumes that containers use, in the Pod's order. What only stands in {@code spec.volumes} is nobody's. */
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

    /** Their names within the Pod, in its order. */
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
