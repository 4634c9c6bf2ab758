package dev.mooring.volumedriver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.DeleteOptions;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.resource.WriteResponse;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.container.PodVolume;
import dev.mooring.node.pods.VolumeReadiness;
import dev.mooring.runtime.ContainerRuntime.VolumeUser;
import dev.mooring.runtime.EngineException;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of Docker's volume driver protocol. A Docker volume is a claim; a mount of it is a mirror Pod ({@link
 * DockerMount}), so that the scheduler, the volume manager and the protection of claims handle containers of Docker
 * like Pods.
 *
 * <p>All state is in the log. A request that is repeated after a crash of Mooring continues where the first one ended.
 * Thread-safe; requests block, with a deadline.
 */
public final class VolumeDriver {
    /** Actor of the driver's events, and its user in the API. */
    public static final String ACTOR = "docker-plugin";

    private static final Logger LOG = LoggerFactory.getLogger(VolumeDriver.class);

    /** Time that Docker waits for an unmount or a removal; both continue afterwards. */
    private static final Duration END_WAIT = Duration.ofSeconds(10);

    /** A container that was mounted more recently may not have started yet. */
    private static final Duration START_TIME = Duration.ofMinutes(2);

    private static final int MAX_NAME = 255;

    private static final Index<String> CLAIMS_BY_DOCKER_VOLUME =
            Index.of("claims by Docker volume", Scope.resource(StorageNames.CLAIMS), DockerMount::volumes);

    private static final Index<String> PODS_BY_DOCKER_MOUNT =
            Index.of("Pods by Docker mount", Scope.resource("pods"), DockerMount::ids);

    private final DriverContext context;
    private final Set<String> mountsInProgress = ConcurrentHashMap.newKeySet();

    /**
     * Dependencies of the driver.
     *
     * @param node name of this node
     * @param options defaults of the options
     * @param check fails if a volume is not mounted
     * @param engine queries the containers of a Docker volume
     * @param usage describes the used space of a claim, if it was measured
     */
    public record DriverContext(
            String node,
            DriverOptions options,
            WorldWaiter world,
            ResourceWriter writer,
            Catalog catalog,
            User user,
            Clock clock,
            MountCheck check,
            VolumeUsers engine,
            Function<ObjectKey, Optional<String>> usage) {}

    /**
     * Settings of the driver.
     *
     * @param namespace of claims without the option
     * @param size of claims without the option
     * @param deadline of a mount
     */
    public record DriverOptions(String namespace, String size, Duration deadline) {}

    /** Verifies mounts. */
    @FunctionalInterface
    public interface MountCheck {
        void check(List<PodVolume> volumes) throws ConfigException;
    }

    /** Queries the engine. */
    @FunctionalInterface
    public interface VolumeUsers {
        List<VolumeUser> of(String volume) throws EngineException, InterruptedException;
    }

    public VolumeDriver(DriverContext context) {
        this.context = context;
    }

    /** Handles a request of the protocol and returns the response. */
    ObjectNode handle(String method, JsonNode request) throws DriverException, InterruptedException {
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        String name = request.path("Name").asText("");
        switch (method) {
            case "Plugin.Activate" -> response.putArray("Implements").add("VolumeDriver");
            case "VolumeDriver.Capabilities" ->
                response.putObject("Capabilities").put("Scope", "local");
            case "VolumeDriver.Create" -> create(name, request.path("Opts"));
            case "VolumeDriver.Remove" -> remove(name);
            case "VolumeDriver.Mount" ->
                response.put("Mountpoint", mount(name, request.path("ID").asText("")));
            case "VolumeDriver.Unmount" -> unmount(request.path("ID").asText(""));
            case "VolumeDriver.Path" -> response.put("Mountpoint", path(world(), require(name)));
            case "VolumeDriver.Get" -> response.set("Volume", describe(world(), name, require(name)));
            case "VolumeDriver.List" -> {
                World world = world();
                for (Map.Entry<String, Claim> each : all(world).entrySet()) {
                    response.withArray("Volumes")
                            .addObject()
                            .put("Name", each.getKey())
                            .put("Mountpoint", path(world, each.getValue()));
                }
            }
            default -> throw new DriverException("the volume driver of Mooring has no method " + method);
        }
        return response.put("Err", "");
    }

    private World world() {
        return context.world().ledger().world();
    }

    // ---- volumes -----------------------------------------------------------------------------------------------

