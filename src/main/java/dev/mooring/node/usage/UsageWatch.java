package dev.mooring.node.usage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.usage.Subject.Kind;
import dev.mooring.node.usage.Usage.Condition;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Has the volumes measured that are mounted here for claims, each once a minute: soon after it was mounted, and after a start spread over
 * the first minute. Also counts volumes. Decides nothing; what is found goes into the {@link UsageBook}.
 *
 * <p>Keys are claims: however many Pods share one, its volume is measured once.
 */
public final class UsageWatch implements Controller {
    static final Duration INTERVAL = Duration.ofMinutes(1);

    /** 10,000 volumes fill the first minute. */
    private static final Duration APART = Duration.ofMillis(6);

    /** Each export costs a child process, so with very many each has its turn more seldom. */
    private static final Duration EXPORTS_APART = Duration.ofMillis(200);

    private final String node;
    private final UsageRounds rounds;
    private final VolumeCounts counts;
    private final ClaimIndex index = new ClaimIndex();
    private final Set<ObjectKey> exports = new HashSet<>();

    /** Claims that an earlier watch left in the book, which may be gone. */
    private final List<ObjectKey> inherited;

    private long told;

    /** @param metrics gets the counts */
    public UsageWatch(String node, UsageRounds rounds, VolumeMetrics metrics) {
        this.node = node;
        this.rounds = rounds;
        this.counts = metrics.newCounts();
        this.inherited = new ArrayList<>(rounds.book().claims());
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String part() {
        return "volume-usage";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(StorageNames.ACTUAL_VOLUMES), Scope.resource(StorageNames.DESIRED_VOLUMES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        inherited.forEach(wakes::now);
        inherited.clear();
        if (!StoredJson.mentions(change.object(), node)) {
            return;
        }
        if (change.key().resource().equals(StorageNames.DESIRED_VOLUMES)) {
            DesiredVolume desired = DesiredVolume.of(change.object());
            boolean counts = !change.isRemoval()
                    && desired.node().equals(node)
                    && !desired.plugin().isEmpty();
            this.counts.set(change.key(), desired.plugin(), counts ? 1 : 0);
        } else {
            followActual(change, before.isPresent(), wakes);
        }
    }

    private void followActual(Change change, boolean known, Wakes wakes) {
        ActualVolume volume = ActualVolume.of(change.object());
        boolean here = !change.isRemoval() && volume.node().equals(node);
        int mounted =
                here ? (int) volume.mounts().stream().filter(Mount::isMounted).count() : 0;
        counts.set(change.key(), volume.plugin(), mounted);
        Optional<ObjectKey> claim = here ? claim(volume) : Optional.empty();
        index.set(change.key(), claim).ifPresent(wakes::now);
        if (known) {
            claim.ifPresent(wakes::now);
        } else {
            Duration turn = Duration.ofMillis(APART.toMillis() * told++ % INTERVAL.toMillis());
            claim.ifPresent(key -> wakes.within(key, turn));
        }
    }

    private static Optional<ObjectKey> claim(ActualVolume volume) {
        JsonNode claim = volume.spec().path("claim");
        String namespace = claim.path("namespace").asText("");
        String name = claim.path("name").asText("");
        return namespace.isEmpty() || name.isEmpty() ? Optional.empty() : Optional.of(Claim.key(namespace, name));
    }

    /** A volume of a claim, and where it is mounted. */
    private record Place(ActualVolume volume, Mount mount) {
        boolean isWell() {
            return !mount.json().path("health").isObject();
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        List<Place> places = places(world, key);
        Optional<Claim> claim =
                places.isEmpty() ? Optional.empty() : world.get(key).map(Claim::of);
        if (claim.isEmpty()) {
            exports.remove(key);
            rounds.book().forget(key);
            return Decision.nothing();
        }
        boolean allWell = places.stream().allMatch(Place::isWell);
        Optional<Place> best = places.stream().filter(Place::isWell).findFirst();
        Subject subject = subject(claim.get(), best.orElse(places.get(0)));
        rounds.book().keep(subject, allWell ? Condition.NORMAL : Condition.ABNORMAL);
        if (best.isPresent()) {
            rounds.request(subject);
        } else {
            rounds.failed(key);
        }
        return Decision.nothing().lookAgainAfter(interval(subject));
    }

    private List<Place> places(World world, ObjectKey claim) {
        List<Place> places = new ArrayList<>();
        for (ObjectKey each : index.volumesOf(claim)) {
            world.get(each)
                    .map(ActualVolume::of)
                    .filter(volume ->
                            volume.node().equals(node) && claim(volume).equals(Optional.of(claim)))
                    .ifPresent(volume -> volume.mounts().stream()
                            .filter(mount -> mount.isMounted() && mount.path().startsWith("/"))
                            .forEach(mount -> places.add(new Place(volume, mount))));
        }
        return places;
    }

    private static Subject subject(Claim claim, Place place) {
        ActualVolume volume = place.volume();
        String server = volume.source().path("nfs").path("server").asText("");
        Kind kind = volume.mode() == VolumeMode.BLOCK ? Kind.DEVICE : server.isEmpty() ? Kind.FILES : Kind.EXPORT;
        Optional<Quantity> size = kind == Kind.DEVICE ? volume.capacity().or(claim::capacity) : claim.capacity();
        return new Subject(
                claim.key(),
                volume.persistentVolume(),
                Path.of(place.mount().path()),
                kind,
                server,
                size.orElse(Quantity.ZERO).value());
    }

    private Duration interval(Subject subject) {
        if (subject.kind() != Kind.EXPORT) {
            exports.remove(subject.claim());
            return INTERVAL;
        }
        exports.add(subject.claim());
        Duration round = EXPORTS_APART.multipliedBy(exports.size());
        return round.compareTo(INTERVAL) > 0 ? round : INTERVAL;
    }
}
