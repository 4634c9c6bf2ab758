package dev.mooring.model.view;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * A mirror Pod: the Pod that stands for one mount of a claim in a container that Docker runs, not Mooring. It is
 * scheduled and has its volume mounted like any Pod; no containers are started for it. It ends when Docker unmounts the
 * volume. Immutable.
 *
 * @param id Docker's ID of the mount
 * @param container name of the container; "" if unknown
 * @param containerId ID of the container; "" if unknown
 * @param count how often Docker has mounted it with this ID: a running container and each {@code docker cp}
 * @param since time of the last mount
 */
public record DockerMount(Pod pod, String id, String container, String containerId, int count, Instant since) {
    /** Annotation of a mirror Pod: Docker's ID of the mount. */
    public static final String MOUNT_ID = "mooring.dev/docker-mount-id";

    /** Annotation of a mirror Pod: name of the container. */
    public static final String CONTAINER = "mooring.dev/docker-container";

    /** Annotation of a mirror Pod: ID of the container. */
    public static final String CONTAINER_ID = "mooring.dev/docker-container-id";

    /** Annotation of a mirror Pod: how often Docker has mounted the volume with this ID. */
    public static final String COUNT = "mooring.dev/docker-mount-count";

    /** Annotation of a mirror Pod: time of the last mount. */
    public static final String SINCE = "mooring.dev/docker-mounted-at";

    /** The annotations of a mirror Pod. */
    public static final List<String> ANNOTATIONS = List.of(MOUNT_ID, CONTAINER, CONTAINER_ID, COUNT, SINCE);

    /** Annotation of a claim: the names of Docker volumes that it is, separated by commas. */
    public static final String VOLUMES = "mooring.dev/docker-volumes";

    /** Finalizer of a mirror Pod: keeps it while the container may use the volume. */
    public static final String FINALIZER = "mooring.dev/docker-mount";

    /** The name of the volume and of the container in a mirror Pod. */
    public static final String PART = "docker";

    /** Returns the mount that a Pod stands for; empty for all other Pods. */
    public static Optional<DockerMount> of(Pod pod) {
        return pod.annotation(MOUNT_ID)
                .map(id -> new DockerMount(
                        pod,
                        id,
                        pod.annotation(CONTAINER).orElse(""),
                        pod.annotation(CONTAINER_ID).orElse(""),
                        number(pod.annotation(COUNT).orElse("")),
                        View.time(pod.metadata().path("annotations").path(SINCE))));
    }

    /** Returns the mount IDs of a Pod: one for a mirror Pod, else none. */
    public static List<String> ids(StoredObject pod) {
        return pod.containsText(MOUNT_ID)
                ? Pod.of(pod).annotation(MOUNT_ID).stream().toList()
                : List.of();
    }

    /** Returns the Docker volumes that a claim is. */
    public static List<String> volumes(StoredObject claim) {
        return claim.containsText(VOLUMES)
                ? Claim.of(claim).annotation(VOLUMES).stream()
                        .flatMap(names -> List.of(names.split(",")).stream())
                        .filter(name -> !name.isEmpty())
                        .toList()
                : List.of();
    }

    /** Returns the container as messages name it. */
    public String user() {
        return container.isEmpty() ? "a container (docker)" : "container " + container + " (docker)";
    }

    /** Returns whether a container may be the one of this mount. */
    public boolean mayBe(String otherContainerId) {
        return containerId.isEmpty() || containerId.equals(otherContainerId);
    }

    public ObjectKey claim() {
        return pod.claimKeys().get(0);
    }

    /** Returns whether Docker has ended the mount, or a mount attempt failed. */
    public boolean isReleased() {
        return pod.isFinished() && pod.isBeingDeleted();
    }

    /**
     * Returns the Pod with a number of mounts; a Pod with a mount has a running container.
     *
     * @param mounts how often Docker has mounted it now
     */
    public Draft mounted(int mounts, Instant now) {
        ObjectNode object = withCount(mounts, now);
        ObjectNode status = object.withObject("/status");
        status.put("phase", "Running").put("startTime", seconds(now));
        containerStatus(status)
                .put("ready", true)
                .put("started", true)
                .withObject("/state/running")
                .put("startedAt", seconds(now));
        return Draft.of(pod.key(), object);
    }

    /** Returns the Pod with one mount less, of several. */
    public Draft unmounted() {
        return Draft.of(pod.key(), withCount(count - 1, since));
    }

    /** Returns the Pod after its last mount: finished and terminating, so that its volume is unmounted. */
    public Draft released(Instant now) {
        ObjectNode object = withCount(0, since);
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("deletionTimestamp", seconds(now)).put("deletionGracePeriodSeconds", 1);
        metadata.remove("finalizers");
        pod.metadata().path("finalizers").forEach(each -> {
            if (!each.asText().equals(FINALIZER)) {
                metadata.withArray("finalizers").add(each);
            }
        });
        ObjectNode status = object.withObject("/status");
        status.put("phase", "Succeeded");
        containerStatus(status)
                .put("ready", false)
                .put("started", false)
                .putObject("state")
                .putObject("terminated")
                .put("exitCode", 0)
                .put("reason", "Completed")
                .put("finishedAt", seconds(now));
        return Draft.of(pod.key(), object);
    }

    private ObjectNode withCount(int next, Instant when) {
        ObjectNode object = pod.copy();
        object.withObject("/metadata")
                .withObject("/annotations")
                .put(COUNT, Integer.toString(next))
                .put(SINCE, seconds(when));
        return object;
    }

    private ObjectNode containerStatus(ObjectNode status) {
        String image = pod.spec().path("containers").path(0).path("image").asText("");
        return status.putArray("containerStatuses")
                .addObject()
                .put("name", PART)
                .put("image", image)
                .put("imageID", "")
                .put("containerID", containerId.isEmpty() ? "" : "docker://" + containerId)
                .put("restartCount", 0);
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
