package dev.mooring.node.monitor;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Effect;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Requests a probe of each mounted remote volume of a node every 30 seconds; less often with very many volumes, since each
 * probe costs a child process. Proposes nothing: the {@link MountProber} records the results. Keys are ActualVolumes.
 */
public final class MountHealthController implements Controller {
    static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration STAGGER = Duration.ofMillis(200);

    /** A volume that never exists: volumes may have been removed since an earlier watch. */
    private static final ObjectKey REMOVED_BEFORE = ObjectKey.clusterWide(StorageNames.ACTUAL_VOLUMES, "*");

    private final String node;
    private boolean started;
    private long volumesSeen;

    /** Probes all mounts of a volume. */
    public record ProbeMounts(ActualVolume volume) implements Effect {}

    /** Drops what is known of volumes that do not exist any more. */
    public record ForgetRemovedVolumes() implements Effect {}

    public MountHealthController(String node) {
        this.node = node;
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String metricName() {
        return "volume-health";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(StorageNames.ACTUAL_VOLUMES));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (!started) {
            queue.enqueue(REMOVED_BEFORE);
            started = true;
        }
        // Skips volumes of other types without parsing them.
        if (!RemoteVolumes.mayBeRemote(change.object())) {
            return;
        }
        ActualVolume volume = ActualVolume.of(change.object());
        if (!volume.node().equals(node)) {
            return;
        }
        if (change.isRemoval()) {
            queue.enqueue(change.key());
        } else if (before.isEmpty()) {
            queue.enqueueWithin(
                    change.key(), Duration.ofMillis(STAGGER.toMillis() * volumesSeen++ % INTERVAL.toMillis()));
        } else if (!mounted(volume).equals(mounted(ActualVolume.of(before.get())))) {
            queue.enqueueWithin(change.key(), Duration.ofSeconds(1));
        }
    }

    private static Set<String> mounted(ActualVolume volume) {
        return volume.mounts().stream()
                .filter(Mount::isMounted)
                .map(each -> each.pod().uid())
                .collect(Collectors.toSet());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<ActualVolume> volume = world.get(key).map(ActualVolume::of);
        if (volume.isEmpty()) {
            return Decision.none().withEffects(new ForgetRemovedVolumes());
        }
        boolean isProbed = volume.get().node().equals(node)
                && !RemoteVolumes.server(volume.get()).isEmpty()
                && !mounted(volume.get()).isEmpty();
        return isProbed
                ? Decision.none()
                        .withEffects(new ProbeMounts(volume.get()))
                        .requeueAfter(new RemoteVolumes(node, world).interval(INTERVAL, STAGGER))
                : Decision.none();
    }
}