    private static Map<String, Claim> all(World world) {
        Map<String, Claim> volumes = new TreeMap<>();
        for (StoredObject each : world.list(Scope.resource(StorageNames.CLAIMS))) {
            DockerMount.volumes(each).forEach(name -> volumes.put(name, Claim.of(each)));
        }
        return volumes;
    }

    private static Optional<Claim> find(World world, String volume) {
        return world.find(CLAIMS_BY_DOCKER_VOLUME, volume).stream().findFirst().map(Claim::of);
    }

    private Claim require(String volume) throws DriverException {
        // Docker recognizes these words.
        return find(world(), volume).orElseThrow(() -> new DriverException("no such volume: " + volume));
    }

    private void create(String volume, JsonNode given) throws DriverException, InterruptedException {
        if (volume.isEmpty() || volume.length() > MAX_NAME || volume.contains(",")) {
            throw new DriverException("\"" + volume + "\" is not a valid name of a volume");
        }
        ClaimOptions options = ClaimOptions.of(volume, given);
        String namespace = context.options().namespace();
        Optional<Claim> existing = find(world(), volume);
        if (existing.isPresent() && !existing.get().isBeingDeleted()) {
            options.requireSame(existing.get(), namespace);
            return;
        }
        ObjectKey key = options.key(namespace);
        Optional<Boolean> free = context.world()
                .await(
                        END_WAIT,
                        world -> world.get(key)
                                        .map(Claim::of)
                                        .filter(Claim::isBeingDeleted)
                                        .isPresent()
                                ? Optional.empty()
                                : Optional.of(true));
        if (free.isEmpty()) {
            throw new DriverException("claim " + named(key) + " is being deleted: " + usersText(world(), key)
                    + "; create the volume again when the claim is gone");
        }
        Optional<Claim> present = world().get(key).map(Claim::of);
        if (present.isPresent()) {
            options.requireSame(present.get(), namespace);
            update(key, claim -> Optional.of(withVolumes(claim, "DockerVolumeAdopted", with(claim, volume))));
            return;
        }
        requireClass(options);
        ObjectNode claim = options.claim(key, context.options().size());
        ResourceRef collection = new ResourceRef(
                context.catalog().ofResource(StorageNames.CLAIMS).orElseThrow(), key.namespace(), Optional.empty(), "");
        write(() -> context.writer()
                .create(collection, new KindDecoder.DecodedBody(claim, List.of()), writeOptions(), Runnable::run));
    }

    private void requireClass(ClaimOptions options) throws DriverException {
        List<StorageClass> classes = new ArrayList<>();
        world().list(Scope.resource(StorageNames.CLASSES)).forEach(each -> classes.add(StorageClass.of(each)));
        String names =
                String.join(", ", classes.stream().map(StorageClass::name).toList());
        Optional<String> wanted = options.className();
        if (wanted.isPresent()
                && !wanted.get().isEmpty()
                && classes.stream().noneMatch(each -> each.name().equals(wanted.get()))) {
            throw new DriverException("volume \"" + options.volume() + "\": StorageClass \"" + wanted.get()
                    + "\" not found; the classes are " + names);
        }
        if (wanted.isEmpty() && classes.stream().noneMatch(StorageClass::isDefault)) {
            throw new DriverException("volume \"" + options.volume()
                    + "\": there is no default StorageClass; set the option class to one of " + names);
        }
    }

    private static List<String> with(Claim claim, String volume) {
        List<String> names = new ArrayList<>(DockerMount.volumes(claim.stored()));
        names.remove(volume);
        names.add(volume);
        return names;
    }

