package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.Digests;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.ContainerSpec.JoinedNamespaces;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.StdinSettings;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.subpath.SubPaths;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Builds engine specs for a Pod's containers, like the kubelet. Fails for a container with an unsupported setting:
 * nothing is omitted silently. Any thread, but never two for one container.
 */
public final class ContainerSpecs {
    private static final int LOG_TAIL_LINES = 80;
    private static final int LOG_TAIL_BYTES = 2048;

    private static final int HASH_BYTES = 8;

    private final ContainerSpecContext context;
    private final SandboxSettings sandboxes;
    private final TerminationLog terminationLog;
    private final HostsFile hosts;

    public ContainerSpecs(ContainerSpecContext context) {
        this.context = context;
        this.sandboxes = new SandboxSettings(
                new DnsSettings(context.machineDns()), context.mayLowerOomScore(), context.pidsLimit());
        this.terminationLog = new TerminationLog(context.layout(), context.mounter(), context.calls());
        this.hosts = new HostsFile(context.layout(), context.mounter(), context.calls(), Path.of(HostsFile.TARGET));
    }

    /** Returns why the node rejects a Pod for good, like the kubelet; empty if it runs the Pod. */
    public static Optional<ObservedPod.PodFailure> rejection(Pod pod) {
        if (pod.spec().path("os").path("name").asText("linux").equals("windows")) {
            return Optional.of(new ObservedPod.PodFailure(
                    "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"));
        }
        try {
            SandboxSettings.sysctls(pod);
            return Optional.empty();
        } catch (ConfigException e) {
            return Optional.of(new ObservedPod.PodFailure(e.reason(), e.getMessage()));
        }
    }

    /** Writes the hosts file of a container. To be called before it is started, when the sandbox has its address. */
    public void writeHosts(Pod pod, String sandbox, String address) throws ConfigException {
        if (!sandbox.isEmpty()) {
            hosts.write(pod, sandbox, address);
        }
    }

    /** Builds the sandbox spec. Blocks only to read the machine's DNS settings, if the Pod extends them. */
    public ContainerSpec sandbox(Pod pod, ContainerLabels.ContainerIdentity labels, String image)
            throws ConfigException {
        return sandboxes.of(pod, labels, image);
    }

    /**
     * Builds a container spec and creates its subPath mounts and termination message file. Blocks; idempotent.
     *
     * @param joined the containers whose namespaces it joins
     * @param volumes all mounted volumes of the Pod
     */
    public PreparedContainer container(
            Pod pod,
            JsonNode container,
            ContainerLabels.ContainerIdentity labels,
            JoinedContainers joined,
            ImageFacts image,
            List<PodVolume> volumes,
            PodAddresses addresses)
            throws ConfigException, InterruptedException {
        ContainerMounts mounts = new ContainerMounts(context, pod, container, volumes);
        List<Device> devices = mounts.devices();
        ContainerEnvironment environment = ContainerEnvironment.of(pod, container, addresses, context.objects());
        Map<String, String> values = environment.values();
        Security security = SecuritySettings.of(pod, container, image);
        ContainerSpec spec = new ContainerSpec(
                labels.containerName(),
                image.id(),
                expanded(container.path("command"), values),
                expanded(container.path("args"), values),
                values,
                container.path("workingDir").asText(""),
                labels.toLabels(),
                new JoinedNamespaces(joined.sandboxName(), SandboxSettings.processes(pod), joined.target()),
                binds(mounts.binds(values), pod, container, labels),
                devices,
                security,
                resources(pod, container),
                terminal(container),
                container.path("lifecycle").path("stopSignal").asText(""));
        return new PreparedContainer(spec, environment.warnings());
    }

    private ContainerResources resources(Pod pod, JsonNode container) throws ConfigException {
        ContainerResources wanted = ResourceSettings.of(pod, container, context.objects(), context.pidsLimit());
        return context.mayLowerOomScore().getAsBoolean() ? wanted : ResourceSettings.withoutOomProtection(wanted);
    }

    private static List<String> expanded(JsonNode words, Map<String, String> values) {
        List<String> expanded = new ArrayList<>();
        words.forEach(each -> expanded.add(VariableExpansion.expand(each.asText(""), values)));
        return expanded;
    }

    private static StdinSettings terminal(JsonNode container) {
        return new StdinSettings(
                container.path("stdin").asBoolean(false),
                container.path("stdinOnce").asBoolean(false),
                container.path("tty").asBoolean(false));
    }

    private List<BindMount> binds(
            List<BindMount> ofVolumes, Pod pod, JsonNode container, ContainerLabels.ContainerIdentity labels)
            throws ConfigException {
        List<BindMount> binds = new ArrayList<>(ofVolumes);
        String target = ContainerMounts.absolute(
                container.path("terminationMessagePath").asText(TerminationLog.DEFAULT_PATH));
        if (isFree(target, binds)) {
            Path file = terminationLog.make(pod.uid(), name(container), labels.attempt());
            binds.add(new BindMount(file, target, MountAccess.READ_WRITE, Propagation.PRIVATE));
        }
        if (isFree(HostsFile.TARGET, binds) && !labels.sandbox().isEmpty()) {
            Path file = hosts.make(pod.uid(), labels.sandbox());
            binds.add(new BindMount(file, HostsFile.TARGET, MountAccess.READ_WRITE, Propagation.PRIVATE));
        }
        return ContainerMounts.outerFirst(binds);
    }

