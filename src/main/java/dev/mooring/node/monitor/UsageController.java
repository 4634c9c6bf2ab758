package dev.mooring.node.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Effect;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.monitor.UsageTarget.Kind;
import dev.mooring.node.monitor.VolumeUsage.VolumeCondition;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import dev.mooring.world.World;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Requests a measurement of each volume mounted for a claim once per minute: soon after the mount, and spread over the
 * first minute after a start. Also measures directories of claims while they are not mounted, less often, and counts
 * volumes. Proposes nothing; results go into a {@link UsageCache}.
 *
 * <p>Keys are claims: a volume shared by several Pods is measured once.
 */
public final class UsageController implements Controller {
    static final Duration INTERVAL = Duration.ofMinutes(1);

    /** How long the size of a directory is fresh. */
    static final Duration FILES_FRESH = Duration.ofMinutes(10);

    /** Half of the time for which a directory size is fresh, so that no size becomes older than 1.5 times that. */
    private static final Duration UNMOUNTED_INTERVAL = FILES_FRESH.dividedBy(2);

    /** Spreads 10,000 volumes over the first minute. */
    private static final Duration STAGGER = Duration.ofMillis(6);

    /** Each export costs a child process, so very many exports are measured less often. */
    private static final Duration EXPORT_STAGGER = Duration.ofMillis(200);

    /** ActualVolumes by their node and their claim. */
    private static final Index<NodeValue<ObjectKey>> ACTUAL_VOLUMES_BY_CLAIM =
            Index.of("ActualVolumes by claim", Scope.resource(StorageNames.ACTUAL_VOLUMES), UsageController::claims);

    private final String node;
    private final VolumeMetrics metrics;
    private VolumeCounts counts;

    /** Claims cached by an earlier watch, which may be gone. */
    private final List<ObjectKey> previousClaims;

    private long volumesSeen;
    private long claimsSeen;

    /** What happens to the known usage of a claim. */
    sealed interface UsageEffect extends Effect {}

    /** Measures a volume. */
    record Measure(UsageTarget target, VolumeCondition condition) implements UsageEffect {}

    /** Marks a mounted volume as currently not measurable. */
    record MarkUnmeasurable(UsageTarget target) implements UsageEffect {}

    /** Marks a volume as not mounted and keeps its last values. */
    record MarkUnmounted(ObjectKey claim, String volume) implements UsageEffect {}

    /** Drops the usage of a claim without a volume. */
    record ForgetUsage(ObjectKey claim) implements UsageEffect {}

