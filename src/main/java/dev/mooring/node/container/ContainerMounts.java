package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.subpath.SubPathExpr;
import dev.mooring.volume.subpath.SubPathRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the mounts of a container. All mounts or none: a container without its volume would write into its own file
 * system. For one container, by one thread; blocks for subPaths.
 */
final class ContainerMounts {
    private final ContainerSpecs.ContainerSpecContext context;
    private final Pod pod;
    private final JsonNode container;
    private final Map<String, PodVolume> volumes = new HashMap<>();

    ContainerMounts(ContainerSpecs.ContainerSpecContext context, Pod pod, JsonNode container, List<PodVolume> volumes) {
        this.context = context;
        this.pod = pod;
        this.container = container;
        volumes.forEach(each -> this.volumes.put(each.name(), each));
    }

    List<Device> devices() throws ConfigException {
        List<Device> devices = new ArrayList<>();
        for (JsonNode each : container.path("volumeDevices")) {
            PodVolume volume = volume(each, VolumeMode.BLOCK, "pass");
            MountAccess access = volume.readOnly() ? MountAccess.READ_ONLY : MountAccess.READ_WRITE;
            devices.add(new Device(volume.path(), each.path("devicePath").asText(""), access));
        }
        return devices;
    }

    /** Returns the mounts in the order of {@code volumeMounts}. */
    List<BindMount> binds(Map<String, String> environment) throws ConfigException, InterruptedException {
        List<BindMount> binds = new ArrayList<>();
        int index = 0;
        for (JsonNode each : container.path("volumeMounts")) {
            PodVolume volume = volume(each, VolumeMode.FILESYSTEM, "mount");
            MountAccess access = access(each, volume);
            Propagation propagation = propagation(each);
            Path source = source(each, volume, index, environment);
            binds.add(new BindMount(source, absolute(each.path("mountPath").asText("")), access, propagation));
            index++;
        }
        return binds;
    }

    /** Sorts nested mounts after their parents; keeps the order otherwise. */
    static List<BindMount> outerFirst(List<BindMount> binds) {
        return binds.stream()
                .sorted(Comparator.comparingInt(each -> names(each.target()).size()))
                .toList();
    }

    /** Returns whether only a part of the volume is mounted. */
    static boolean isSubPath(JsonNode mount) {
        return !mount.path("subPath").asText("").isEmpty()
                || !mount.path("subPathExpr").asText("").isEmpty();
    }

    static boolean isSameTarget(String one, String other) {
        return names(one).equals(names(other));
    }

    private static List<String> names(String path) {
        List<String> names = new ArrayList<>();
        for (String each : path.split("/", -1)) {
            if (!each.isEmpty() && !each.equals(".")) {
                names.add(each);
            }
        }
        return names;
    }

    static String absolute(String path) {
        return path.startsWith("/") ? path : '/' + path;
    }

    private PodVolume volume(JsonNode use, VolumeMode mode, String doing) throws ConfigException {
        String name = use.path("name").asText("");
        PodVolume volume = volumes.get(name);
        if (volume == null || volume.mode() != mode) {
            throw ConfigException.createError("cannot find volume \"" + name + "\" to " + doing + " into container \""
                    + container.path("name").asText("") + '"');
        }
        return volume;
    }

    private MountAccess access(JsonNode mount, PodVolume volume) throws ConfigException {
        boolean readOnly = mount.path("readOnly").asBoolean(false);
        MountAccess plain = readOnly || volume.readOnly() ? MountAccess.READ_ONLY : MountAccess.READ_WRITE;
        String recursive = mount.path("recursiveReadOnly").asText("");
        if (recursive.isEmpty() || recursive.equals("Disabled")) {
            return plain;
        }
        String problem =
                "volume \"" + mount.path("name").asText("") + "\" requested recursive read-only mode, but it is ";
        if (!readOnly) {
            throw ConfigException.configError(problem + "not read-only");
        }
        if (propagation(mount) != Propagation.PRIVATE) {
            throw ConfigException.configError(problem + "not compatible with propagation \""
                    + mount.path("mountPropagation").asText("") + '"');
        }
        return switch (recursive) {
            case "Enabled" -> MountAccess.READ_ONLY_RECURSIVE;
            case "IfPossible" -> context.recursiveReadOnly().getAsBoolean() ? MountAccess.READ_ONLY_RECURSIVE : plain;
            default -> throw ConfigException.configError("unknown recursive read-only mode \"" + recursive + '"');
        };
    }

    private static Propagation propagation(JsonNode mount) throws ConfigException {
        String propagation = mount.path("mountPropagation").asText("");
        return switch (propagation) {
            case "", "None" -> Propagation.PRIVATE;
            case "HostToContainer" -> Propagation.HOST_TO_CONTAINER;
            case "Bidirectional" -> Propagation.BIDIRECTIONAL;
            default -> throw ConfigException.configError("invalid MountPropagation mode: \"" + propagation + '"');
        };
    }

    private Path source(JsonNode mount, PodVolume volume, int index, Map<String, String> environment)
            throws ConfigException, InterruptedException {
        if (!isSubPath(mount)) {
            return volume.path();
        }
        String expression = mount.path("subPathExpr").asText("");
        boolean readOnly = mount.path("readOnly").asBoolean(false) || volume.readOnly();
        SubPathRequest.SubPathOwner use = new SubPathRequest.SubPathOwner(
                pod.uid(),
                volume.directoryName(),
                volume.name(),
                container.path("name").asText(""),
                index);
        try {
            String part = expression.isEmpty()
                    ? mount.path("subPath").asText("")
                    : SubPathExpr.expand(expression, environment);
            return context.subPaths()
                    .prepare(new SubPathRequest(
                            volume.path(),
                            part,
                            use,
                            readOnly ? dev.mooring.volume.Access.READ_ONLY : dev.mooring.volume.Access.READ_WRITE));
        } catch (VolumeException e) {
            throw ConfigException.configError(e.getMessage());
        }
    }
}
