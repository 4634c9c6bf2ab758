package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.volumemanager.UsedVolume.Use;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Resolves one volume of a Pod: from the Pod to the claim, the PersistentVolume and the plugin. Stops at the first
 * missing or mismatching object, with the kubelet's message. Used once, by one thread.
 *
 * <p>Differs from the kubelet in three ways. If the Pod has an fsGroup but no fsGroupChangePolicy, ownership of
 * PersistentVolumes is changed only if the root directory differs ({@code OnRootMismatch}), which avoids changing a
 * million files at each start. A volume is also read-only if its PersistentVolume says so, or has only ReadOnlyMany.
 * And an inline volume can have mount options, through the Pod's annotation {@code mooring.dev/mount-options.<volume>}.
 */
final class VolumeResolver {
    /** Prefix of a Pod annotation, followed by the volume's name: comma-separated mount options. */
    static final String INLINE_OPTIONS = "mooring.dev/mount-options.";

    private static final Set<String> OF_ADMINISTRATORS = Set.of("suid", "dev");
    private static final String READ_ONLY = "readOnly";
    private static final String ON_ROOT_MISMATCH = "OnRootMismatch";

    private final World world;
    private final String node;
    private final VolumePlugins plugins;
    private final Pod pod;
    private final UsedVolume used;
    private final ObjectNode spec = JsonNodeFactory.instance.objectNode();
    private final Instant now;
    private long youngest;
    private Optional<Duration> renewal = Optional.empty();

    VolumeResolver(World world, String node, VolumePlugins plugins, Pod pod, UsedVolume used, Instant now) {
        this.now = now;
        this.world = world;
        this.node = node;
        this.plugins = plugins;
        this.pod = pod;
        this.used = used;
        this.youngest = pod.revision();
    }

    ResolvedVolume resolve() {
        spec.put("node", node).put("volumeName", used.name());
        spec.set("pod", PodReference.of(pod).json());
        Optional<UnresolvedException> problem = Optional.empty();
        try {
            if (used.claimName(pod).isEmpty()) {
                resolveInline();
            } else {
                resolveClaim();
            }
        } catch (UnresolvedException e) {
            problem = Optional.of(e);
        }
        return new ResolvedVolume(used.name(), spec, problem, Cause.revision(youngest));
    }

    /** Returns the time until the content of the resolved volume must be renewed; empty if never. */
    Optional<Duration> renewal() {
        return renewal;
    }

    private void resolveInline() throws UnresolvedException {
        PluginSource source = PluginSource.ofPod(used.volume(), plugins);
        VolumePlugin plugin = plugin(source, used.name());
        mode(VolumeMode.FILESYSTEM);
        if (source.isReadOnly()) {
            spec.put(READ_ONLY, true);
        }
        options(inlineOptions());
        SourceTypes.of(source.json())
                .flatMap(type -> type.inlineCapacity(source.json(), pod))
                .ifPresent(this::capacity);
        owner(Optional.empty());
        requireAcceptable(plugin, used.name());
        String content = plugin.contentVersion(
                source.json(), pod.tree(), key -> find(key).map(StoredObject::toTree));
        Optional<Duration> interval = plugin.contentRenewal(source.json());
        if (interval.isPresent()) {
            // Counts from the creation of the Pod, so that the tokens of a node are not all renewed at once.
            long age = Math.max(0, Duration.between(pod.created(), now).toMillis());
            long times = age / interval.get().toMillis();
            renewal = Optional.of(Duration.ofMillis((times + 1) * interval.get().toMillis() - age));
            spec.put("content", content + '-' + times);
        } else if (!content.isEmpty()) {
            spec.put("content", content);
        }
        spec.put("volume", plugin.name() + '/' + pod.uid() + '-' + used.name());
    }

