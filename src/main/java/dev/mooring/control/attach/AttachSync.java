package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.attach.Attachment.State;
import dev.mooring.control.attach.CsiVolume.Sharing;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** Reconciles one volume in one World: decides to which nodes it is attached and which Pods must wait. */
final class AttachSync {
    private final World world;
    private final StoredObject stored;
    private final CsiVolume volume;
    private final String name;
    private final Instant now;
    private final Map<String, List<Pod>> users;

    AttachSync(World world, StoredObject stored, CsiVolume volume, Instant now) {
        this.world = world;
        this.stored = stored;
        this.volume = volume;
        this.name = stored.key().name();
        this.now = now;
        this.users = volume.users(world);
    }

    Decision sync() {
        List<String> missing = users.keySet().stream()
                .filter(node -> world.get(attachmentTo(node)).isEmpty())
                .filter(node -> world.get(Node.key(node)).isPresent())
                .toList();
        if (missing.isEmpty() || !isBoundByClaim()) {
            return Decision.none();
        }
        if (volume.sharing() == Sharing.MANY_NODES) {
            return Decision.of(missing.stream().map(this::attach).toList());
        }
        Set<String> holders = holders();
        if (!holders.isEmpty()) {
            return Decision.of(rejectMultiAttach(missing, holders));
        }
        String first = missing.stream()
                .min(Comparator.comparing(node -> users.get(node).get(0).created()))
                .orElseThrow();
        return Decision.of(attach(first));
    }

    private ObjectKey attachmentTo(String node) {
        return Attachment.key(volume.attachmentTo(node));
    }

    /**
     * Returns whether the claim names the volume, too. If only the volume names the claim, binding is still in
     * progress.
     */
    private boolean isBoundByClaim() {
        return volume.claim()
                .flatMap(reference -> world.get(reference.key()))
                .filter(claim -> Claim.of(claim).volumeName().equals(name))
                .isPresent();
    }

    /**
     * Returns the nodes that have or may have the volume. Looks up the attachment of every node by its name, which has
     * the driver and the handle, because it may be an attachment of another PersistentVolume for the same storage; this
     * happens once per created attachment.
     */
    private Set<String> holders() {
        Set<String> holders = new TreeSet<>();
        Attachment.ofVolume(world, name).forEach(each -> holders.add(each.node()));
        for (StoredObject node : world.list(Scope.resource("nodes"))) {
            String candidate = node.key().name();
            if (world.get(attachmentTo(candidate)).isPresent()) {
                holders.add(candidate);
            }
        }
        return holders;
    }

    private Proposal attach(String node) {
        ObjectKey key = attachmentTo(node);
        ObjectNode attachment = JsonNodeFactory.instance.objectNode();
        attachment.put("kind", "VolumeAttachment").put("apiVersion", "storage.k8s.io/v1");
        attachment
                .putObject("metadata")
                .put("name", key.name())
                .put("uid", uid(key))
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        ObjectNode spec = attachment.putObject("spec").put("attacher", volume.driver());
        spec.putObject("source").put("persistentVolumeName", name);
        spec.put("nodeName", node);
        attachment.putObject("status").put("attached", false);
        return Proposal.by(AttachDetachController.NAME, "VolumeAttachmentCreated")
                .because(users.get(node).get(0).cause())
                .create(Draft.of(key, attachment))
                .expect(stored)
                .expect(world.get(Node.key(node)).orElseThrow())
                .build();
    }

    /**
     * Derives the uid from the key, the World's revision and the time, so that repeating a decision gives the same uid.
     */
    private String uid(ObjectKey key) {
        String unique = key + "@" + world.revision() + "@" + now;
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private List<Proposal> rejectMultiAttach(List<String> nodes, Set<String> holders) {
        List<Proposal> proposals = new ArrayList<>();
        for (String node : nodes) {
            Set<String> others = new TreeSet<>(holders);
            others.remove(node);
            if (others.isEmpty()) {
                // Another client created an attachment to this node under another name; it does not conflict with ours.
                proposals.add(attach(node));
                continue;
            }
            if (others.stream().allMatch(this::isAboutToDetach)) {
                continue;
            }
            String why = "Multi-Attach error for volume \"" + name + "\" " + usedBy(others);
            for (Pod pod : users.get(node)) {
                recordFailedAttach(pod, why).ifPresent(proposals::add);
            }
        }
        return proposals;
    }

    /**
     * Returns whether the volume is about to be detached from a node, so that an Event about it would be outdated at
     * once.
     */
    private boolean isAboutToDetach(String node) {
        ObjectKey own = attachmentTo(node);
        boolean othersHaveIt = Attachment.ofVolume(world, name).stream()
                .anyMatch(each -> !each.key().equals(own) && each.node().equals(node));
        boolean deleting = world.get(own)
                .flatMap(Attachment::of)
                .filter(each -> each.state() == State.DELETING)
                .isPresent();
        NodeVolumesInUse use =
                new NodeVolumesInUse(world, node, world.get(Node.key(node)).map(Node::of));
        return !users.containsKey(node) && !othersHaveIt && !deleting && !use.isInUse(own.name(), name);
    }

    private String usedBy(Set<String> nodes) {
        Map<String, String> holding = new TreeMap<>();
        for (String node : nodes) {
            List<String> pods =
                    users.getOrDefault(node, List.of()).stream().map(Pod::name).toList();
            if (!pods.isEmpty()) {
                holding.put(node, String.join(", ", pods) + " on node " + node);
            }
        }
        return holding.isEmpty()
                ? "Volume is already exclusively attached to one node and can't be attached to another"
                : "Volume is already used by pod(s) " + String.join(", ", holding.values());
    }

    private Optional<Proposal> recordFailedAttach(Pod pod, String why) {
        KubeEvent kubeEvent = KubeEvent.warning(
                KubeEvent.InvolvedObject.of(pod.stored()),
                EventReasons.FAILED_ATTACH_VOLUME,
                why,
                AttachDetachController.NAME);
        return EventProposals.recordEventOnce(world, kubeEvent, pod.cause(), now);
    }
}