    private static Proposal withVolumes(Claim claim, String type, List<String> volumes) {
        ObjectNode object = claim.copy();
        ObjectNode annotations = object.withObject("/metadata").withObject("/annotations");
        if (volumes.isEmpty()) {
            annotations.remove(DockerMount.VOLUMES);
        } else {
            annotations.put(DockerMount.VOLUMES, String.join(",", volumes));
        }
        return Proposal.by(ACTOR, type)
                .because(claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), object))
                .build();
    }

    private void remove(String volume) throws DriverException, InterruptedException {
        Claim claim = require(volume);
        ObjectKey key = claim.key();
        List<String> others = with(claim, volume);
        others.remove(volume);
        if (!others.isEmpty() || !ClaimOptions.isManaged(claim)) {
            update(key, each -> {
                List<String> left = with(each, volume);
                left.remove(volume);
                return Optional.of(withVolumes(each, "DockerVolumeRemoved", left));
            });
            return;
        }
        if (isInUse(key)) {
            releaseStale();
        }
        if (isInUse(key)) {
            throw new DriverException("volume \"" + volume + "\" is in use: claim " + named(key) + " is used by "
                    + usersText(world(), key) + "; stop it first");
        }
        ResourceRef target = new ResourceRef(
                context.catalog().ofResource(StorageNames.CLAIMS).orElseThrow(),
                key.namespace(),
                Optional.of(key.name()),
                "");
        write(() -> context.writer().delete(target, DeleteOptions.DEFAULT, writeOptions(), Runnable::run));
        // Protection keeps the claim while a node unmounts it; Docker need not wait for a dead server.
        context.world().await(END_WAIT, world -> world.get(key).isEmpty() ? Optional.of(true) : Optional.empty());
    }

    private boolean isInUse(ObjectKey claim) {
        return users(world(), claim).stream().anyMatch(pod -> !pod.isBeingDeleted() && !pod.isFinished());
    }

    private ObjectNode describe(World world, String name, Claim claim) {
        ObjectNode volume = JsonNodeFactory.instance.objectNode();
        volume.put("Name", name)
                .put("Mountpoint", path(world, claim))
                .put("CreatedAt", claim.metadata().path("creationTimestamp").asText(""));
        ObjectNode status = volume.putObject("Status");
        status.put("namespace", claim.namespace())
                .put("claim", claim.name())
                .put("phase", claim.isBeingDeleted() ? "Terminating" : claim.phase())
                .put("class", claim.className().orElse(""))
                .put("volume", claim.volumeName())
                .put("requested", claim.request().toString())
                .put("accessModes", claim.accessModes().toString());
        claim.capacity().ifPresent(capacity -> status.put("capacity", capacity.toString()));
        context.usage().apply(claim.key()).ifPresent(used -> status.put("used", used));
        claim.status()
                .path("conditions")
                .forEach(each -> status.withArray("conditions")
                        .add(each.path("type").asText("")
                                + '='
                                + each.path("status").asText("")
                                + ' '
                                + each.path("message").asText("")));
        String users = usersText(world, claim.key());
        if (!users.isEmpty()) {
            status.put("usedBy", users);
        }
        if (claim.phase().equals("Pending")) {
            reason(world, claim).ifPresent(why -> status.put("reason", why));
        }
        return volume;
    }

    /** Returns the newest Event of a claim. */
    private static Optional<String> reason(World world, Claim claim) {
        Optional<StoredObject> newest = Optional.empty();
        for (StoredObject event : world.list(Scope.namespace("events", claim.namespace()))) {
            boolean newer = newest.isEmpty() || event.revision() > newest.get().revision();
            if (newer && event.containsText(claim.uid())) {
                newest = Optional.of(event);
            }
        }
        return newest.map(event -> event.tree().path("reason").asText("") + ": "
                + event.tree().path("message").asText(""));
    }

    private static List<Pod> users(World world, ObjectKey claim) {
        return world.find(Indexes.PODS_BY_CLAIM, claim).stream().map(Pod::of).toList();
    }

    private static String usersText(World world, ObjectKey claim) {
        return String.join(
                ", ",
                users(world, claim).stream()
                        .map(pod -> DockerMount.of(pod).map(DockerMount::user).orElse("Pod " + pod.name()))
                        .distinct()
                        .toList());
    }

    /** Returns where a claim is mounted for a container; "" if it is not. */
    private static String path(World world, Claim claim) {
        return users(world, claim.key()).stream()
                .filter(pod ->
                        DockerMount.of(pod).filter(each -> !each.isReleased()).isPresent())
                .flatMap(pod -> VolumeReadiness.of(world, pod).mounted().stream())
                .map(volume -> volume.path().toString())
                .findFirst()
                .orElse("");
    }

    // ---- mounts ------------------------------------------------------------------------------------------------

    private static Optional<DockerMount> mountOf(World world, String id) {
        return world.find(PODS_BY_DOCKER_MOUNT, id).stream().findFirst().flatMap(each -> DockerMount.of(Pod.of(each)));
    }

    private String mount(String volume, String id) throws DriverException, InterruptedException {
        Claim claim = require(volume);
        if (claim.isBeingDeleted()) {
            throw new DriverException("volume \"" + volume + "\": claim " + named(claim.key())
                    + " is being deleted; create the volume again when the claim is gone");
        }
        if (id.isEmpty() || id.length() > MAX_NAME) {
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
        if (mountOf(world(), id).isEmpty()) {
            createPod(volume, id, claim);
        }
        Optional<Attempt> result = context.world().await(left(deadline), world -> Attempt.of(world, id, claim.key()));
        if (result.isEmpty() || !result.get().isMounted()) {
            String why = result.map(Attempt::problem).orElseGet(() -> obstacle(world(), id, claim.key()));
            release(id);
            throw new DriverException("volume \"" + volume + "\" (claim " + named(claim.key())
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
                    "volume \"" + volume + "\" (claim " + named(claim.key()) + "): " + e.getMessage());
        }
        // Docker repeats a mount ID in docker cp; and after a crash of the engine or of Mooring, which lost the
        // unmount.
        boolean repeated = isContainerRunning(volume, id);
        Optional<StoredObject> recorded = update(
                podKey(id, volume),
                pod -> DockerMount.of(pod)
                        .filter(mount -> !pod.isBeingDeleted() || mount.count() > 0)
                        .map(mount -> Proposal.by(ACTOR, "DockerVolumeMounted")
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
        return mountOf(world(), id)
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
                        "its mount ID belongs to claim " + named(mount.get().claim())));
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
                .or(() -> world.get(claimKey).map(Claim::of).flatMap(claim -> reason(world, claim)))
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
        write(() -> context.writer()
                .create(collection, new KindDecoder.DecodedBody(pod, List.of()), writeOptions(), Runnable::run));
    }

    /** Returns the container that Docker mounts the volume for, if only one can be it. */
    private Optional<VolumeUser> starting(String volume) throws InterruptedException {
        try {
            Set<String> known = new HashSet<>();
            for (Claim claim : find(world(), volume).stream().toList()) {
                users(world(), claim.key()).stream()
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
        Optional<DockerMount> mount = mountOf(world(), id).filter(each -> each.count() > 0);
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

    private void unmount(String id) throws DriverException, InterruptedException {
        Optional<DockerMount> mount = mountOf(world(), id);
        if (mount.isEmpty()) {
            return;
        }
        if (mount.get().count() > 1) {
            update(
                    mount.get().pod().key(),
                    pod -> DockerMount.of(pod)
                            .map(each -> Proposal.by(ACTOR, "DockerVolumeUnmounted")
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
                        END_WAIT,
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
        Optional<DockerMount> mount = mountOf(world(), id);
        if (mount.isEmpty()) {
            return;
        }
        update(
                mount.get().pod().key(),
                pod -> DockerMount.of(pod).filter(each -> !each.isReleased()).map(each -> {
                    Proposal.Builder event =
                            Proposal.by(ACTOR, "DockerVolumeUnmounted").because(pod.cause());
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
        World world = world();
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

    // ---- writes ------------------------------------------------------------------------------------------------

    private static String named(ObjectKey key) {
        return key.namespace().orElse("") + '/' + key.name();
    }

    private WriteOptions writeOptions() {
        return new WriteOptions(
                context.user(), ACTOR, ACTOR, WriteOptions.Mode.COMMIT, WriteOptions.FieldValidation.STRICT);
    }

    private static void write(Supplier<CompletionStage<WriteResponse>> request) throws DriverException {
        try {
            request.get().toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StatusException refused) {
                throw new DriverException(refused.status().message());
            }
            throw e;
        } catch (StatusException e) {
            throw new DriverException(e.status().message());
        }
    }

    private void update(ObjectKey key, Function<Claim, Optional<Proposal>> change) throws DriverException {
        update(key, change, Claim::of);
    }

    /** Commits a change of an object; again if another writer was faster. Returns empty if there is nothing to do. */
    private <V> Optional<StoredObject> update(
            ObjectKey key, Function<V, Optional<Proposal>> change, Function<StoredObject, V> view)
            throws DriverException {
        while (true) {
            Optional<Proposal> proposal = world().get(key).map(view).flatMap(change);
            if (proposal.isEmpty()) {
                return Optional.empty();
            }
            Outcome outcome = context.world()
                    .ledger()
                    .propose(proposal.get())
                    .toCompletableFuture()
                    .join();
            if (outcome instanceof Outcome.Committed committed) {
                return Optional.of(committed.event().changes().get(0).object());
            }
            if (outcome instanceof Outcome.Refused refused) {
                throw new DriverException(named(key) + ": " + refused.message());
            }
        }
    }
}