    private void resolveClaim() throws UnresolvedException {
        String name = used.claimName(pod);
        ObjectNode reference =
                spec.putObject("claim").put("namespace", pod.namespace()).put("name", name);
        ClaimCheck check = new ClaimCheck(pod, used, name);
        Claim claim = check.requireBound(
                Claim.keyIfValid(pod.namespace(), name).flatMap(this::find).map(Claim::of), reference);
        Volume volume = check.requireVolumeOf(
                claim, Volume.keyIfValid(claim.volumeName()).flatMap(this::find).map(Volume::of));
        spec.put("persistentVolume", volume.name());
        mode(volume.mode());
        PluginSource source = PluginSource.ofVolume(volume.spec(), plugins);
        VolumePlugin plugin = plugin(source, volume.name());
        boolean readOnly = used.isClaimReadOnly() || source.isReadOnly() || isOnlyToBeRead(volume);
        if (readOnly) {
            spec.put(READ_ONLY, true);
        } else {
            // A read-only volume is not expanded.
            volume.capacity().ifPresent(this::capacity);
        }
        accessModes(volume, claim);
        owner(Optional.of(ON_ROOT_MISMATCH));
        options(MountOptions.of(volume));
        requireReachable(volume);
        requireAcceptable(plugin, volume.name());
        spec.put("volume", identity(plugin, volume, source));
    }

    private String identity(VolumePlugin plugin, Volume volume, PluginSource source) {
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

    private VolumePlugin plugin(PluginSource source, String name) throws UnresolvedException {
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

    /**
     * Returns the inline mount options. The Pod's creator sets them, so they must not remove options that prevent
     * privilege escalation.
     */
    private List<String> inlineOptions() throws UnresolvedException {
        List<String> options = pod.annotation(INLINE_OPTIONS + used.name())
                .map(MountOptions::split)
                .orElse(List.of());
        for (String each : options) {
            if (OF_ADMINISTRATORS.contains(each)) {
                throw new UnresolvedException(
                        "InvalidOptions",
                        "MountVolume.MountOptionSupport check failed for volume \"" + used.name()
                                + "\" : mount option \"" + each + "\" is not allowed in a Pod's annotation: use a"
                                + " PersistentVolume with it in spec.mountOptions");
            }
        }
        return options;
    }

    private void options(List<String> options) {
        if (!options.isEmpty()) {
            options.forEach(spec.putArray("mountOptions")::add);
        }
    }

    private void capacity(Quantity quantity) {
        spec.put("capacity", quantity.toString());
    }

    /**
     * Sets the fsGroup.
     *
     * @param otherwise the default fsGroupChangePolicy; empty for Always
     */
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

    private void requireReachable(Volume volume) throws UnresolvedException {
        if (volume.nodeAffinity().isAny()) {
            return;
        }
        Optional<Node> nodeObject = find(Node.key(node)).map(Node::of);
        if (nodeObject.isEmpty()) {
            throw notOnThisNode(volume, "node \"" + node + "\" not found");
        }
        if (!volume.nodeAffinity().matches(nodeObject.get())) {
            throw notOnThisNode(volume, "no matching NodeSelectorTerms");
        }
    }

    private static UnresolvedException notOnThisNode(Volume volume, String why) {
        return new UnresolvedException(
                "WrongNode", "MountVolume.NodeAffinity check failed for volume \"" + volume.name() + "\" : " + why);
    }

    private void requireAcceptable(VolumePlugin plugin, String name) throws UnresolvedException {
        Optional<String> refusal = plugin.mountOptionsError(MountOptions.texts(spec.path("mountOptions")));
        if (refusal.isPresent()) {
            throw new UnresolvedException(
                    "InvalidOptions",
                    "MountVolume.MountOptionSupport check failed for volume \"" + name + "\" : " + refusal.get());
        }
    }

    private Optional<StoredObject> find(ObjectKey key) {
        Optional<StoredObject> found = world.get(key);
        // A Node changes with each heartbeat, but its relevant fields rarely do.
        if (!key.resource().equals("nodes")) {
            found.ifPresent(object -> youngest = Math.max(youngest, object.revision()));
        }
        return found;
    }
}
