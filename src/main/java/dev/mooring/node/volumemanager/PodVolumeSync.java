package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
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

/** One sync of a Pod: determines which DesiredVolumes to create, update or delete. Used once, by one thread. */
final class PodVolumeSync {
    /** Polling interval for the end of containers, which may have no notification. */
    private static final Duration CONTAINER_POLL_INTERVAL = Duration.ofSeconds(1);

    /** Interval at which unresolved volumes are resolved again without any change, as a safeguard. */
    private static final Duration RESYNC_INTERVAL = Duration.ofMinutes(5);

    private static final int RESYNC_JITTER_SECONDS = 60;

    private final World world;
    private final Populator populator;
    private final ObjectKey key;
    private final Instant now;
    private final List<Proposal> proposals = new ArrayList<>();
    private Optional<Duration> requeueAfter = Optional.empty();

    PodVolumeSync(World world, Populator populator, ObjectKey key, Instant now) {
        this.world = world;
        this.populator = populator;
        this.key = key;
        this.now = now;
    }

    /**
     * Returns the decision.
     *
     * @param pod empty if it is not on this node
     * @param present existing DesiredVolumes of the Pod and of its predecessors with the same name
     */
    Decision decide(Optional<Pod> pod, List<DesiredVolume> present) {
        Set<ObjectKey> wanted = pod.filter(each -> PodVolumes.wants(each, populator.containers()))
                .map(this::syncUsedVolumes)
                .orElse(Set.of());
        for (DesiredVolume each : present) {
            if (!wanted.contains(each.key())) {
                remove(each, pod);
            }
        }
        return new Decision(proposals, List.of(), requeueAfter);
    }

    private Set<ObjectKey> syncUsedVolumes(Pod pod) {
        Set<ObjectKey> wanted = new HashSet<>();
        List<ResolvedVolume> failed = new ArrayList<>();
        for (UsedVolume used : PodVolumes.used(pod)) {
            VolumeResolver resolver = new VolumeResolver(world, populator.node(), populator.plugins(), pod, used, now);
            ResolvedVolume resolved = resolver.resolve();
            resolver.renewal()
                    .filter(wait -> requeueAfter.isEmpty() || wait.compareTo(requeueAfter.get()) < 0)
                    .ifPresent(wait -> requeueAfter = Optional.of(wait));
            ObjectKey desired = DesiredVolume.key(pod, used.name());
            wanted.add(desired);
            put(pod, desired, resolved);
            if (resolved.problem().isPresent()) {
                failed.add(resolved);
            }
        }
        if (!failed.isEmpty()) {
            recordFailedMount(pod, failed);
            requeueAfter =
                    Optional.of(RESYNC_INTERVAL.plusSeconds(Math.floorMod(key.hashCode(), RESYNC_JITTER_SECONDS)));
        }
        if (PodVolumes.isEnding(pod) && !PodVolumes.isRunning(pod)) {
            requeueAfter = Optional.of(CONTAINER_POLL_INTERVAL);
        }
        return wanted;
    }

    private void put(Pod pod, ObjectKey desiredKey, ResolvedVolume resolved) {
        Optional<DesiredVolume> seen = world.get(desiredKey).map(DesiredVolume::of);
        ObjectNode next = seen.map(DesiredVolume::copy).orElseGet(() -> newDesiredVolume(desiredKey));
        ObjectNode spec = specNow(seen, resolved);
        spec.put("since", sinceOf(seen));
        next.set("spec", spec);
        error(next, resolved.problem());
        if (seen.isEmpty()) {
            // Expects the Pod: without it the volume is not needed.
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

    /**
     * Returns the spec to store. A volume that was resolved before keeps its spec, so that nothing is unmounted under a
     * container when its claim becomes invalid.
     */
    private static ObjectNode specNow(Optional<DesiredVolume> seen, ResolvedVolume resolved) {
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

    private ObjectNode newDesiredVolume(ObjectKey desiredKey) {
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

    /** Records the kubelet's FailedMount message, but lists only the blocking volumes, each with its problem. */
    private void recordFailedMount(Pod pod, List<ResolvedVolume> failed) {
        String names = failed.stream().map(ResolvedVolume::volumeName).collect(Collectors.joining(" ", "[", "]"));
        String causes = failed.stream()
                .map(each -> each.problem().orElseThrow().getMessage())
                .distinct()
                .collect(Collectors.joining("; "));
        String message = "Unable to attach or mount volumes: unmounted volumes=" + names
                + ", unattached volumes=[], failed to process volumes=" + names + ": " + causes;
        KubeEvent event = KubeEvent.warning(
                KubeEvent.InvolvedObject.of(pod.tree()), EventReasons.FAILED_MOUNT, message, populator.name());
        EventProposals.recordEventOnce(world, event, failed.get(0).cause(), now).ifPresent(proposals::add);
    }

    /** Removes a DesiredVolume, unless its Pod is gone but a container of it may run. */
    private void remove(DesiredVolume desired, Optional<Pod> pod) {
        String uid = desired.pod().uid();
        boolean gone = pod.filter(each -> each.uid().equals(uid)).isEmpty();
        if (gone && populator.containers().mayRun(uid)) {
            requeueAfter = Optional.of(CONTAINER_POLL_INTERVAL);
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
