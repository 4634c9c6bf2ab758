package dev.mooring.node.desired;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Cause;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.desired.UsedVolume.Use;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds out all about one volume of a Pod: from the Pod to the claim, to the PersistentVolume, to who mounts it. Stops at the first thing
 * that is missing or does not fit, with the kubelet's words for it. To be used once, by one thread.
 *
 * <p>Three things are better than in the kubelet. If the Pod asks for an fsGroup and does not say when files are handed to it, that is done
 * for PersistentVolumes only if the top directory differs ({@code OnRootMismatch}): handing over a million files at each start is what
 * nobody means. A volume is read-only also if its PersistentVolume says so, or can only be read by many. And a volume that is no
 * PersistentVolume can have mount options, by the Pod's annotation {@code mooring.dev/mount-options.<volume>}.
 */
final class Resolution {
    /** On a Pod, with the volume's name behind it: mount options, separated by commas. */
    static final String INLINE_OPTIONS = "mooring.dev/mount-options.";

    private static final String READ_ONLY = "readOnly";
    private static final String ON_ROOT_MISMATCH = "OnRootMismatch";

    private final World world;
    private final String node;
    private final VolumePlugins plugins;
    private final Pod pod;
    private final UsedVolume used;
    private final ObjectNode spec = JsonNodeFactory.instance.objectNode();
    private long youngest;

    Resolution(World world, String node, VolumePlugins plugins, Pod pod, UsedVolume used) {
        this.world = world;
        this.node = node;
        this.plugins = plugins;
        this.pod = pod;
        this.used = used;
        this.youngest = pod.revision();
    }

    Resolved resolve() {
        spec.put("node", node).put("volumeName", used.name());
        spec.set("pod", PodOf.of(pod).json());
        Optional<UnresolvedException> problem = Optional.empty();
        try {
            if (used.claimName(pod).isEmpty()) {
                inline();
            } else {
                claimed();
            }
        } catch (UnresolvedException e) {
            problem = Optional.of(e);
        }
        return new Resolved(used.name(), spec, problem, Cause.revision(youngest));
    }

    private void inline() throws UnresolvedException {
        Source source = Source.ofPod(used.volume(), plugins);
        VolumePlugin plugin = plugin(source, used.name());
        mode(VolumeMode.FILESYSTEM);
        if (source.isReadOnly()) {
            spec.put(READ_ONLY, true);
        }
        options(pod.annotation(INLINE_OPTIONS + used.name())
                .map(MountOptions::split)
                .orElse(List.of()));
        if (source.isEmptyDir()) {
            EmptyDirSize.of(source.detail(), pod).ifPresent(this::capacity);
        }
        owner(Optional.empty());
        acceptable(plugin, used.name());
        String content = plugin.contentVersion(
                source.json(), pod.tree(), key -> find(key).map(StoredJson::tree));
        if (!content.isEmpty()) {
            spec.put("content", content);
        }
        spec.put("volume", plugin.name() + '/' + pod.uid() + '-' + used.name());
    }

    private void claimed() throws UnresolvedException {
        String name = used.claimName(pod);
        ObjectNode reference =
                spec.putObject("claim").put("namespace", pod.namespace()).put("name", name);
        ClaimCheck check = new ClaimCheck(pod, used, name);
        Claim claim =
                check.bound(References.claimKey(pod, name).flatMap(this::find).map(Claim::of), reference);
        Volume volume = check.its(
                claim,
                References.volumeKey(claim.volumeName()).flatMap(this::find).map(Volume::of));
        spec.put("persistentVolume", volume.name());
        mode(volume.mode());
        Source source = Source.ofVolume(volume.spec(), plugins);
        VolumePlugin plugin = plugin(source, volume.name());
        boolean readOnly = used.isClaimReadOnly() || source.isReadOnly() || isOnlyToBeRead(volume);
        if (readOnly) {
            spec.put(READ_ONLY, true);
        } else {
            // What nobody writes to is not to grow either.
            volume.capacity().ifPresent(this::capacity);
        }
        accessModes(volume, claim);
        owner(Optional.of(ON_ROOT_MISMATCH));
        options(MountOptions.of(volume));
        reachable(volume);
        acceptable(plugin, volume.name());
        spec.put("volume", identity(plugin, volume, source));
    }