    private static boolean isFree(String target, List<BindMount> binds) {
        return binds.stream().noneMatch(each -> ContainerMounts.isSameTarget(each.target(), target));
    }

    /** Returns the termination message of a container; "" for none. Blocks for a short read of a local file. */
    public String terminationMessage(Pod pod, JsonNode container, int attempt) {
        return terminationLog.read(pod.uid(), name(container), attempt);
    }

    /** Returns whether the end of the log replaces a missing termination message of a failed container. */
    public static boolean fallsBackToLogs(JsonNode container) {
        return container.path("terminationMessagePolicy").asText("").equals("FallbackToLogsOnError");
    }

    /** Returns the end of a log in the size of a termination message. */
    public static String logTail(String log) {
        int end = log.endsWith("\n") ? log.length() - 1 : log.length();
        int from = end;
        for (int lines = 0; lines < LOG_TAIL_LINES && from >= 0; lines++) {
            from = from == 0 ? -1 : log.lastIndexOf('\n', from - 1);
        }
        return lastBytes(log.substring(from + 1));
    }

    private static String lastBytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int from = Math.max(0, bytes.length - LOG_TAIL_BYTES);
        while (from > 0 && from < bytes.length && (bytes[from] & 0xc0) == 0x80) {
            from++;
        }
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }

    /** Checks that all volumes of the Pod are still mounted. To be called immediately before a container is started. */
    public void verify(List<PodVolume> volumes) throws ConfigException {
        check().checkVolumes(volumes);
    }

    /** Also checks the subPath mounts of the container. Building its spec again restores a missing one. */
    public void verify(Pod pod, JsonNode container, List<PodVolume> volumes) throws ConfigException {
        VolumeCheck check = check();
        check.checkVolumes(volumes);
        check.checkSubPaths(pod, container, volumes);
    }

    /** Checks that the mounts inside the container are the volumes. To be called right after it has started. */
    public void verifyInside(JsonNode container, List<PodVolume> volumes, long process) throws ConfigException {
        check().checkInside(container, volumes, Path.of("/proc", Long.toString(process), "mountinfo"));
    }

    private VolumeCheck check() {
        return new VolumeCheck(context.layout(), context.mounter());
    }

    /** Returns whether the container can be created only when the sandbox has an address. */
    public static boolean needsAddress(Pod pod, JsonNode container) {
        return !pod.spec().path("hostNetwork").asBoolean(false) && ContainerEnvironment.usesPodAddress(container);
    }

    /** Returns a hash of the spec; a container whose hash differs is replaced. */
    public static String specHash(JsonNode container) {
        return Digests.sha256Hex(
                name(container) + '\n' + container.path("image").asText(""), HASH_BYTES);
    }

    private static String name(JsonNode container) {
        return container.path("name").asText("");
    }

    /**
     * The containers whose namespaces a container joins.
     *
     * @param target ID of the container whose processes an ephemeral container sees
     */
    public record JoinedContainers(String sandboxName, Optional<String> target) {}

    /**
     * The addresses of a Pod and its node.
     *
     * @param pod "" if unknown, see {@link ContainerSpecs#needsAddress}
     * @param node "" if unknown
     */
    public record PodAddresses(String pod, String node) {}

    /**
     * A container that is ready to be created.
     *
     * @param warnings for the Pod's owner
     */
    public record PreparedContainer(ContainerSpec spec, List<ContainerWarning> warnings) {
        public PreparedContainer {
            warnings = List.copyOf(warnings);
        }

        /** A warning Event. */
        public record ContainerWarning(String reason, String message) {}
    }

    /**
     * The dependencies for building container specs.
     *
     * @param objects ConfigMaps, Secrets, and the Node, whose capacity replaces missing limits
     * @param machineDns reads the machine's current DNS settings; called only for Pods that extend them, see
     *     {@link ResolvConf}
     * @param recursiveReadOnly whether the engine supports recursive read-only mounts
     * @param mayLowerOomScore whether the engine can lower oom_score_adj, which needs a capability that not every
     *     machine grants, see {@link ProcessCapabilities}
     * @param pidsLimit maximum number of processes and threads of a container
     */
    public record ContainerSpecContext(
            NodeLayout layout,
            Mounter mounter,
            SystemCalls calls,
            SubPaths subPaths,
            ObjectLookup objects,
            Supplier<Dns> machineDns,
            BooleanSupplier recursiveReadOnly,
            BooleanSupplier mayLowerOomScore,
            OptionalLong pidsLimit) {}
}
