package dev.mooring.volumedriver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.resource.DeleteOptions;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.pods.VolumeReadiness;
import dev.mooring.world.Index;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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

    /** Time that Docker waits for an unmount or a removal; both continue afterwards. */
    static final Duration END_WAIT = Duration.ofSeconds(10);

    static final int MAX_NAME = 255;

    private static final Index<String> CLAIMS_BY_DOCKER_VOLUME =
            Index.of("claims by Docker volume", Scope.resource(StorageNames.CLAIMS), DockerMount::volumes);

    private final DriverContext context;
    private final DockerVolumeMounts mounts;

    public VolumeDriver(DriverContext context) {
        this.context = context;
        this.mounts = new DockerVolumeMounts(context);
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
                response.put("Mountpoint", mounts.mount(name, request.path("ID").asText("")));
            case "VolumeDriver.Unmount" -> mounts.unmount(request.path("ID").asText(""));
            case "VolumeDriver.Path" ->
                response.put("Mountpoint", path(context.newest(), require(context.newest(), name)));
            case "VolumeDriver.Get" ->
                response.set("Volume", describe(context.newest(), name, require(context.newest(), name)));
            case "VolumeDriver.List" -> {
                World world = context.newest();
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

    private static Map<String, Claim> all(World world) {
        Map<String, Claim> volumes = new TreeMap<>();
        for (StoredObject each : world.list(Scope.resource(StorageNames.CLAIMS))) {
            DockerMount.volumes(each).forEach(name -> volumes.put(name, Claim.of(each)));
        }
        return volumes;
    }

    static Optional<Claim> find(World world, String volume) {
        return world.find(CLAIMS_BY_DOCKER_VOLUME, volume).stream().findFirst().map(Claim::of);
    }

    static Claim require(World world, String volume) throws DriverException {
        // Docker recognizes these words.
        return find(world, volume).orElseThrow(() -> new DriverException("no such volume: " + volume));
    }

    private void create(String volume, JsonNode given) throws DriverException, InterruptedException {
        if (volume.isEmpty() || volume.length() > MAX_NAME || volume.contains(",")) {
            throw new DriverException("\"" + volume + "\" is not a valid name of a volume");
        }
        ClaimOptions options = ClaimOptions.of(volume, given);
        String namespace = context.options().namespace();
        Optional<Claim> existing = find(context.newest(), volume);
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
            throw new DriverException("claim " + DriverContext.named(key) + " is being deleted: "
                    + DriverContext.usersText(context.newest(), key)
                    + "; create the volume again when the claim is gone");
        }
        Optional<Claim> present = context.newest().get(key).map(Claim::of);
        if (present.isPresent()) {
            options.requireSame(present.get(), namespace);
            context.update(key, claim -> Optional.of(withVolumes(claim, "DockerVolumeAdopted", with(claim, volume))));
            return;
        }
        requireClass(options);
        ObjectNode claim = options.claim(key, context.options().size());
        ResourceRef collection = new ResourceRef(
                context.catalog().ofResource(StorageNames.CLAIMS).orElseThrow(), key.namespace(), Optional.empty(), "");
        DriverContext.write(() -> context.writer()
                .create(
                        collection,
                        new KindDecoder.DecodedBody(claim, List.of()),
                        context.writeOptions(),
                        Runnable::run));
    }

    private void requireClass(ClaimOptions options) throws DriverException {
        List<StorageClass> classes = new ArrayList<>();
        context.newest().list(Scope.resource(StorageNames.CLASSES)).forEach(each -> classes.add(StorageClass.of(each)));
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
        Claim claim = require(context.newest(), volume);
        ObjectKey key = claim.key();
        List<String> others = with(claim, volume);
        others.remove(volume);
        if (!others.isEmpty() || !ClaimOptions.isManaged(claim)) {
            context.update(key, each -> {
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
            throw new DriverException("volume \"" + volume + "\" is in use: claim " + DriverContext.named(key)
                    + " is used by " + DriverContext.usersText(context.newest(), key) + "; stop it first");
        }
        ResourceRef target = new ResourceRef(
                context.catalog().ofResource(StorageNames.CLAIMS).orElseThrow(),
                key.namespace(),
                Optional.of(key.name()),
                "");
        DriverContext.write(
                () -> context.writer().delete(target, DeleteOptions.DEFAULT, context.writeOptions(), Runnable::run));
        // Protection keeps the claim while a node unmounts it; Docker need not wait for a dead server.
        context.world().await(END_WAIT, world -> world.get(key).isEmpty() ? Optional.of(true) : Optional.empty());
    }

    private boolean isInUse(ObjectKey claim) {
        return DriverContext.users(context.newest(), claim).stream()
                .anyMatch(pod -> !pod.isBeingDeleted() && !pod.isFinished());
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
        String users = DriverContext.usersText(world, claim.key());
        if (!users.isEmpty()) {
            status.put("usedBy", users);
        }
        if (claim.phase().equals("Pending")) {
            DriverContext.reason(world, claim).ifPresent(why -> status.put("reason", why));
        }
        return volume;
    }

    /** Returns where a claim is mounted for a container; "" if it is not. */
    private static String path(World world, Claim claim) {
        return DriverContext.users(world, claim.key()).stream()
                .filter(pod ->
                        DockerMount.of(pod).filter(each -> !each.isReleased()).isPresent())
                .flatMap(pod -> VolumeReadiness.of(world, pod).mounted().stream())
                .map(volume -> volume.path().toString())
                .findFirst()
                .orElse("");
    }

    /** Ends mounts of containers that have ended without an unmount. */
    void releaseStale() throws InterruptedException {
        mounts.releaseStale();
    }
}