    private String identity(VolumePlugin plugin, Volume volume, Source source) {
        return plugin.name()
                + '/'
                + plugin.sharedIdentity(volume.name(), source.json()).orElseGet(() -> pod.uid() + '-' + volume.name());
    }

    private void accessModes(Volume volume, Claim claim) {
        JsonNode offered = volume.spec().path("accessModes");
        JsonNode modes = offered.isEmpty() ? claim.spec().path("accessModes") : offered;
        if (!modes.isEmpty()) {
            spec.set("accessModes", modes);
        }
    }

    private static boolean isOnlyToBeRead(Volume volume) {
        JsonNode modes = volume.spec().path("accessModes");
        return modes.size() == 1 && modes.get(0).asText("").equals("ReadOnlyMany");
    }

    private VolumePlugin plugin(Source source, String name) throws UnresolvedException {
        if (!source.json().isEmpty()) {
            spec.set("source", source.json());
        }
        if (source.plugin().isEmpty()) {
            String known =
                    plugins.all().stream().map(VolumePlugin::name).sorted().collect(Collectors.joining(", "));
            throw new UnresolvedException(
                    "NoPlugin",
                    "failed to get Plugin from volumeSpec for volume \"" + name + "\" err=no volume plugin matched: "
                            + (source.kind().isEmpty() ? "it has no source" : "its source is " + source.kind())
                            + ", and node \"" + node + "\" has " + (known.isEmpty() ? "no plugins" : known));
        }
        VolumePlugin plugin = source.plugin().get();
        spec.put("plugin", plugin.name());
        return plugin;
    }

    private void mode(VolumeMode mode) throws UnresolvedException {
        spec.put("volumeMode", mode.toString());
        if (used.uses().contains(Use.MOUNT) && mode != VolumeMode.FILESYSTEM) {
            throw wrongMode(mode, "volumeMounts");
        }
        if (used.uses().contains(Use.DEVICE) && mode != VolumeMode.BLOCK) {
            throw wrongMode(mode, "volumeDevices");
        }
    }

    private UnresolvedException wrongMode(VolumeMode mode, String list) {
        return new UnresolvedException(
                "WrongVolumeMode",
                "volume " + used.name() + " has volumeMode " + mode + ", but is specified in " + list);
    }

    private void options(List<String> options) {
        if (!options.isEmpty()) {
            options.forEach(spec.putArray("mountOptions")::add);
        }
    }

    private void capacity(Quantity quantity) {
        spec.put("capacity", quantity.toString());
    }

    /** @param otherwise when files are handed over if the Pod does not say; nothing for always */
    private void owner(Optional<String> otherwise) {
        JsonNode context = pod.spec().path("securityContext");
        JsonNode group = context.path("fsGroup");
        if (group.isIntegralNumber()) {
            spec.set("fsGroup", group);
            String policy = context.path("fsGroupChangePolicy").asText(otherwise.orElse(""));
            if (!policy.isEmpty()) {
                spec.put("fsGroupChangePolicy", policy);
            }
        }
    }

    private void reachable(Volume volume) throws UnresolvedException {
        if (volume.nodeAffinity().isAny()) {
            return;
        }
        Optional<Node> here = find(Node.key(node)).map(Node::of);
        if (here.isEmpty()) {
            throw elsewhere(volume, "node \"" + node + "\" not found");
        }
        if (!volume.nodeAffinity().matches(here.get())) {
            throw elsewhere(volume, "no matching NodeSelectorTerms");
        }
    }

    private static UnresolvedException elsewhere(Volume volume, String why) {
        return new UnresolvedException(
                "WrongNode", "MountVolume.NodeAffinity check failed for volume \"" + volume.name() + "\" : " + why);
    }

    private void acceptable(VolumePlugin plugin, String name) throws UnresolvedException {
        Optional<String> refusal = plugin.refusal(MountOptions.texts(spec.path("mountOptions")));
        if (refusal.isPresent()) {
            throw new UnresolvedException(
                    "InvalidOptions",
                    "MountVolume.MountOptionSupport check failed for volume \"" + name + "\" : " + refusal.get());
        }
    }

    private Optional<StoredObject> find(ObjectKey key) {
        Optional<StoredObject> found = world.get(key);
        // A node changes with each of its heartbeats; what it says here hardly ever does.
        if (!key.resource().equals("nodes")) {
            found.ifPresent(object -> youngest = Math.max(youngest, object.revision()));
        }
        return found;
    }
}
