package dev.mooring.node.desired;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** One look at a Pod: which DesiredVolumes come, change or go. To be used once, by one thread. */
final class PodLook {
    /** How soon to ask again whether containers have ended: nobody tells. */
    private static final Duration CONTAINERS = Duration.ofSeconds(1);

    /** A net below all that is told: how soon what could not be resolved is looked at even if nothing changes. */
    private static final Duration NET = Duration.ofMinutes(5);

    private static final int NET_SPREAD_SECONDS = 60;

    private final World world;
    private final Populator populator;
    private final ObjectKey key;
    private final Instant now;
    private final List<Proposal> proposals = new ArrayList<>();
    private Optional<Duration> again = Optional.empty();

    PodLook(World world, Populator populator, ObjectKey key, Instant now) {
        this.world = world;
        this.populator = populator;
        this.key = key;
        this.now = now;
    }

    /**
     * @param pod nothing if it is not on this node
     * @param present what there may be for it, and for others of its name
     */
    Decision decide(Optional<Pod> pod, Set<ObjectKey> present) {
        Set<ObjectKey> wanted = pod.filter(each -> PodVolumes.wants(each, populator.containers()))
                .map(this::want)
                .orElse(Set.of());
        for (ObjectKey each : present) {
            if (!wanted.contains(each)) {
                world.get(each)
                        .map(DesiredVolume::of)
                        .filter(desired -> desired.node().equals(populator.node()))
                        .ifPresent(desired -> drop(desired, pod));
            }
        }
        return new Decision(proposals, again);
    }

    private Set<ObjectKey> want(Pod pod) {
        Set<ObjectKey> wanted = new HashSet<>();
        List<Resolved> failed = new ArrayList<>();
        for (UsedVolume used : PodVolumes.used(pod)) {
            Resolved resolved = new Resolution(world, populator.node(), populator.plugins(), pod, used).resolve();
            ObjectKey desired = DesiredVolume.key(pod, used.name());
            wanted.add(desired);
            put(pod, desired, resolved);
            if (resolved.problem().isPresent()) {
                failed.add(resolved);
            }
        }
        if (!failed.isEmpty()) {
            tell(pod, failed);
            again = Optional.of(NET.plusSeconds(Math.floorMod(key.hashCode(), NET_SPREAD_SECONDS)));
        }
        if (PodVolumes.isEnding(pod) && !PodVolumes.isRunning(pod)) {
            again = Optional.of(CONTAINERS);
        }
        return wanted;
    }

    private void put(Pod pod, ObjectKey desiredKey, Resolved resolved) {
        Optional<DesiredVolume> seen = world.get(desiredKey).map(DesiredVolume::of);
        ObjectNode next = seen.map(DesiredVolume::copy).orElseGet(() -> fresh(desiredKey));
        ObjectNode spec = specNow(seen, resolved);
        spec.put("since", sinceOf(seen));
        next.set("spec", spec);
        error(next, resolved.problem());
        if (seen.isEmpty()) {
            // Without the Pod nobody would want it.
            proposals.add(event("DesiredVolumeAdded", resolved.cause())
                    .create(Draft.of(desiredKey, next))
                    .expect(pod.stored())
                    .build());
        } else if (!next.equals(seen.get().tree())) {
            proposals.add(event("DesiredVolumeChanged", resolved.cause())
                    .replace(seen.get().stored(), Draft.of(desiredKey, next))
                    .build());
        }
    }

    /** What is mounted already stays known whatever becomes of the claim: nothing is taken away under a container. */
    private static ObjectNode specNow(Optional<DesiredVolume> seen, Resolved resolved) {
        return resolved.problem().isEmpty()
                ? resolved.spec()
                : seen.filter(before -> !before.volume().isEmpty())
                        .filter(before ->
                                before.pod().json().equals(resolved.spec().path("pod")))
                        .map(before -> (ObjectNode) before.copy().get("spec"))
                        .orElseGet(resolved::spec);
    }

    private String sinceOf(Optional<DesiredVolume> seen) {
        return seen.map(before -> before.spec().path("since").asText(""))
                .filter(since -> !since.isEmpty())
                .orElseGet(this::time);
    }

    private void error(ObjectNode next, Optional<UnresolvedException> problem) {
        if (problem.isEmpty()) {
            next.remove("status");
            return;
        }
        JsonNode before = next.path("status").path("error");
        ObjectNode error = JsonNodeFactory.instance.objectNode();
        error.put("reason", problem.get().reason()).put("message", problem.get().getMessage());
        boolean same = before.path("reason").equals(error.get("reason"))
                && before.path("message").equals(error.get("message"))
                && before.hasNonNull("time");
        error.put("time", same ? before.path("time").asText() : time());
        next.putObject("status").set("error", error);
    }

    private ObjectNode fresh(ObjectKey desiredKey) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("kind", "DesiredVolume").put("apiVersion", "mooring.dev/v1");
        String unique = desiredKey + "@" + world.revision() + "@" + now;
        object.putObject("metadata")
                .put("name", desiredKey.name())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", time());
        return object;
    }

    /** The words of the kubelet, but only the volumes that are in the way, each with what is wrong with it. */
    private void tell(Pod pod, List<Resolved> failed) {
        String names = failed.stream().map(Resolved::volumeName).collect(Collectors.joining(" ", "[", "]"));
        String causes = failed.stream()
                .map(each -> each.problem().orElseThrow().getMessage())
                .distinct()
                .collect(Collectors.joining("; "));
        String message = "Unable to attach or mount volumes: unmounted volumes=" + names
                + ", unattached volumes=[], failed to process volumes=" + names + ": " + causes;
        Notice notice = Notice.warning(Notice.Involved.of(pod.tree()), "FailedMount", message, populator.name());
        Notices.tellOnce(world, notice, failed.get(0).cause(), now).ifPresent(proposals::add);
    }

    /** Nobody wants it any more; unless the Pod is gone but a container of it is not. */
    private void drop(DesiredVolume desired, Optional<Pod> pod) {
        String uid = desired.pod().uid();
        boolean gone = pod.filter(each -> each.uid().equals(uid)).isEmpty();
        if (gone && populator.containers().mayRun(uid)) {
            again = Optional.of(CONTAINERS);
            return;
        }
        proposals.add(event("DesiredVolumeRemoved", pod.map(Pod::cause).orElseGet(desired::cause))
                .remove(desired.stored())
                .build());
    }

    private Proposal.Builder event(String type, Cause cause) {
        return Proposal.by(populator.name(), type).because(cause);
    }

    private String time() {
        return now.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
