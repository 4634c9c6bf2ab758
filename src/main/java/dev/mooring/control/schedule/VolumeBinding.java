package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.persistentvolume.VolumeSearch;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether and how the claims of a Pod can be satisfied on a node. Used for one reconciliation of one Pod; not
 * thread-safe.
 */
final class VolumeBinding {
    private final World world;
    private final PodClaims claims;
    private final SchedulerCache cache;

    VolumeBinding(World world, PodClaims claims, SchedulerCache cache) {
        this.world = world;
        this.claims = claims;
        this.cache = cache;
    }

    /** @param preferNoScheduleCount number of the node's PreferNoSchedule taints that the Pod does not tolerate */
    NodeFilterResult check(Node node, int preferNoScheduleCount) {
        for (PodClaims.BoundClaim each : claims.bound()) {
            String topic = UnschedulablePods.volume(each.claim().volumeName());
            if (each.volume().isEmpty()) {
                return UnschedulableReason.of(UnschedulableReason.VOLUME_MISSING, topic)
                        .withBlocker(each.claim().key());
            }
            if (!each.volume().get().nodeAffinity().matches(node)) {
                return UnschedulableReason.of(UnschedulableReason.VOLUME_ELSEWHERE, topic)
                        .withBlocker(each.volume().get().key());
            }
        }
        return new NodeCheck(node, preferNoScheduleCount).plan();
    }

    /** Returns notes about volumes on nodes that do not exist any more. */
    List<String> missingNodeNotes(List<Node> nodes) {
        List<String> notes = new ArrayList<>();
        for (PodClaims.BoundClaim each : claims.bound()) {
            each.volume()
                    .filter(volume -> nodes.stream().noneMatch(volume.nodeAffinity()::matches))
                    .ifPresent(volume -> notes.add(missingNodeNotes(each.claim(), volume)));
        }
        return notes;
    }

    private static String missingNodeNotes(Claim claim, Volume volume) {
        String text = "persistentvolume \"" + volume.name() + "\" of persistentvolumeclaim \"" + claim.name() + "\"";
        List<String> hosts = hosts(volume);
        return hosts.isEmpty()
                ? "No existing node matches the node affinity of " + text + "."
                : "The node of " + text + " does not exist: " + String.join(", ", hosts) + ".";
    }

    private static List<String> hosts(Volume volume) {
        List<String> hosts = new ArrayList<>();
        JsonNode terms = volume.spec().path("nodeAffinity").path("required").path("nodeSelectorTerms");
        for (JsonNode term : terms) {
            for (JsonNode each : term.path("matchExpressions")) {
                if (each.path("key").asText("").equals(StorageNames.HOST_NAME)
                        && each.path("operator").asText("").equals("In")) {
                    each.path("values").forEach(value -> hosts.add(value.asText("")));
                }
            }
        }
        return hosts;
    }

    /** Returns the node that is selected for a claim, if it exists. */
    Optional<String> selected(Claim claim) {
        return claim.selectedNode()
                .filter(name -> name.indexOf('/') < 0 && name.chars().noneMatch(c -> c <= ' '))
                .filter(name -> world.get(Node.key(name)).isPresent());
    }

    /** Checks one node. */
    private final class NodeCheck {
        private final Node node;
        private final int preferNoScheduleCount;
        private final List<FeasibleNode.StaticBinding> matches = new ArrayList<>();
        private final List<PodClaims.WaitingClaim> toProvision = new ArrayList<>();
        private final Set<ObjectKey> chosen = new HashSet<>();
        private final Map<String, Quantity> used = new HashMap<>();
        private boolean awaitsProvisioning;
        private boolean skippedAssumed;

        private NodeCheck(Node node, int preferNoScheduleCount) {
            this.node = node;
            this.preferNoScheduleCount = preferNoScheduleCount;
        }

        private NodeFilterResult plan() {
            for (PodClaims.WaitingClaim each : claims.waiting()) {
                Optional<UnschedulableReason> reason = checkClaim(each);
                if (reason.isPresent()) {
                    return reason.get();
                }
            }
            return new FeasibleNode(node, matches, toProvision, awaitsProvisioning, score());
        }

        private FeasibleNode.NodeScore score() {
            int setbacks = 0;
            for (PodClaims.WaitingClaim each : toProvision) {
                setbacks += cache.provisioningFailures().count(each.claim(), node.name());
            }
            BigDecimal waste = matches.stream()
                    .map(FeasibleNode.StaticBinding::excessCapacity)
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            int pods = cache.allocated().of(node.name()).pods()
                    + cache.inFlight().allocation(node.name()).pods();
            return new FeasibleNode.NodeScore(setbacks, toProvision.size(), waste, preferNoScheduleCount, pods);
        }

        private Optional<UnschedulableReason> checkClaim(PodClaims.WaitingClaim waiting) {
            Claim claim = waiting.claim();
            Optional<String> selected = selected(claim);
            if (selected.isPresent()) {
                awaitsProvisioning = true;
                return selected.get().equals(node.name())
                        ? Optional.empty()
                        : Optional.of(UnschedulableReason.of(UnschedulableReason.NO_VOLUME)
                                .withBlocker(claim.key())
                                .withDetail("persistentvolumeclaim \"" + claim.name() + "\" is provisioned on node \""
                                        + selected.get() + "\""));
            }
            Optional<Volume> volume = VolumeSearch.findFor(world, claim, this::isFree, any -> true);
            if (volume.isPresent()) {
                chosen.add(volume.get().key());
                matches.add(new FeasibleNode.StaticBinding(claim, volume.get()));
                return Optional.empty();
            }
            Optional<UnschedulableReason> refused = checkProvisioning(waiting);
            if (refused.isEmpty()) {
                toProvision.add(waiting);
            }
            return refused;
        }

        private boolean isFree(VolumeSearch.Candidate volume) {
            if (chosen.contains(volume.stored().key()) || !volume.affinity().matches(node)) {
                return false;
            }
            boolean promised = cache.inFlight().isVolumeAssumed(volume.stored());
            skippedAssumed |= promised;
            return !promised;
        }

        /** Returns why no volume can be provisioned for a claim on the node. */
        private Optional<UnschedulableReason> checkProvisioning(PodClaims.WaitingClaim waiting) {
            StorageClass storageClass = waiting.storageClass();
            String topic = UnschedulablePods.storageClass(storageClass.name());
            String provisioner = storageClass.provisioner();
            if (provisioner.isEmpty()
                    || provisioner.equals(StorageNames.NO_PROVISIONER)
                    || !storageClass.allows(node)) {
                return Optional.of(UnschedulableReason.of(UnschedulableReason.NO_VOLUME, topic)
                        .withBlocker(waiting.claim().key())
                        .temporary(skippedAssumed));
            }
            Quantity request = waiting.claim().request();
            Quantity before = used.getOrDefault(provisioner, Quantity.ZERO);
            Optional<Quantity> left = FreeStorage.remaining(world, node, storageClass, cache.inFlight())
                    .map(bytes -> bytes.minus(before));
            if (left.filter(bytes -> bytes.compareTo(request) < 0).isPresent()) {
                Quantity shown = left.get().signum() < 0 ? Quantity.ZERO : left.get();
                return Optional.of(
                        UnschedulableReason.of(UnschedulableReason.NO_SPACE, topic, UnschedulablePods.STORAGE)
                                .withBlocker(waiting.claim().key())
                                .withDetail(node.name() + ": " + request + " requested, " + shown + " free"));
            }
            used.put(provisioner, before.plus(request));
            return Optional.empty();
        }
    }
}
