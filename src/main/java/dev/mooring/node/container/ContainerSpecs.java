package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.ContainerSpec.Bind;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.Joined;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.runtime.ContainerSpec.Resources;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.Terminal;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.runtime.Labels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Turns a Pod's containers into what an engine is asked for, as the kubelet does. A container that cannot have what its Pod says it has is
 * not made: nothing is left out silently. Any thread, but never two for one container.
 */
public final class ContainerSpecs {
    private static final int HASH_BYTES = 8;

    private final SpecParts parts;
    private final SandboxSettings sandboxes;
    private final TerminationLog lastWords;

    public ContainerSpecs(SpecParts parts) {
        this.parts = parts;
        this.sandboxes = new SandboxSettings(new DnsSettings(parts.machineDns()), parts.mayFavour());
        this.lastWords = new TerminationLog(parts.layout(), parts.mounter(), parts.calls());
    }

    /** Blocks for nothing but, if the Pod adds to it, a look at how the machine resolves names. */
    public ContainerSpec sandbox(Pod pod, Labels.Of labels, String image) throws ConfigException {
        return sandboxes.of(pod, labels, image);
    }

    /**
     * Also makes what it needs: parts of volumes, and a file for its last words. Blocks for these. Can be repeated.
     *
     * @param sandboxName of the container whose surroundings it shares
     * @param volumes all that are mounted for the Pod
     */
    public Prepared container(
            Pod pod,
            JsonNode container,
            Labels.Of labels,
            String sandboxName,
            ImageFacts image,
            List<PodVolume> volumes,
            Addresses addresses)
            throws ConfigException, InterruptedException {
        VolumeMounts mounts = new VolumeMounts(parts, pod, container, volumes);
        List<Device> devices = mounts.devices();
        Environment environment = Environment.of(pod, container, addresses, parts.objects());
        Map<String, String> values = environment.values();
        Security security = SecuritySettings.of(pod, container, image);
        ContainerSpec spec = new ContainerSpec(
                labels.containerName(),
                image.id(),
                expanded(container.path("command"), values),
                expanded(container.path("args"), values),
                values,
                container.path("workingDir").asText(""),
                labels.labels(),
                new Joined(sandboxName, SandboxSettings.processes(pod)),
                binds(mounts.binds(values), pod, container, labels.attempt()),
                devices,
                security,
                resources(pod, container),
                terminal(container),
                container.path("lifecycle").path("stopSignal").asText(""));
        return new Prepared(spec, environment.remarks());
    }

    private Resources resources(Pod pod, JsonNode container) throws ConfigException {
        Resources wanted = ResourceSettings.of(pod, container, parts.objects());
        return parts.mayFavour().getAsBoolean() ? wanted : ResourceSettings.unfavoured(wanted);
    }

    private static List<String> expanded(JsonNode words, Map<String, String> values) {
        List<String> expanded = new ArrayList<>();
        words.forEach(each -> expanded.add(Expansion.expand(each.asText(""), values)));
        return expanded;
    }

    private static Terminal terminal(JsonNode container) {
        return new Terminal(
                container.path("stdin").asBoolean(false),
                container.path("stdinOnce").asBoolean(false),
                container.path("tty").asBoolean(false));
    }

    private List<Bind> binds(List<Bind> ofVolumes, Pod pod, JsonNode container, int attempt) throws ConfigException {
        List<Bind> binds = new ArrayList<>(ofVolumes);
        String target =
                VolumeMounts.absolute(container.path("terminationMessagePath").asText(TerminationLog.DEFAULT_PATH));
        if (binds.stream().noneMatch(each -> VolumeMounts.isSameTarget(each.target(), target))) {
            Path file = lastWords.make(pod.uid(), name(container), attempt);
            binds.add(new Bind(file, target, Access.READ_WRITE, Propagation.PRIVATE));
        }
        return VolumeMounts.outerFirst(binds);
    }

    /** What the container has left there; "" for nothing. Blocks for a short read of an own file. */
    public String terminationMessage(Pod pod, JsonNode container, int attempt) {
        return lastWords.read(pod.uid(), name(container), attempt);
    }

    /** Whether the end of its log stands in for a message that a container which failed has not left. */
    public static boolean fallsBackToLogs(JsonNode container) {
        return container.path("terminationMessagePolicy").asText("").equals("FallbackToLogsOnError");
    }

    /** As much of the end of a log as is shown instead of a message. */
    public static String endOfLog(String log) {
        return LogEnd.of(log);
    }

    /** To be called immediately before a container is started: whatever of the Pod's should be mounted still is. */
    public void verify(List<PodVolume> volumes) throws ConfigException {
        check().volumes(volumes);
    }

    /** The same, and the parts of volumes that the container has been given too. If one is not there, making its spec again makes it. */
    public void verify(Pod pod, JsonNode container, List<PodVolume> volumes) throws ConfigException {
        VolumeCheck check = check();
        check.volumes(volumes);
        check.parts(pod, container, volumes);
    }

    /** To be called as soon as a container has begun: what it sees of its volumes is what is mounted here. */
    public void verifyInside(JsonNode container, List<PodVolume> volumes, long process) throws ConfigException {
        check().inside(container, volumes, Path.of("/proc", Long.toString(process), "mountinfo"));
    }

    private VolumeCheck check() {
        return new VolumeCheck(parts.layout(), parts.mounter());
    }

    /** Whether it can be made only when the sandbox has an address. */
    public static boolean needsAddress(Pod pod, JsonNode container) {
        return !pod.spec().path("hostNetwork").asBoolean(false) && Environment.usesPodAddress(container);
    }

    /** Stands for what makes a container another one. */
    public static String specHash(JsonNode container) {
        try {
            String words = name(container) + '\n' + container.path("image").asText("");
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(words.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected SHA-256 to be there, but it is not", e);
        }
    }

    private static String name(JsonNode container) {
        return container.path("name").asText("");
    }
}
