package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The claims of a Pod, sorted by what has to be done for them. Immutable.
 *
 * @param bound those that have their volume
 * @param waiting those that wait for the Pod to get a node, the smallest request first
 * @param classes the classes of those that are not bound
 * @param refusal why the Pod cannot be on any node as long as its claims are as they are, in Kubernetes' words
 */
record PodClaims(List<Bound> bound, List<Waiting> waiting, Set<String> classes, Optional<String> refusal) {
    /** @param volume nothing if it does not exist */
    record Bound(Claim claim, Optional<Volume> volume) {}

    /** A claim of a class that waits for the first consumer. */
    record Waiting(Claim claim, StorageClass storageClass) {}

    private static final Comparator<Waiting> SMALLEST_FIRST = Comparator.comparing(
                    (Waiting each) -> each.claim().request())
            .thenComparing(each -> each.claim().name());

    PodClaims {
        bound = List.copyOf(bound);
        waiting = waiting.stream().sorted(SMALLEST_FIRST).toList();
        classes = Set.copyOf(classes);
    }

    static PodClaims of(World world, Pod pod) {
        return new Reader(world, pod).read();
    }

    /** All of them. */
    List<Claim> all() {
        List<Claim> all = new ArrayList<>();
        bound.forEach(each -> all.add(each.claim()));
        waiting.forEach(each -> all.add(each.claim()));
        return all;
    }

    /** Whether it has got what it asked for, as both annotation and name say; nothing short of that is final. */
    static boolean isBound(Claim claim) {
        return !claim.volumeName().isEmpty() && claim.isBindCompleted();
    }

    /** Reads the claims of one Pod. */
    private static final class Reader {
        private final World world;
        private final Pod pod;
        private final List<Bound> bound = new ArrayList<>();
        private final List<Waiting> waiting = new ArrayList<>();
        private final Set<String> classes = new TreeSet<>();
        private boolean unboundImmediate;

        private Reader(World world, Pod pod) {
            this.world = world;
            this.pod = pod;
        }

        private PodClaims read() {
            Optional<String> refusal = Optional.empty();
            for (JsonNode volume : pod.spec().path("volumes")) {
                boolean ephemeral = volume.hasNonNull("ephemeral");
                String name = ephemeral
                        ? pod.ephemeralClaim(volume.path("name").asText(""))
                        : volume.path("persistentVolumeClaim").path("claimName").asText("");
                if (!name.isEmpty() && !isKnown(name)) {
                    Optional<String> found = ephemeral ? readEphemeral(name) : readNamed(name);
                    refusal = refusal.or(() -> found);
                }
            }
            if (refusal.isEmpty() && unboundImmediate) {
                refusal = Optional.of("pod has unbound immediate PersistentVolumeClaims");
            }
            return new PodClaims(bound, waiting, classes, refusal);
        }

        private boolean isKnown(String name) {
            return bound.stream().anyMatch(each -> each.claim().name().equals(name))
                    || waiting.stream().anyMatch(each -> each.claim().name().equals(name));
        }

        private Optional<String> readNamed(String name) {
            Optional<Claim> claim = find(name);
            return claim.isEmpty()
                    ? Optional.of("persistentvolumeclaim \"" + name + "\" not found")
                    : sort(claim.get());
        }

        private Optional<String> readEphemeral(String name) {
            Optional<Claim> claim = find(name);
            if (claim.isEmpty()) {
                return Optional.of(
                        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"" + name + "\"");
            }
            if (!isMadeForPod(claim.get())) {
                return Optional.of("PVC " + pod.namespace() + "/" + name + " was not created for pod " + pod.namespace()
                        + "/" + pod.name() + " (pod is not owner)");
            }
            return sort(claim.get());
        }

        /** A Pod may name what cannot be; then there is no such claim. */
        private Optional<Claim> find(String name) {
            return pod.claimKeys().stream()
                    .filter(key -> key.name().equals(name))
                    .findFirst()
                    .flatMap(world::get)
                    .map(Claim::of);
        }

        private boolean isMadeForPod(Claim claim) {
            for (JsonNode owner : claim.metadata().path("ownerReferences")) {
                if (owner.path("controller").asBoolean(false)
                        && owner.path("uid").asText("").equals(pod.uid())) {
                    return true;
                }
            }
            return false;
        }

        private Optional<String> sort(Claim claim) {
            if (claim.phase().equals("Lost")) {
                return Optional.of("persistentvolumeclaim \"" + claim.name()
                        + "\" bound to non-existent persistentvolume \"" + claim.volumeName() + "\"");
            }
            if (claim.isBeingDeleted()) {
                return Optional.of("persistentvolumeclaim \"" + claim.name() + "\" is being deleted");
            }
            if (isBound(claim)) {
                Optional<StoredObject> volume = world.get(Volume.key(claim.volumeName()));
                bound.add(new Bound(claim, volume.map(Volume::of)));
                return Optional.empty();
            }
            claim.className().filter(name -> !name.isEmpty()).ifPresent(classes::add);
            Optional<StorageClass> waits = claim.className()
                    .filter(name -> !name.isEmpty() && claim.volumeName().isEmpty())
                    .flatMap(name -> world.get(StorageClass.key(name)))
                    .map(StorageClass::of)
                    .filter(StorageClass::waitsForConsumer);
            waits.ifPresentOrElse(each -> waiting.add(new Waiting(claim, each)), () -> unboundImmediate = true);
            return Optional.empty();
        }
    }
}
