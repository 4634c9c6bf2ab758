package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.ContainerSpec.Bind;
import dev.mooring.runtime.ContainerSpec.Device;
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
 * What a container gets of its Pod's volumes. All that it asks for, or nothing: one that lacks a volume would write into itself. For one
 * container, by one thread; blocks for parts of volumes.
 */
final class VolumeMounts {
    private final SpecParts parts;
    private final Pod pod;
    private final JsonNode container;
    private final Map<String, PodVolume> volumes = new HashMap<>();

    VolumeMounts(SpecParts parts, Pod pod, JsonNode container, List<PodVolume> volumes) {
        this.parts = parts;
        this.pod = pod;
        this.container = container;
        volumes.forEach(each -> this.volumes.put(each.name(), each));
    }

    List<Device> devices() throws ConfigException {
        List<Device> devices = new ArrayList<>();
        for (JsonNode each : container.path("volumeDevices")) {
            PodVolume volume = volume(each, VolumeMode.BLOCK, "pass");
            Access access = volume.readOnly() ? Access.READ_ONLY : Access.READ_WRITE;
            devices.add(new Device(volume.path(), each.path("devicePath").asText(""), access));
        }
        return devices;
    }

    /** In the order of {@code volumeMounts}. */
    List<Bind> binds(Map<String, String> environment) throws ConfigException, InterruptedException {
        List<Bind> binds = new ArrayList<>();
        int index = 0;
        for (JsonNode each : container.path("volumeMounts")) {
            PodVolume volume = volume(each, VolumeMode.FILESYSTEM, "mount");
            Access access = access(each, volume);
            Propagation propagation = propagation(each);
            Path source = source(each, volume, index, environment);
            binds.add(new Bind(source, absolute(each.path("mountPath").asText("")), access, propagation));
            index++;
        }
        return binds;
    }

    /** So that what is mounted within another mount comes after it; otherwise as they are. */
    static List<Bind> outerFirst(List<Bind> binds) {
        return binds.stream()
                .sorted(Comparator.comparingInt(each -> names(each.target()).size()))
                .toList();
    }

    /** Whether not all of a volume is mounted. */
    static boolean isOfPart(JsonNode mount) {
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
            throw ConfigException.create("cannot find volume \"" + name + "\" to " + doing + " into container \""
                    + container.path("name").asText("") + '"');
        }
        return volume;
    }

    private Access access(JsonNode mount, PodVolume volume) throws ConfigException {
        boolean readOnly = mount.path("readOnly").asBoolean(false);
        Access plain = readOnly || volume.readOnly() ? Access.READ_ONLY : Access.READ_WRITE;
        String recursive = mount.path("recursiveReadOnly").asText("");
        if (recursive.isEmpty() || recursive.equals("Disabled")) {
            return plain;
        }
        String asked =
                "volume \"" + mount.path("name").asText("") + "\" requested recursive read-only mode, but it is ";
        if (!readOnly) {
            throw ConfigException.config(asked + "not read-only");
        }
        if (propagation(mount) != Propagation.PRIVATE) {
            throw ConfigException.config(asked + "not compatible with propagation \""
                    + mount.path("mountPropagation").asText("") + '"');
        }
        return switch (recursive) {
            case "Enabled" -> Access.READ_ONLY_RECURSIVE;
            case "IfPossible" -> parts.recursiveReadOnly().getAsBoolean() ? Access.READ_ONLY_RECURSIVE : plain;
            default -> throw ConfigException.config("unknown recursive read-only mode \"" + recursive + '"');
        };
    }

    private static Propagation propagation(JsonNode mount) throws ConfigException {
        String asked = mount.path("mountPropagation").asText("");
        return switch (asked) {
            case "", "None" -> Propagation.PRIVATE;
            case "HostToContainer" -> Propagation.HOST_TO_CONTAINER;
            case "Bidirectional" -> Propagation.BIDIRECTIONAL;
            default -> throw ConfigException.config("invalid MountPropagation mode: \"" + asked + '"');
        };
    }

    private Path source(JsonNode mount, PodVolume volume, int index, Map<String, String> environment)
            throws ConfigException, InterruptedException {
        if (!isOfPart(mount)) {
            return volume.path();
        }
        String expression = mount.path("subPathExpr").asText("");
        boolean readOnly = mount.path("readOnly").asBoolean(false) || volume.readOnly();
        SubPathRequest.Use use = new SubPathRequest.Use(
                pod.uid(),
                volume.directoryName(),
                volume.name(),
                container.path("name").asText(""),
                index);
        try {
            String part = expression.isEmpty()
                    ? mount.path("subPath").asText("")
                    : SubPathExpr.expand(expression, environment);
            return parts.subPaths()
                    .set(new SubPathRequest(
                            volume.path(),
                            part,
                            use,
                            readOnly ? dev.mooring.volume.Access.READ_ONLY : dev.mooring.volume.Access.READ_WRITE));
        } catch (VolumeException e) {
            throw ConfigException.config(e.getMessage());
        }
    }
}
