package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.attach.Attachment.State;
import dev.mooring.control.attach.CsiVolume.Sharing;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** One volume in one World: to which nodes it is to be attached, and who has to wait. */
final class Attaching {
    private final AttachIndex index;
    private final World world;
    private final StoredObject stored;
    private final CsiVolume volume;
    private final String name;
    private final Instant now;
    private final Map<String, List<ObjectKey>> users;

    Attaching(AttachIndex index, World world, StoredObject stored, CsiVolume volume, Instant now) {
        this.index = index;
        this.world = world;
        this.stored = stored;
        this.volume = volume;
        this.name = stored.key().name();
        this.now = now;
        this.users = index.users(world, volume);
    }

    Decision decide() {
        List<String> missing = users.keySet().stream()
                .filter(node -> world.get(attachmentTo(node)).isEmpty())
                .filter(node -> world.get(Node.key(node)).isPresent())
                .toList();
        if (missing.isEmpty() || !isTheClaims()) {
            return Decision.nothing();
        }
        if (volume.sharing() == Sharing.MANY_NODES) {
            return Decision.of(missing.stream().map(this::attach).toList());
        }
        Set<String> holders = holders();
        if (!holders.isEmpty()) {
            return Decision.of(refuseAll(missing, holders));
        }
        String first = missing.stream()
                .min((one, other) -> index.byFirst(world).compare(users.get(one), users.get(other)))
                .orElseThrow();
        return Decision.of(attach(first));
    }

    private ObjectKey attachmentTo(String node) {
        return AttachIndex.attachmentKey(volume.attachmentTo(node));
    }

    /** Whether the claim says so, too. While only the volume does, the binder is still at it. */
    private boolean isTheClaims() {
        return volume.claim()
                .flatMap(reference -> world.get(reference.key()))
                .filter(claim -> Claim.of(claim).volumeName().equals(name))
                .isPresent();
    }

    /**
     * The nodes that have it, or may. All nodes are asked, by name, because an attachment may be too new for the index; nodes are few,
     * and this happens once for each attachment that is made.
     */
    private Set<String> holders() {
        Set<String> holders = new TreeSet<>(index.nodesOf(world, name));
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
        return Proposal.by(AttachDetach.NAME, "VolumeAttachmentCreated")
                .because(because(users.get(node).get(0)))
                .create(Draft.of(key, attachment))
                .expect(stored)
                .expect(world.get(Node.key(node)).orElseThrow())
                .build();
    }

    /** Made of what makes it unlike any other, so that deciding the same twice is the same. */
    private String uid(ObjectKey key) {
        String unique = key + "@" + world.revision() + "@" + now;
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private Cause because(ObjectKey pod) {
        return world.get(pod).map(found -> Cause.revision(found.revision())).orElse(Cause.none());
    }

    private List<Proposal> refuseAll(List<String> nodes, Set<String> holders) {
        List<Proposal> told = new ArrayList<>();
        for (String node : nodes) {
            Set<String> others = new TreeSet<>(holders);
            others.remove(node);
            if (others.isEmpty()) {
                // Somebody else has made an attachment to this very node, under another name: no reason against ours.
                told.add(attach(node));
                continue;
            }
            if (others.stream().allMatch(this::isAboutToLetGo)) {
                continue;
            }
            String why = "Multi-Attach error for volume \"" + name + "\" " + usedBy(others);
            for (ObjectKey pod : users.get(node)) {
                tell(pod, why).ifPresent(told::add);
            }
        }
        return told;
    }

    /** Whether it is detached from a node before anybody could read about it. */
    private boolean isAboutToLetGo(String node) {
        ObjectKey own = attachmentTo(node);
        boolean othersHaveIt = index.keysOfAttachments(name).stream()
                .anyMatch(key -> !key.equals(own)
                        && index.attachment(world, key)
                                .filter(each -> each.node().equals(node))
                                .isPresent());
        boolean goes = index.attachment(world, own)
                .filter(each -> each.state() == State.GOING)
                .isPresent();
        NodeUse use = new NodeUse(index, world, node, world.get(Node.key(node)).map(Node::of));
        return !users.containsKey(node) && !othersHaveIt && !goes && !use.has(own.name(), name);
    }

    private String usedBy(Set<String> nodes) {
        Map<String, String> holding = new TreeMap<>();
        for (String node : nodes) {
            List<String> pods = users.getOrDefault(node, List.of()).stream()
                    .map(ObjectKey::name)
                    .toList();
            if (!pods.isEmpty()) {
                holding.put(node, String.join(", ", pods) + " on node " + node);
            }
        }
        return holding.isEmpty()
                ? "Volume is already exclusively attached to one node and can't be attached to another"
                : "Volume is already used by pod(s) " + String.join(", ", holding.values());
    }

    private Optional<Proposal> tell(ObjectKey pod, String why) {
        return world.get(pod)
                .map(Notice.Involved::of)
                .map(involved -> Notice.warning(involved, "FailedAttachVolume", why, AttachDetach.NAME))
                .flatMap(notice -> Notices.tellOnce(world, notice, because(pod), now));
    }
}