    /**
     * Creates the controller.
     *
     * @param metrics receives the counts
     */
    public UsageController(String node, UsageCache cache, VolumeMetrics metrics) {
        this.node = node;
        this.metrics = metrics;
        this.previousClaims = new ArrayList<>(cache.claims());
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String metricName() {
        return "volume-usage";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(StorageNames.ACTUAL_VOLUMES),
                Scope.resource(StorageNames.DESIRED_VOLUMES),
                Scope.resource(StorageNames.CLAIMS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (counts == null) {
            counts = metrics.newCounts();
            previousClaims.forEach(queue::enqueue);
        }
        if (change.key().resource().equals(StorageNames.CLAIMS)) {
            if (change.isRemoval() || before.isPresent()) {
                queue.enqueue(change.key());
            } else {
                queue.enqueueWithin(change.key(), turn(claimsSeen++));
            }
            return;
        }
        if (!change.object().containsText(node)) {
            return;
        }
        if (change.key().resource().equals(StorageNames.DESIRED_VOLUMES)) {
            DesiredVolume desired = DesiredVolume.of(change.object());
            boolean counts = !change.isRemoval()
                    && desired.node().equals(node)
                    && !desired.plugin().isEmpty();
            this.counts.set(change.key(), desired.plugin(), counts ? 1 : 0);
        } else {
            onActualVolumeChange(change, before, queue);
        }
    }

    private void onActualVolumeChange(Change change, Optional<StoredObject> before, Enqueuer queue) {
        ActualVolume volume = ActualVolume.of(change.object());
        boolean onThisNode = !change.isRemoval() && volume.node().equals(node);
        int mounted = onThisNode
                ? (int) volume.mounts().stream().filter(Mount::isMounted).count()
                : 0;
        counts.set(change.key(), volume.plugin(), mounted);
        Optional<Duration> delay = before.isPresent() ? Optional.empty() : Optional.of(turn(volumesSeen++));
        ACTUAL_VOLUMES_BY_CLAIM.affectedBy(change, before).stream()
                .filter(each -> each.node().equals(node))
                .map(NodeValue::value)
                .forEach(claim ->
                        delay.ifPresentOrElse(each -> queue.enqueueWithin(claim, each), () -> queue.enqueue(claim)));
    }

    private static Duration turn(long before) {
        return Duration.ofMillis(STAGGER.toMillis() * before % INTERVAL.toMillis());
    }

    private static List<NodeValue<ObjectKey>> claims(StoredObject object) {
        ActualVolume volume = ActualVolume.of(object);
        JsonNode claim = volume.spec().path("claim");
        return Claim.keyIfValid(
                        claim.path("namespace").asText(""), claim.path("name").asText(""))
                .map(key -> new NodeValue<>(volume.node(), key))
                .stream()
                .toList();
    }

    /** A volume of a claim and its mount. */
    private record MountedVolume(ActualVolume volume, Mount mount) {
        boolean isHealthy() {
            return !mount.json().path("health").isObject();
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        List<MountedVolume> places = mountedVolumes(world, key);
        Optional<Claim> claim = world.get(key).map(Claim::of);
        if (claim.isEmpty() || places.isEmpty()) {
            return unmounted(world, key, claim);
        }
        boolean allWell = places.stream().allMatch(MountedVolume::isHealthy);
        Optional<MountedVolume> best =
                places.stream().filter(MountedVolume::isHealthy).findFirst();
        UsageTarget subject = target(claim.get(), best.orElse(places.get(0)));
        UsageEffect effect = best.isPresent()
                ? new Measure(subject, allWell ? VolumeCondition.NORMAL : VolumeCondition.ABNORMAL)
                : new MarkUnmeasurable(subject);
        return Decision.none()
                .withEffects(effect)
                .requeueAfter(
                        subject.kind() == Kind.EXPORT
                                ? new RemoteVolumes(node, world).interval(INTERVAL, EXPORT_STAGGER)
                                : INTERVAL);
    }

    /** Measures a directory in place; other volumes keep their last values. */
    private Decision unmounted(World world, ObjectKey key, Optional<Claim> claim) {
        Optional<Volume> volume = claim.filter(each -> each.phase().equals("Bound"))
                .filter(each -> !each.volumeName().isEmpty())
                .flatMap(each -> world.get(Volume.key(each.volumeName())))
                .map(Volume::of);
        if (volume.isEmpty()) {
            return Decision.none().withEffects(new ForgetUsage(key));
        }
        Optional<Path> directory = directory(world, volume.get());
        if (directory.isEmpty()) {
            return Decision.none()
                    .withEffects(new MarkUnmounted(key, volume.get().name()));
        }
        long requested = claim.get().capacity().orElse(Quantity.ZERO).value();
        UsageTarget subject = new UsageTarget(key, volume.get().name(), directory.get(), Kind.DIRECTORY, "", requested);
        return Decision.none()
                .withEffects(new Measure(subject, VolumeCondition.UNMOUNTED))
                .requeueAfter(UNMOUNTED_INTERVAL);
    }

    /** Returns the directory of a volume that is one on this node. */
    private Optional<Path> directory(World world, Volume volume) {
        boolean onThisNode = volume.nodeAffinity().isAny()
                || world.get(Node.key(node))
                        .map(Node::of)
                        .filter(volume.nodeAffinity()::matches)
                        .isPresent();
        if (!onThisNode || volume.mode() == VolumeMode.BLOCK) {
            return Optional.empty();
        }
        String path = SourceTypes.directory(volume.spec());
        try {
            return Optional.of(Path.of(path)).filter(Path::isAbsolute).map(Path::normalize);
        } catch (InvalidPathException e) {
            return Optional.empty(); // not encodable in this process's character set
        }
    }

    private List<MountedVolume> mountedVolumes(World world, ObjectKey claim) {
        List<MountedVolume> places = new ArrayList<>();
        for (StoredObject each : world.find(ACTUAL_VOLUMES_BY_CLAIM, new NodeValue<>(node, claim))) {
            ActualVolume volume = ActualVolume.of(each);
            volume.mounts().stream()
                    .filter(mount -> mount.isMounted() && mount.path().startsWith("/"))
                    .forEach(mount -> places.add(new MountedVolume(volume, mount)));
        }
        return places;
    }

    private static UsageTarget target(Claim claim, MountedVolume place) {
        ActualVolume volume = place.volume();
        String server = SourceTypes.server(volume.source());
        Kind kind = volume.mode() == VolumeMode.BLOCK ? Kind.DEVICE : server.isEmpty() ? Kind.FILES : Kind.EXPORT;
        Optional<Quantity> size = kind == Kind.DEVICE ? volume.capacity().or(claim::capacity) : claim.capacity();
        return new UsageTarget(
                claim.key(),
                volume.persistentVolume(),
                Path.of(place.mount().path()),
                kind,
                server,
                size.orElse(Quantity.ZERO).value());
    }
}
