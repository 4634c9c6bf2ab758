package dev.mooring.volumedriver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.container.PodVolume;
import dev.mooring.node.pods.VolumeReadiness;
import dev.mooring.runtime.ContainerRuntime.VolumeUser;
import dev.mooring.runtime.EngineException;
import dev.mooring.world.Index;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mounts of Docker volumes for containers. Each mount ID of Docker has a mirror Pod ({@link DockerMount}). Thread-safe;
 * requests block, with a deadline.
 */
final class DockerVolumeMounts {
    private static final Logger LOG = LoggerFactory.getLogger(DockerVolumeMounts.class);

    /** A container that was mounted more recently may not have started yet. */
    private static final Duration START_TIME = Duration.ofMinutes(2);

    private static final Index<String> PODS_BY_DOCKER_MOUNT =
            Index.of("Pods by Docker mount", Scope.resource("pods"), DockerMount::ids);

    private final DriverContext context;
    private final Set<String> mountsInProgress = ConcurrentHashMap.newKeySet();

    DockerVolumeMounts(DriverContext context) {
        this.context = context;
    }

    private static Optional<DockerMount> mountOf(World world, String id) {
        return world.find(PODS_BY_DOCKER_MOUNT, id).stream().findFirst().flatMap(each -> DockerMount.of(Pod.of(each)));
    }

    String mount(String volume, String id) throws DriverException, InterruptedException {
        Claim claim = VolumeDriver.require(context.newest(), volume);
        if (claim.isBeingDeleted()) {
            throw new DriverException("volume \"" + volume + "\": claim " + DriverContext.named(claim.key())
                    + " is being deleted; create the volume again when the claim is gone");
        }
        if (id.isEmpty() || id.length() > VolumeDriver.MAX_NAME) {
            throw new DriverException("volume \"" + volume + "\": Docker sent no valid mount ID");
        }
        if (!mountsInProgress.add(id)) {
            throw new DriverException("volume \"" + volume + "\" is being mounted for this container; try again");
        }
        try {
            return mount(volume, id, claim);
        } finally {
            mountsInProgress.remove(id);
        }
    }

    private String mount(String volume, String id, Claim claim) throws DriverException, InterruptedException {
        Instant deadline = context.clock().instant().plus(context.options().deadline());
        Optional<Boolean> free = context.world()
                .await(
                        left(deadline),
                        world -> mountOf(world, id)
                                        .filter(DockerMount::isReleased)
                                        .isPresent()
                                ? Optional.empty()
                                : Optional.of(true));
        if (free.isEmpty()) {
            throw new DriverException("volume \"" + volume
                    + "\": the previous mount of this container is still being unmounted; start the container again");
        }
        if (mountOf(context.newest(), id).isEmpty()) {
            createPod(volume, id, claim);
        }
        Optional<Attempt> result = context.world().await(left(deadline), world -> Attempt.of(world, id, claim.key()));
        if (result.isEmpty() || !result.get().isMounted()) {
            String why = result.map(Attempt::problem).orElseGet(() -> obstacle(context.newest(), id, claim.key()));
            release(id);
            throw new DriverException("volume \"" + volume + "\" (claim " + DriverContext.named(claim.key())
                    + ") was not mounted within " + context.options().deadline().toSeconds() + "s: "
                    + why.replaceFirst("\\.$", "") + "; `mooring explain pvc/" + claim.name() + " -n "
                    + claim.namespace()
                    + "` shows the details");
        }
        List<PodVolume> mounted = result.get().volumes();
        try {
            context.check().check(mounted);
        } catch (ConfigException e) {
            release(id);
            throw new DriverException(
                    "volume \"" + volume + "\" (claim " + DriverContext.named(claim.key()) + "): " + e.getMessage());
        }
        // Docker repeats a mount ID in docker cp; and after a crash of the engine or of Mooring, which lost the
        // unmount.
        boolean repeated = isContainerRunning(volume, id);
        Optional<StoredObject> recorded = context.update(
                podKey(id, volume),
                pod -> DockerMount.of(pod)
                        .filter(mount -> !pod.isBeingDeleted() || mount.count() > 0)
                        .map(mount -> Proposal.by(VolumeDriver.ACTOR, "DockerVolumeMounted")
                                .because(pod.cause())
                                .replace(
                                        pod.stored(),
                                        mount.mounted(
                                                repeated ? mount.count() + 1 : 1,
                                                context.clock().instant()))
                                .build()),
                Pod::of);
        if (recorded.isEmpty()) {
            throw new DriverException(
                    "volume \"" + volume + "\": the Pod of the mount was deleted; start the container again");
        }
        return mounted.get(0).path().toString();
    }

    private ObjectKey podKey(String id, String volume) throws DriverException {
        return mountOf(context.newest(), id)
                .map(mount -> mount.pod().key())
                .orElseThrow(() -> new DriverException(
                        "volume \"" + volume + "\": the Pod of the mount was deleted; start the container again"));
    }

