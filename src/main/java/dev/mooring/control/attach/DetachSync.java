package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.attach.Attachment.State;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Reconciles one node in one World: updates {@code volumesAttached} and detaches unneeded volumes. */
final class DetachSync {
    static final String ATTACHED = "volumesAttached";

    private record NodeAttachment(Attachment attachment, Optional<CsiVolume> volume, List<Pod> users) {}

    private final World world;
    private final ObjectKey key;
    private final Optional<Node> node;
    private final Instant now;

    DetachSync(World world, ObjectKey key, Instant now) {
        this.world = world;
        this.key = key;
        this.node = world.get(key).map(Node::of);
        this.now = now;
    }

    Decision sync(Optional<Duration> forceAfter) {
        List<NodeAttachment> attachments = Attachment.toNode(world, key.name()).stream()
                .map(this::nodeAttachment)
                .toList();
        Optional<Instant> forced = forceAfter.flatMap(this::forceDetachTime);
        boolean force = node.filter(AttachDetachController::isOutOfService).isPresent()
                || forced.filter(due -> !now.isBefore(due)).isPresent();
        NodeVolumesInUse use = new NodeVolumesInUse(world, key.name(), node);
        List<NodeAttachment> unneeded =
                attachments.stream().filter(DetachSync::isUnneeded).toList();
        List<NodeAttachment> free = unneeded.stream()
                .filter(each -> force || !use.isInUse(each.attachment()))
                .toList();
        List<Proposal> listing = node.map(found -> updateVolumesAttached(found, attachments, free))
                .orElse(List.of());
        if (!listing.isEmpty()) {
            return Decision.of(listing);
        }
        Decision decision =
                Decision.of(free.stream().flatMap(each -> detach(each).stream()).toList());
        return forced.isPresent() && !force && free.size() < unneeded.size()
                ? decision.requeueAt(forced.get(), now)
                : decision;
    }

    /** Pairs an attachment with its volume; an attachment of a deleted volume of the same name has none. */
    private NodeAttachment nodeAttachment(Attachment attachment) {
        Optional<CsiVolume> volume = world.get(Volume.key(attachment.volume())).flatMap(CsiVolume::of);
        List<Pod> users = volume.filter(each ->
                        each.attachmentTo(key.name()).equals(attachment.key().name()))
                .map(each -> each.users(world).getOrDefault(key.name(), List.of()))
                .orElse(List.of());
        return new NodeAttachment(attachment, volume, users);
    }

    /**
     * Returns whether an attachment may be deleted. Attachments with other names were created by other clients, which
     * delete them.
     */
    private static boolean isUnneeded(NodeAttachment each) {
        return each.users().isEmpty()
                && CsiNames.isAttachment(each.attachment().key().name())
                && each.attachment().state() != State.DELETING;
    }

    /** Returns when volumes are force-detached from a node that is not ready. */
    private Optional<Instant> forceDetachTime(Duration timeout) {
        return node.filter(Node::isKnownNotReady)
                .flatMap(found -> found.condition("Ready"))
                .flatMap(ready -> time(ready.path("lastTransitionTime")))
                .map(since -> since.plus(timeout));
    }

    private static Optional<Instant> time(JsonNode time) {
        try {
            return Optional.of(Instant.parse(time.asText("")));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the proposals that update the Node's list and record the Events for Pods; empty if the list is up to
     * date.
     */
    private List<Proposal> updateVolumesAttached(
            Node found, List<NodeAttachment> attachments, List<NodeAttachment> free) {
        Map<String, String> listed = new TreeMap<>();
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (JsonNode each : found.status().path(ATTACHED)) {
            String unique = each.path("name").asText("");
            if (unique.startsWith(CsiNames.PLUGIN)) {
                listed.put(unique, each.path("devicePath").asText(""));
            } else {
                list.add(each);
            }
        }
        Map<String, NodeAttachment> attached = attached(attachments, free, listed.keySet());
        Map<String, String> wanted = new TreeMap<>();
        attached.forEach((unique, each) -> wanted.put(unique, each.attachment().devicePath()));
        if (wanted.equals(listed)) {
            return List.of();
        }
        wanted.forEach((unique, device) -> list.addObject().put("name", unique).put("devicePath", device));
        List<Proposal> proposals = new ArrayList<>();
        attached.forEach((unique, each) -> {
            if (!listed.containsKey(unique)) {
                each.users()
                        .forEach(pod -> recordAttached(pod, each.attachment()).ifPresent(proposals::add));
            }
        });
        ObjectNode next = found.copy();
        ObjectNode status = next.withObject("/status");
        if (list.isEmpty()) {
            status.remove(ATTACHED);
        } else {
            status.set(ATTACHED, list);
        }
        proposals.add(Proposal.by(AttachDetachController.NAME, "NodeVolumesAttachedChanged")
                .because(found.cause())
                .replace(found.stored(), Draft.of(key, next))
                .build());
        return proposals;
    }

    /** Returns the attachments to list, by name. The name for a deleted volume is known only from the existing list. */
    private Map<String, NodeAttachment> attached(
            List<NodeAttachment> attachments, List<NodeAttachment> free, Set<String> listed) {
        Map<String, String> known = new HashMap<>();
        listed.forEach(unique ->
                CsiNames.attachment(unique, key.name()).ifPresent(attachment -> known.put(attachment, unique)));
        Map<String, NodeAttachment> attached = new TreeMap<>();
        for (NodeAttachment each : attachments) {
            if (each.attachment().state() == State.ATTACHED && !free.contains(each)) {
                Optional.ofNullable(known.get(each.attachment().key().name()))
                        .or(() -> each.volume().map(CsiVolume::uniqueName))
                        .ifPresent(unique -> attached.put(unique, each));
            }
        }
        return attached;
    }

    private Optional<Proposal> recordAttached(Pod pod, Attachment attachment) {
        String message = "AttachVolume.Attach succeeded for volume \"" + attachment.volume() + "\" ";
        KubeEvent kubeEvent = KubeEvent.normal(
                KubeEvent.InvolvedObject.of(pod.stored()),
                EventReasons.SUCCESSFUL_ATTACH_VOLUME,
                message,
                AttachDetachController.NAME);
        return EventProposals.recordEventOnce(world, kubeEvent, pod.cause(), now);
    }

    private Optional<Proposal> detach(NodeAttachment each) {
        StoredObject seen = world.get(each.attachment().key()).orElseThrow();
        Deletion deletion = Deletion.of(seen.toTree(), 0, now);
        Cause cause = Cause.revision(seen.revision());
        if (deletion instanceof Deletion.Removed) {
            return Optional.of(expectNodeUnchanged(Proposal.by(AttachDetachController.NAME, "VolumeAttachmentDeleted")
                            .because(cause)
                            .remove(seen))
                    .build());
        }
        if (deletion instanceof Deletion.Marked marked) {
            return Optional.of(expectNodeUnchanged(
                            Proposal.by(AttachDetachController.NAME, "VolumeAttachmentDeletionRequested")
                                    .because(cause)
                                    .replace(seen, Draft.of(seen.key(), marked.object())))
                    .build());
        }
        return Optional.empty();
    }

    /** Adds the precondition that the Node is unchanged, so that it has not reported the volume in use since. */
    private Proposal.Builder expectNodeUnchanged(Proposal.Builder proposal) {
        return node.map(found -> proposal.expect(found.stored())).orElseGet(() -> proposal.expectAbsent(key));
    }
}
