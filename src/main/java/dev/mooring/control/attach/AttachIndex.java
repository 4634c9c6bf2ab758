package dev.mooring.control.attach;

import dev.mooring.control.StoredJson;
import dev.mooring.control.attach.PodUse.Stay;
import dev.mooring.control.attach.Remembered.Update;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Who needs which volume on which node, what is attached there, and what keeps it: from Pod to claim to volume and back, without looking
 * at anybody else. Everything it says is true of the World it is asked with, except that what is new there may be missing until
 * it is told. For one thread.
 */
final class AttachIndex {
    private record OfClaim(ObjectKey key) {}

    private record OfVolume(String name) {}

    private record OnNode(String name) {}

    private final Remembered<PodUse> pods = new Remembered<>(
            PodUse::of,
            pod -> Stream.concat(pod.claims().stream().map(OfClaim::new), Stream.of(new OnNode(pod.node())))
                    .toList());

    private final Remembered<CsiVolume> volumes = new Remembered<>(
            CsiVolume::of,
            volume -> volume.claim().map(claim -> new OfClaim(claim.key())).stream()
                    .toList());

    private final Remembered<Attachment> attachments =
            new Remembered<>(Attachment::of, each -> List.of(new OfVolume(each.volume()), new OnNode(each.node())));

    private final Remembered<Hold> holds = new Remembered<>(Hold::of, List::of);

    Update<PodUse> pod(Change change) {
        return pods.follow(change);
    }

    Update<CsiVolume> volume(Change change) {
        return volumes.follow(change);
    }

    Update<Attachment> attachment(Change change) {
        return attachments.follow(change);
    }

    Update<Hold> hold(Change change) {
        return holds.follow(change);
    }

    /** The volumes that are a claim's, or are meant to be. */
    Set<ObjectKey> volumesOf(ObjectKey claim) {
        return volumes.keys(new OfClaim(claim));
    }

    /** The volumes that Pods on a node may need. */
    List<ObjectKey> volumesOfPodsOn(World world, String node) {
        List<ObjectKey> needed = new ArrayList<>();
        for (ObjectKey pod : pods.keys(new OnNode(node))) {
            pods.get(world, pod)
                    .map(PodUse::claims)
                    .orElse(List.of())
                    .forEach(claim -> needed.addAll(volumesOf(claim)));
        }
        return needed;
    }

    /** The nodes a volume is attached to, or is to be. */
    List<String> nodesOf(World world, String volume) {
        return keysOfAttachments(volume).stream()
                .flatMap(key -> attachments.get(world, key).stream())
                .map(Attachment::node)
                .distinct()
                .toList();
    }

    Set<ObjectKey> keysOfAttachments(String volume) {
        return attachments.keys(new OfVolume(volume));
    }

    Set<ObjectKey> keysOfAttachmentsOn(String node) {
        return attachments.keys(new OnNode(node));
    }

    Optional<Attachment> attachment(World world, ObjectKey key) {
        return attachments.get(world, key);
    }

    Optional<CsiVolume> volume(World world, String name) {
        return volumes.get(world, Volume.key(name));
    }

    /** Whether a volume is mounted on a node, or may be, as far as ActualVolumes tell. */
    boolean isHeld(World world, String volume, String node) {
        Hold hold = new Hold(volume, node);
        return holds.keys(hold).stream()
                .anyMatch(key -> holds.get(world, key).filter(hold::equals).isPresent());
    }

    /** The Pods that need a volume, by node, those created first coming first. */
    Map<String, List<ObjectKey>> users(World world, CsiVolume volume) {
        Map<String, List<ObjectKey>> users = new TreeMap<>();
        Optional<ObjectKey> claim = volume.claim()
                .filter(reference -> world.get(reference.key())
                        .filter(found -> StoredJson.uid(found).equals(reference.uid()))
                        .isPresent())
                .map(reference -> reference.key());
        if (claim.isEmpty()) {
            return users;
        }
        for (ObjectKey key : pods.keys(new OfClaim(claim.get()))) {
            pods.get(world, key)
                    .filter(pod -> pod.claims().contains(claim.get()) && counts(world, pod))
                    .ifPresent(pod -> users.computeIfAbsent(pod.node(), unused -> new ArrayList<>())
                            .add(key));
        }
        Comparator<ObjectKey> byAge =
                Comparator.comparing(key -> pods.get(world, key).orElseThrow().created());
        users.values().forEach(keys -> keys.sort(byAge.thenComparing(Comparator.naturalOrder())));
        return users;
    }

    /** Nobody on a node that is out of service will end what is being deleted there. */
    private static boolean counts(World world, PodUse pod) {
        return pod.stay() == Stay.STAYS || !isOutOfService(world.get(Node.key(pod.node())));
    }

    static boolean isOutOfService(Optional<StoredObject> node) {
        return node.filter(found -> StoredJson.mentions(found, AttachDetach.OUT_OF_SERVICE))
                .map(Node::of)
                .filter(AttachDetach::isOutOfService)
                .isPresent();
    }

    /** When the first of some Pods was created. */
    Comparator<List<ObjectKey>> byFirst(World world) {
        return Comparator.comparing(
                keys -> pods.get(world, keys.get(0)).orElseThrow().created());
    }

    static ObjectKey attachmentKey(String name) {
        return ObjectKey.clusterWide(StorageNames.ATTACHMENTS, name);
    }
}
