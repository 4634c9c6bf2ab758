package dev.mooring.node.health;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
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
 * Has the NFS volumes that are mounted on a node looked at, each every half minute; with very many of them more seldom, since each look
 * costs a child process. Decides nothing: the {@link Prober} writes down what it finds. Keys are ActualVolumes.
 */
public final class HealthWatch implements Controller {
    static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration APART = Duration.ofMillis(200);

    private final String node;
    private final Prober prober;
    private final ServerVolumes volumes;

    /** Those that an earlier watch knew, which may be gone. */
    private List<ObjectKey> inherited;

    private long told;

    public HealthWatch(String node, Prober prober, ServerVolumes volumes) {
        this.node = node;
        this.prober = prober;
        this.volumes = volumes;
        this.inherited = volumes.all();
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String part() {
        return "volume-health";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(StorageNames.ACTUAL_VOLUMES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        inherited.stream().filter(each -> world.get(each).isEmpty()).forEach(this::forget);
        inherited = List.of();
        // Nearly all volumes of a node that uses no NFS are passed over without being read.
        if (!StoredJson.mentions(change.object(), "\"nfs\"")) {
            return;
        }
        ActualVolume volume = ActualVolume.of(change.object());
        if (change.isRemoval() || !volume.node().equals(node)) {
            forget(change.key());
            return;
        }
        volumes.set(change.key(), Prober.server(volume));
        if (before.isEmpty()) {
            wakes.within(change.key(), Duration.ofMillis(APART.toMillis() * told++ % INTERVAL.toMillis()));
        } else if (!mounted(volume).equals(mounted(ActualVolume.of(before.get())))) {
            wakes.within(change.key(), Duration.ofSeconds(1));
        }
    }

    private void forget(ObjectKey volume) {
        volumes.set(volume, "");
        prober.forget(volume);
    }

    private static Set<String> mounted(ActualVolume volume) {
        return volume.mounts().stream()
                .filter(Mount::isMounted)
                .map(each -> each.pod().uid())
                .collect(Collectors.toSet());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<ActualVolume> volume = world.get(key)
                .map(ActualVolume::of)
                .filter(each -> each.node().equals(node)
                        && !Prober.server(each).isEmpty()
                        && !mounted(each).isEmpty());
        if (volume.isEmpty()) {
            return Decision.nothing();
        }
        prober.request(volume.get());
        Duration round = APART.multipliedBy(volumes.volumes());
        return Decision.nothing().lookAgainAfter(round.compareTo(INTERVAL) > 0 ? round : INTERVAL);
    }
}
