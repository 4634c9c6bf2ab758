package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.control.persistentvolume.Provisioning;
import dev.mooring.model.ObjectKey;
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
 * The claims of a Pod, sorted by what they need. Immutable.
 *
 * @param bound claims with a volume
 * @param waiting claims that wait for the first consumer, smallest request first
 * @param classes the classes of the unbound claims
 * @param blockingReason why no node is feasible while the claims are as they are, in Kubernetes' wording
 * @param blocking the claims because of which there is a blockingReason, also those that do not exist
 * @param bindingInProgress whether the only reason is that claims are being bound or provisioned
 */
record PodClaims(
        List<BoundClaim> bound,
        List<WaitingClaim> waiting,
        Set<String> classes,
        Optional<String> blockingReason,
        List<ObjectKey> blocking,
        boolean bindingInProgress) {
    /** @param volume empty if it does not exist */
    record BoundClaim(Claim claim, Optional<Volume> volume) {}

    /** A claim of a class with WaitForFirstConsumer. */
    record WaitingClaim(Claim claim, StorageClass storageClass) {}

    private static final Comparator<WaitingClaim> SMALLEST_FIRST = Comparator.comparing(
                    (WaitingClaim each) -> each.claim().request())
            .thenComparing(each -> each.claim().name());

    PodClaims {
        bound = List.copyOf(bound);
        waiting = waiting.stream().sorted(SMALLEST_FIRST).toList();
        classes = Set.copyOf(classes);
        blocking = List.copyOf(blocking);
    }

    static PodClaims of(World world, Pod pod) {
        return new ClaimReader(world, pod).read();
    }

    /** Returns all claims. */
    List<Claim> all() {
        List<Claim> all = new ArrayList<>();
        bound.forEach(each -> all.add(each.claim()));
        waiting.forEach(each -> all.add(each.claim()));
        return all;
    }

    /** Returns whether the claim is bound: it has both the annotation and a volume name. */
    static boolean isBound(Claim claim) {
        return !claim.volumeName().isEmpty() && claim.isBindCompleted();
    }

    /** Reads the claims of one Pod. */
    private static final class ClaimReader {
        private final World world;
        private final Pod pod;
        private final List<BoundClaim> bound = new ArrayList<>();
        private final List<WaitingClaim> waiting = new ArrayList<>();
        private final Set<String> classes = new TreeSet<>();
        private final List<ObjectKey> blocking = new ArrayList<>();
        private boolean unboundImmediate;
        private Optional<String> awaited = Optional.empty();
        private boolean stuck;

        private ClaimReader(World world, Pod pod) {
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
                    int usable = bound.size() + waiting.size();
                    Optional<String> found = ephemeral ? readEphemeral(name) : readNamed(name);
                    if (bound.size() + waiting.size() == usable) {
                        Claim.keyIfValid(pod.namespace(), name).ifPresent(blocking::add);
                    }
                    refusal = refusal.or(() -> found);
                }
            }
            boolean underway = refusal.isEmpty() && !stuck;
            if (refusal.isEmpty()) {
                refusal = awaited.or(() -> Optional.of("pod has unbound immediate PersistentVolumeClaims")
                        .filter(unused -> unboundImmediate));
            }
            return new PodClaims(bound, waiting, classes, refusal, blocking, underway && refusal.isPresent());
        }

        private boolean isKnown(String name) {
            return bound.stream().anyMatch(each -> each.claim().name().equals(name))
                    || waiting.stream().anyMatch(each -> each.claim().name().equals(name));
        }

        private Optional<String> readNamed(String name) {
            Optional<Claim> claim = find(name);
            if (claim.isEmpty()) {
                // A manifest may contain the Pod before its claim.
                awaited = awaited.or(() -> Optional.of("persistentvolumeclaim \"" + name + "\" not found"));
                return Optional.empty();
            }
            return classify(claim.get());
        }

        private Optional<String> readEphemeral(String name) {
            Optional<Claim> claim = find(name);
            if (claim.isEmpty()) {
                awaited = awaited.or(() ->
                        Optional.of("waiting for ephemeral volume controller to create the persistentvolumeclaim \""
                                + name + "\""));
                return Optional.empty();
            }
            if (!isMadeForPod(claim.get())) {
                return Optional.of("PVC " + pod.namespace() + "/" + name + " was not created for pod " + pod.namespace()
                        + "/" + pod.name() + " (pod is not owner)");
            }
            return classify(claim.get());
        }

        /** Finds a claim by the name in the Pod, which may be invalid. */
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

        private Optional<String> classify(Claim claim) {
            if (claim.phase().equals("Lost")) {
                return Optional.of("persistentvolumeclaim \"" + claim.name()
                        + "\" bound to non-existent persistentvolume \"" + claim.volumeName() + "\"");
            }
            if (claim.isBeingDeleted()) {
                return Optional.of("persistentvolumeclaim \"" + claim.name() + "\" is being deleted");
            }
            if (isBound(claim)) {
                Optional<StoredObject> volume = world.get(Volume.key(claim.volumeName()));
                bound.add(new BoundClaim(claim, volume.map(Volume::of)));
                return Optional.empty();
            }
            claim.className().filter(name -> !name.isEmpty()).ifPresent(classes::add);
            Optional<StorageClass> waits = claim.className()
                    .filter(name -> !name.isEmpty() && claim.volumeName().isEmpty())
                    .flatMap(name -> world.get(StorageClass.key(name)))
                    .map(StorageClass::of)
                    .filter(StorageClass::waitsForConsumer);
            waits.ifPresentOrElse(each -> waiting.add(new WaitingClaim(claim, each)), () -> {
                unboundImmediate = true;
                stuck |= !isBindingInProgress(claim);
            });
            return Optional.empty();
        }

        /** Returns whether the claim has no Bound condition yet, or its volume is being provisioned. */
        private static boolean isBindingInProgress(Claim claim) {
            return Conditions.find(claim.tree(), BindProposals.BOUND_CONDITION)
                    .map(each -> each.path("reason").asText("").equals(Provisioning.IN_PROGRESS_REASON))
                    .orElse(true);
        }
    }
}
