package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.bind.VolumeIndex;
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

/** Whether and how the claims of a Pod can be had on a node. For one look at one Pod; for one thread. */
final class VolumeRules {
    private final World world;
    private final PodClaims claims;
    private final Knowledge knowledge;

    VolumeRules(World world, PodClaims claims, Knowledge knowledge) {
        this.world = world;
        this.claims = claims;
        this.knowledge = knowledge;
    }

    /** @param dislikes how many taints of the node speak against it */
    NodeOutcome look(Node node, int dislikes) {
        for (PodClaims.Bound each : claims.bound()) {
            String topic = Backlog.volume(each.claim().volumeName());
            if (each.volume().isEmpty()) {
                return Reason.of(Reason.VOLUME_MISSING, topic);
            }
            if (!each.volume().get().nodeAffinity().matches(node)) {
                return Reason.of(Reason.VOLUME_ELSEWHERE, topic);
            }
        }
        return new Look(node, dislikes).plan();
    }

    /** What there is to say about volumes that are on nodes which are not there any more. */
    List<String> stranded(List<Node> nodes) {
        List<String> remarks = new ArrayList<>();
        for (PodClaims.Bound each : claims.bound()) {
            each.volume()
                    .filter(volume -> nodes.stream().noneMatch(volume.nodeAffinity()::matches))
                    .ifPresent(volume -> remarks.add(stranded(each.claim(), volume)));
        }
        return remarks;
    }

    private static String stranded(Claim claim, Volume volume) {
        String what = "persistentvolume \"" + volume.name() + "\" of persistentvolumeclaim \"" + claim.name() + "\"";
        List<String> hosts = hosts(volume);
        return hosts.isEmpty()
                ? "No node that exists fits the node affinity of " + what + "."
                : "The node of " + what + " does not exist: " + String.join(", ", hosts) + ".";
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

    /** The node that was selected for a claim, if it is still there. */
    Optional<String> selected(Claim claim) {
        return claim.selectedNode()
                .filter(name -> name.indexOf('/') < 0 && name.chars().noneMatch(c -> c <= ' '))
                .filter(name -> world.get(Node.key(name)).isPresent());
    }

    /** One node. */
    private final class Look {
        private final Node node;
        private final int dislikes;
        private final List<Plan.Match> matches = new ArrayList<>();
        private final List<PodClaims.Waiting> toMake = new ArrayList<>();
        private final Set<ObjectKey> chosen = new HashSet<>();
        private final Map<String, Quantity> used = new HashMap<>();
        private boolean awaited;
        private boolean passedOver;

        private Look(Node node, int dislikes) {
            this.node = node;
            this.dislikes = dislikes;
        }

        private NodeOutcome plan() {
            for (PodClaims.Waiting each : claims.waiting()) {
                Optional<Reason> reason = see(each);
                if (reason.isPresent()) {
                    return reason.get();
                }
            }
            return new Plan(node, matches, toMake, awaited, merit());
        }

        private Plan.Merit merit() {
            int setbacks = 0;
            for (PodClaims.Waiting each : toMake) {
                setbacks += knowledge.setbacks().count(each.claim(), node.name());
            }
            BigDecimal waste = matches.stream().map(Plan.Match::waste).reduce(BigDecimal.ZERO, BigDecimal::add);
            int pods = knowledge.pods().use(node.name()).pods()
                    + knowledge.inFlight().use(node.name()).pods();
            return new Plan.Merit(setbacks, toMake.size(), waste, dislikes, pods);
        }

        private Optional<Reason> see(PodClaims.Waiting waiting) {
            Claim claim = waiting.claim();
            Optional<String> selected = selected(claim);
            if (selected.isPresent()) {
                awaited = true;
                return selected.get().equals(node.name())
                        ? Optional.empty()
                        : Optional.of(Reason.of(Reason.NO_VOLUME)
                                .detailed("persistentvolumeclaim \"" + claim.name() + "\" gets its volume on node \""
                                        + selected.get() + "\""));
            }
            Optional<Volume> volume = knowledge.volumes().smallest(world, claim, this::isFree);
            if (volume.isPresent()) {
                chosen.add(volume.get().key());
                matches.add(new Plan.Match(claim, volume.get()));
                return Optional.empty();
            }
            Optional<Reason> refused = makes(waiting);
            if (refused.isEmpty()) {
                toMake.add(waiting);
            }
            return refused;
        }

        private boolean isFree(VolumeIndex.Candidate volume) {
            boolean known =
                    !volume.isAhead(); // otherwise its change is still to be told, and whoever waits will look again
            if (!known
                    || chosen.contains(volume.stored().key())
                    || !volume.affinity().matches(node)) {
                return false;
            }
            boolean promised = knowledge.inFlight().isPromised(volume.stored());
            passedOver |= promised;
            return !promised;
        }

        /** Why no volume can be made for a claim on the node. */
        private Optional<Reason> makes(PodClaims.Waiting waiting) {
            StorageClass storageClass = waiting.storageClass();
            String topic = Backlog.storageClass(storageClass.name());
            String provisioner = storageClass.provisioner();
            if (provisioner.isEmpty()
                    || provisioner.equals(StorageNames.NO_PROVISIONER)
                    || !storageClass.allows(node)) {
                return Optional.of(Reason.of(Reason.NO_VOLUME, topic).passing(passedOver));
            }
            Quantity request = waiting.claim().request();
            Quantity before = used.getOrDefault(provisioner, Quantity.ZERO);
            Optional<Quantity> left = knowledge
                    .storage()
                    .left(world, node, storageClass, knowledge.inFlight())
                    .map(bytes -> bytes.minus(before));
            if (left.filter(bytes -> bytes.compareTo(request) < 0).isPresent()) {
                Quantity shown = left.get().signum() < 0 ? Quantity.ZERO : left.get();
                return Optional.of(Reason.of(Reason.NO_SPACE, topic, Backlog.STORAGE)
                        .detailed(node.name() + ": " + request + " asked for, " + shown + " left"));
            }
            used.put(provisioner, before.plus(request));
            return Optional.empty();
        }
    }
}