    private Duration left(Instant deadline) {
        Duration left = Duration.between(context.clock().instant(), deadline);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /**
     * The end of an attempt to mount.
     *
     * @param problem why it failed; "" if it succeeded
     */
    private record Attempt(List<PodVolume> volumes, String problem) {
        private boolean isMounted() {
            return problem.isEmpty();
        }

        private static Optional<Attempt> of(World world, String id, ObjectKey claim) {
            Optional<DockerMount> mount = mountOf(world, id);
            if (mount.isEmpty()
                    || (mount.get().pod().isBeingDeleted() && mount.get().count() == 0)) {
                return Optional.of(new Attempt(List.of(), "its Pod was deleted"));
            }
            if (!mount.get().claim().equals(claim)) {
                return Optional.of(new Attempt(
                        List.of(),
                        "its mount ID belongs to claim "
                                + DriverContext.named(mount.get().claim())));
            }
            VolumeReadiness readiness = VolumeReadiness.of(world, mount.get().pod());
            return readiness.missing().isEmpty() && !readiness.mounted().isEmpty()
                    ? Optional.of(new Attempt(readiness.mounted(), ""))
                    : Optional.empty();
        }
    }

    /** Returns why a volume is not mounted yet. */
    private static String obstacle(World world, String id, ObjectKey claimKey) {
        Optional<Pod> pod = mountOf(world, id).map(DockerMount::pod);
        if (pod.isPresent() && !pod.get().isScheduled()) {
            for (JsonNode each : pod.get().status().path("conditions")) {
                if (each.path("type").asText("").equals("PodScheduled")) {
                    return each.path("message").asText("");
                }
            }
        }
        return pod.flatMap(each -> VolumeReadiness.of(world, each).missing().values().stream()
                        .filter(why -> !why.isEmpty())
                        .findFirst())
                .or(() -> world.get(claimKey).map(Claim::of).flatMap(claim -> DriverContext.reason(world, claim)))
                .orElse("the volume manager has not mounted it yet");
    }

    private void createPod(String volume, String id, Claim claim) throws DriverException, InterruptedException {
        Optional<VolumeUser> container = starting(volume);
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata");
        String shortId = Integer.toHexString(id.hashCode());
        String readable = container
                .map(VolumeUser::name)
                .orElse(volume)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-+|-+$", "");
        String cut = readable.length() > 40 ? readable.substring(0, 40).replaceAll("-+$", "") : readable;
        metadata.put("name", String.join("-", List.of("docker", cut.isEmpty() ? "c" : cut, shortId)))
                .put("namespace", claim.namespace());
        metadata.putArray("finalizers").add(DockerMount.FINALIZER);
        ObjectNode annotations = metadata.putObject("annotations");
        annotations.put(DockerMount.MOUNT_ID, id).put(DockerMount.COUNT, "0");
        container.ifPresent(
                each -> annotations.put(DockerMount.CONTAINER, each.name()).put(DockerMount.CONTAINER_ID, each.id()));
        ObjectNode spec = pod.putObject("spec");
        spec.put("terminationGracePeriodSeconds", 1).put("automountServiceAccountToken", false);
        spec.putArray("tolerations").addObject().put("operator", "Exists");
        spec.putObject("affinity")
                .putObject("nodeAffinity")
                .putObject("requiredDuringSchedulingIgnoredDuringExecution")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchFields")
                .addObject()
                .put("key", "metadata.name")
                .put("operator", "In")
                .putArray("values")
                .add(context.node());
        ObjectNode part = spec.putArray("containers").addObject();
        part.put("name", DockerMount.PART)
                .put(
                        "image",
                        container
                                .map(VolumeUser::image)
                                .filter(each -> !each.isEmpty())
                                .orElse("docker"))
                .putArray("volumeMounts")
                .addObject()
                .put("name", DockerMount.PART)
                .put("mountPath", "/" + DockerMount.PART);
        spec.putArray("volumes")
                .addObject()
                .put("name", DockerMount.PART)
                .putObject("persistentVolumeClaim")
                .put("claimName", claim.name());
        ResourceRef collection = new ResourceRef(
                context.catalog().ofResource("pods").orElseThrow(),
                Optional.of(claim.namespace()),
                Optional.empty(),
                "");
        DriverContext.write(() -> context.writer()
                .create(
                        collection,
                        new KindDecoder.DecodedBody(pod, List.of()),
                        context.writeOptions(),
                        Runnable::run));
    }

    /** Returns the container that Docker mounts the volume for, if only one can be it. */
    private Optional<VolumeUser> starting(String volume) throws InterruptedException {
        try {
            Set<String> known = new HashSet<>();
            for (Claim claim :
                    VolumeDriver.find(context.newest(), volume).stream().toList()) {
                DriverContext.users(context.newest(), claim.key()).stream()
                        .flatMap(pod -> DockerMount.of(pod).stream())
                        .filter(mount -> !mount.isReleased())
                        .forEach(mount -> known.add(mount.containerId()));
            }
            List<VolumeUser> starting = context.engine().of(volume).stream()
                    .filter(each -> !each.state().equals("running") && !known.contains(each.id()))
                    .toList();
            return starting.size() == 1 ? Optional.of(starting.get(0)) : Optional.empty();
        } catch (EngineException e) {
            LOG.atDebug().setCause(e).addKeyValue("volume", volume).log("Failed to find the container of a mount");
            return Optional.empty();
        }
    }

    /** Returns whether the container of a mount runs, so that it holds an earlier mount; true if unknown. */
    private boolean isContainerRunning(String volume, String id) throws InterruptedException {
        Optional<DockerMount> mount = mountOf(context.newest(), id).filter(each -> each.count() > 0);
        if (mount.isEmpty()) {
            return false;
        }
        try {
            return context.engine().of(volume).stream()
                    .filter(each -> mount.get().mayBe(each.id()))
                    .anyMatch(each ->
                            each.state().equals("running") || each.state().equals("paused"));
        } catch (EngineException e) {
            // An engine that mounts volumes but does not serve is starting, so its containers do not run yet.
            LOG.debug("Failed to list the containers of volume {}: {}", volume, e.getMessage());
            return e.kind() != EngineException.Kind.UNREACHABLE;
        }
    }

    void unmount(String id) throws DriverException, InterruptedException {
        Optional<DockerMount> mount = mountOf(context.newest(), id);
        if (mount.isEmpty()) {
            return;
        }
        if (mount.get().count() > 1) {
            context.update(
                    mount.get().pod().key(),
                    pod -> DockerMount.of(pod)
                            .map(each -> Proposal.by(VolumeDriver.ACTOR, "DockerVolumeUnmounted")
                                    .because(pod.cause())
                                    .replace(pod.stored(), each.unmounted())
                                    .build()),
                    Pod::of);
            return;
        }
        release(id);
        ObjectKey key = mount.get().pod().key();
        // The volume manager continues if a server does not respond; Docker need not wait for it.
        context.world()
                .await(
                        VolumeDriver.END_WAIT,
                        world -> world.get(key)
                                        .map(Pod::of)
                                        .flatMap(DockerMount::of)
                                        .filter(each -> each.id().equals(id))
                                        .isEmpty()
                                ? Optional.of(true)
                                : Optional.empty());
    }

    /** Ends a mount: its Pod finishes and terminates, so that the volume manager unmounts the volume. */
    private void release(String id) throws DriverException, InterruptedException {
        Optional<DockerMount> mount = mountOf(context.newest(), id);
        if (mount.isEmpty()) {
            return;
        }
        context.update(
                mount.get().pod().key(),
                pod -> DockerMount.of(pod).filter(each -> !each.isReleased()).map(each -> {
                    Proposal.Builder event = Proposal.by(VolumeDriver.ACTOR, "DockerVolumeUnmounted")
                            .because(pod.cause());
                    return pod.isScheduled()
                            ? event.replace(
                                            pod.stored(),
                                            each.released(context.clock().instant()))
                                    .build()
                            : event.remove(pod.stored()).build();
                }),
                Pod::of);
    }

    /**
     * Ends mounts whose container was removed or has ended without an unmount: the engine was killed, or Mooring was
     * while it answered. Keeps a mount if its container, or any container that may be its container, has not ended; one
     * that has ended may be about to start again.
     */
    void releaseStale() throws InterruptedException {
        World world = context.newest();
        Instant now = context.clock().instant();
        for (StoredObject each : world.list(Scope.resource("pods"))) {
            Optional<DockerMount> found = each.containsText(DockerMount.MOUNT_ID)
                    ? DockerMount.of(Pod.of(each))
                            .filter(mount -> mount.pod().nodeName().equals(context.node()) && !mount.isReleased())
                    : Optional.empty();
            if (found.isPresent() && isStale(world, found.get(), now)) {
                LOG.atInfo()
                        .addKeyValue("pod", each.key())
                        .addKeyValue("container", found.get().container())
                        .log("Released the volume of a container that has ended");
                try {
                    release(found.get().id());
                } catch (DriverException e) {
                    LOG.atWarn().addKeyValue("pod", each.key()).log("Failed to release volume: {}", e.getMessage());
                }
            }
        }
    }

    private boolean isStale(World world, DockerMount mount, Instant now) throws InterruptedException {
        if (mountsInProgress.contains(mount.id())) {
            return false;
        }
        Instant last = mount.count() == 0 ? mount.pod().created() : mount.since();
        boolean mayStart = last.plus(START_TIME).isAfter(now);
        List<String> volumes =
                world.get(mount.claim()).map(DockerMount::volumes).orElse(List.of());
        try {
            for (String volume : volumes) {
                for (VolumeUser user : context.engine().of(volume)) {
                    if (mount.mayBe(user.id()) && (mayStart || !user.hasEnded())) {
                        return false;
                    }
                }
            }
            return !volumes.isEmpty();
        } catch (EngineException e) {
            LOG.debug("Failed to list the containers of a volume: {}", e.getMessage());
            return false;
        }
    }
}
