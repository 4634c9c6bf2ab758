package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.StoredJson;
import dev.mooring.control.attach.Attachment.State;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.Node;
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

/** One node in one World: what is attached to it and listed there, and what is to be detached. */
final class Detaching {
    static final String ATTACHED = "volumesAttached";

    private record Here(ObjectKey key, Attachment attachment, Optional<CsiVolume> volume, List<ObjectKey> users) {}

    private final AttachIndex index;
    private final World world;
    private final ObjectKey key;
    private final Optional<Node> node;
    private final Instant now;

    Detaching(AttachIndex index, World world, ObjectKey key, Instant now) {
        this.index = index;
        this.world = world;
        this.key = key;
        this.node = world.get(key).map(Node::of);
        this.now = now;
    }

    Decision decide(Optional<Duration> forceAfter) {
        List<Here> here = here();
        Optional<Instant> forced = forceAfter.flatMap(this::givenUpAt);
        boolean force = node.filter(AttachDetach::isOutOfService).isPresent()
                || forced.filter(due -> !now.isBefore(due)).isPresent();
        NodeUse use = new NodeUse(index, world, key.name(), node);
        List<Here> unneeded = here.stream().filter(Detaching::isUnneeded).toList();
        List<Here> free = unneeded.stream()
                .filter(each ->
                        force || !use.has(each.key().name(), each.attachment().volume()))
                .toList();
        List<Proposal> listing = node.map(found -> list(found, here, free)).orElse(List.of());
        if (!listing.isEmpty()) {
            return Decision.of(listing);
        }
        Decision decision =
                Decision.of(free.stream().flatMap(each -> detach(each).stream()).toList());
        return forced.isPresent() && !force && free.size() < unneeded.size()
                ? decision.lookAgainAt(forced.get(), now)
                : decision;
    }

    private List<Here> here() {
        List<Here> here = new ArrayList<>();
        for (ObjectKey each : index.keysOfAttachmentsOn(key.name())) {
            index.attachment(world, each)
                    .filter(attachment -> attachment.node().equals(key.name()))
                    .ifPresent(attachment -> here.add(here(each, attachment)));
        }
        return here;
    }

    /** An attachment of another volume that had the same name is nobody's. */
    private Here here(ObjectKey attachmentKey, Attachment attachment) {
        Optional<CsiVolume> volume = index.volume(world, attachment.volume());
        List<ObjectKey> users = volume.filter(
                        each -> each.attachmentTo(key.name()).equals(attachmentKey.name()))
                .map(each -> index.users(world, each).getOrDefault(key.name(), List.of()))
                .orElse(List.of());
        return new Here(attachmentKey, attachment, volume, users);
    }

    /** Attachments that have other names than ours were made by others, who know when they end. */
    private static boolean isUnneeded(Here each) {
        return each.users().isEmpty()
                && CsiNames.isAttachment(each.key().name())
                && each.attachment().state() != State.GOING;
    }

    /** When a node that is not ready is no longer waited for. */
    private Optional<Instant> givenUpAt(Duration patience) {
        return node.filter(Node::isKnownNotReady)
                .flatMap(found -> found.condition("Ready"))
                .flatMap(ready -> time(ready.path("lastTransitionTime")))
                .map(since -> since.plus(patience));
    }

    private static Optional<Instant> time(JsonNode time) {
        try {
            return Optional.of(Instant.parse(time.asText("")));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** The Node with the list as it should be, and what the Pods are told; nothing if the list is right. */
    private List<Proposal> list(Node found, List<Here> here, List<Here> free) {
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
        Map<String, Here> attached = attached(here, free, listed.keySet());
        Map<String, String> wanted = new TreeMap<>();
        attached.forEach((unique, each) -> wanted.put(unique, each.attachment().devicePath()));
        if (wanted.equals(listed)) {
            return List.of();
        }
        wanted.forEach((unique, device) -> list.addObject().put("name", unique).put("devicePath", device));
        List<Proposal> proposals = new ArrayList<>();
        attached.forEach((unique, each) -> {
            if (!listed.containsKey(unique)) {
                each.users().forEach(pod -> tell(pod, each.attachment()).ifPresent(proposals::add));
            }
        });
        ObjectNode next = found.copy();
        ObjectNode status = next.withObject("/status");
        if (list.isEmpty()) {
            status.remove(ATTACHED);
        } else {
            status.set(ATTACHED, list);
        }
        proposals.add(Proposal.by(AttachDetach.NAME, "NodeVolumesAttachedChanged")
                .because(found.cause())
                .replace(found.stored(), Draft.of(key, next))
                .build());
        return proposals;
    }

    /** What is to be listed, by name. Of a volume that is gone the name is known from the list only. */
    private Map<String, Here> attached(List<Here> here, List<Here> free, Set<String> listed) {
        Map<String, String> known = new HashMap<>();
        listed.forEach(unique ->
                CsiNames.attachment(unique, key.name()).ifPresent(attachment -> known.put(attachment, unique)));
        Map<String, Here> attached = new TreeMap<>();
        for (Here each : here) {
            if (each.attachment().state() == State.ATTACHED && !free.contains(each)) {
                Optional.ofNullable(known.get(each.key().name()))
                        .or(() -> each.volume().map(CsiVolume::unique))
                        .ifPresent(unique -> attached.put(unique, each));
            }
        }
        return attached;
    }

    private Optional<Proposal> tell(ObjectKey pod, Attachment attachment) {
        String message = "AttachVolume.Attach succeeded for volume \"" + attachment.volume() + "\" ";
        return world.get(pod).flatMap(found -> {
            Notice notice =
                    Notice.normal(Notice.Involved.of(found), "SuccessfulAttachVolume", message, AttachDetach.NAME);
            return Notices.tellOnce(world, notice, Cause.revision(found.revision()), now);
        });
    }

    private Optional<Proposal> detach(Here each) {
        StoredObject seen = world.get(each.key()).orElseThrow();
        Deletion deletion = Deletion.of(StoredJson.tree(seen), 0, now);
        Cause cause = Cause.revision(seen.revision());
        if (deletion instanceof Deletion.Removed) {
            return Optional.of(unchanged(Proposal.by(AttachDetach.NAME, "VolumeAttachmentDeleted")
                            .because(cause)
                            .remove(seen))
                    .build());
        }
        if (deletion instanceof Deletion.Marked marked) {
            return Optional.of(unchanged(Proposal.by(AttachDetach.NAME, "VolumeAttachmentDeletionRequested")
                            .because(cause)
                            .replace(seen, Draft.of(seen.key(), marked.object())))
                    .build());
        }
        return Optional.empty();
    }

    /** Only while the node has not said meanwhile that it uses the volume. */
    private Proposal.Builder unchanged(Proposal.Builder proposal) {
        return node.map(found -> proposal.expect(found.stored())).orElseGet(() -> proposal.expectAbsent(key));
    }
}
