package dev.mooring.node.desired;

import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.model.view.Volume;
import dev.mooring.volume.VolumePlugins;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Which Pods of a node depend on which objects: what makes the cost of a change that of the Pods it is about. As old as what was told
 * last. For one thread.
 */
final class References {
    private final String node;
    private final VolumePlugins plugins;
    private final Links pods = new Links();
    private final Links claims = new Links();
    private final Links desired = new Links();
    private final Set<ObjectKey> onSomeNodes = new HashSet<>();

    References(String node, VolumePlugins plugins) {
        this.node = node;
        this.plugins = plugins;
    }

    /** Takes a change of a Pod. Whether it is of this node, or was. */
    boolean pod(Change change) {
        boolean known = pods.isSource(change.key());
        // Only a Pod that mentions the node can be on it; the others of a large cluster are not read.
        Optional<Pod> pod = change.isRemoval() || !StoredJson.mentions(change.object(), node)
                ? Optional.empty()
                : Optional.of(Pod.of(change.object()))
                        .filter(each -> each.nodeName().equals(node));
        pods.set(change.key(), pod.map(this::uses).orElse(Set.of()));
        return known || pod.isPresent() || !desired.to(change.key()).isEmpty();
    }

    private Set<ObjectKey> uses(Pod pod) {
        Set<ObjectKey> uses = new LinkedHashSet<>();
        for (UsedVolume used : PodVolumes.used(pod)) {
            String claim = used.claimName(pod);
            if (claim.isEmpty()) {
                Source source = Source.ofPod(used.volume(), plugins);
                source.plugin().ifPresent(plugin -> uses.addAll(plugin.madeOf(source.json(), pod.namespace())));
            } else {
                claimKey(pod, claim).ifPresent(uses::add);
            }
        }
        return uses;
    }

    /** Takes a change of a claim. */
    void claim(Change change) {
        boolean some = !change.isRemoval() && StoredJson.mentions(change.object(), "volumeName");
        Optional<ObjectKey> volume = some ? volumeKey(Claim.of(change.object()).volumeName()) : Optional.empty();
        claims.set(change.key(), volume.map(Set::of).orElse(Set.of()));
    }

    /** Takes a change of a PersistentVolume. */
    void volume(Change change) {
        if (!change.isRemoval() && StoredJson.mentions(change.object(), "nodeAffinity")) {
            onSomeNodes.add(change.key());
        } else {
            onSomeNodes.remove(change.key());
        }
    }

    /** Takes a change of a DesiredVolume. The Pod it is for; nothing if it is for none there could be, or not on this node. */
    Optional<ObjectKey> desired(Change change) {
        Optional<ObjectKey> pod = Optional.of(DesiredVolume.of(change.object()))
                .filter(each -> each.node().equals(node))
                .flatMap(each -> podKey(each.pod()));
        desired.set(
                change.key(), change.isRemoval() ? Set.of() : pod.map(Set::of).orElse(Set.of()));
        return pod;
    }

    /** The Pods that use a claim, a ConfigMap or a Secret. */
    void podsUsing(ObjectKey key, Consumer<ObjectKey> found) {
        pods.to(key).forEach(found);
    }

    /** The Pods whose claims name a PersistentVolume, whether or not it is theirs. */
    void podsUsingVolume(ObjectKey volume, Consumer<ObjectKey> found) {
        claims.to(volume).forEach(claim -> podsUsing(claim, found));
    }

    /** The Pods whose volumes are not for all nodes. */
    void podsBoundToNodes(Consumer<ObjectKey> found) {
        onSomeNodes.forEach(volume -> podsUsingVolume(volume, found));
    }

    /** The DesiredVolumes for a Pod, and for others before it that had its name. */
    Set<ObjectKey> desiredFor(ObjectKey pod) {
        return desired.to(pod);
    }

    static Optional<ObjectKey> claimKey(Pod pod, String name) {
        return isName(name) ? Optional.of(Claim.key(pod.namespace(), name)) : Optional.empty();
    }

    static Optional<ObjectKey> volumeKey(String name) {
        return isName(name) ? Optional.of(Volume.key(name)) : Optional.empty();
    }

    static Optional<ObjectKey> podKey(PodOf pod) {
        return isName(pod.namespace()) && isName(pod.name())
                ? Optional.of(Pod.key(pod.namespace(), pod.name()))
                : Optional.empty();
    }

    /** Objects may refer to what cannot be. */
    private static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= 253
                && name.chars().noneMatch(c -> c == '/' || c <= ' ' || c == 0x7f);
    }
}
