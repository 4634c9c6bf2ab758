package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.PodVolume;
import dev.mooring.node.volumemanager.PodVolumes;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The mount state of a Pod's volumes.
 *
 * @param mounted the mounted volumes
 * @param missing the other volumes by name, with the reason; "" if there is none
 * @param unhealthy mounted volumes with a problem, and the problem
 */
public record VolumeReadiness(List<PodVolume> mounted, Map<String, String> missing, Map<String, String> unhealthy) {
    public static VolumeReadiness of(World world, Pod pod) {
        List<PodVolume> mounted = new ArrayList<>();
        Map<String, String> missing = new LinkedHashMap<>();
        Map<String, String> unhealthy = new LinkedHashMap<>();
        for (String name : PodVolumes.names(pod)) {
            Optional<DesiredVolume> desired =
                    world.get(DesiredVolume.key(pod, name)).map(DesiredVolume::of);
            Optional<ActualVolume> actual = desired.flatMap(DesiredVolume::counterpart)
                    .flatMap(world::get)
                    .map(ActualVolume::of);
            Optional<ActualVolume.Mount> mount = actual.flatMap(each -> each.mountFor(pod.uid()))
                    .filter(each -> each.isMounted() && each.operation().isEmpty());
            if (mount.isPresent()) {
                mounted.add(PodVolume.of(desired.get(), mount.get(), actual.get()));
                JsonNode health = mount.get().json().path("health");
                if (health.isObject()) {
                    unhealthy.put(name, health.path("message").asText(""));
                }
            } else {
                missing.put(name, reason(desired, actual, pod));
            }
        }
        return new VolumeReadiness(List.copyOf(mounted), missing, unhealthy);
    }

    private static String reason(Optional<DesiredVolume> desired, Optional<ActualVolume> actual, Pod pod) {
        if (desired.isEmpty()) {
            return "";
        }
        String unresolved = desired.get().status().path("error").path("message").asText("");
        if (!unresolved.isEmpty() || actual.isEmpty()) {
            return unresolved;
        }
        String own = actual.get()
                .mountFor(pod.uid())
                .map(each -> each.json().path("lastError").path("message").asText(""))
                .orElse("");
        return own.isEmpty()
                ? actual.get().status().path("lastError").path("message").asText("")
                : own;
    }

    boolean isComplete() {
        return missing.isEmpty();
    }

    /** Returns a human-readable summary. */
    String message() {
        StringBuilder words = new StringBuilder();
        missing.forEach((name, why) -> {
            words.append(words.isEmpty() ? "" : "; ")
                    .append("waiting for volume \"")
                    .append(name)
                    .append('"');
            if (!why.isEmpty()) {
                words.append(": ").append(why);
            }
        });
        return words.toString();
    }
}
