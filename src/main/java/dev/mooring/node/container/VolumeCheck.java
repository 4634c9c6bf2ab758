package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.MountTable;
import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.Pod;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks that the volumes of a container are still mounted before it is started: otherwise the engine would bind the
 * empty mount point, and the container would write beside its volume. Does not touch paths that may be remote. Used
 * once, by one thread; blocks on local disks only.
 */
public final class VolumeCheck {
    private final NodeLayout layout;
    private final Mounter mounter;
    private MountTable table;

    public VolumeCheck(NodeLayout layout, Mounter mounter) {
        this.layout = layout;
        this.mounter = mounter;
    }

    /** Checks that volumes are mounted, as far as their type has a mount point. */
    public void checkVolumes(List<PodVolume> volumes) throws ConfigException {
        for (PodVolume each : volumes) {
            switch (each.mountPoint()) {
                case LOCAL ->
                    requireMounted("volume", each.name(), each.path(), () -> mounter.isMountPoint(each.path()));
                case REMOTE -> requireMounted("volume", each.name(), each.path(), () -> isInTable(each.path()));
                case NONE -> {
                    // A host directory, which need not be a mount point.
                }
            }
        }
    }

    /** Checks subPath mounts, which are mount points for all types of volumes. */
    void checkSubPaths(Pod pod, JsonNode container, List<PodVolume> volumes) throws ConfigException {
        Map<String, PodVolume> byName = new HashMap<>();
        volumes.forEach(each -> byName.put(each.name(), each));
        int index = 0;
        for (JsonNode mount : container.path("volumeMounts")) {
            String name = mount.path("name").asText("");
            if (ContainerMounts.isSubPath(mount) && byName.containsKey(name)) {
                String directory = byName.get(name).directoryName();
                String user = container.path("name").asText("");
                Path path = layout.subPath(pod.uid(), directory, user, index);
                requireMounted("subPath of volume", name, path, () -> isInTable(path));
            }
            index++;
        }
    }

    /**
     * Checks from the inside that the container has the volume, and not the empty mount point from the moment the
     * engine resolved it. Skips volumes that are no longer mounted on the machine, and containers that have ended.
     *
     * @param mountinfo of the container's process
     */
    void checkInside(JsonNode container, List<PodVolume> volumes, Path mountinfo) throws ConfigException {
        MountTable containerMounts;
        MountTable hostMounts;
        try {
            containerMounts = MountTable.read(mountinfo);
            hostMounts = mounter.table();
        } catch (IOException | VolumeException e) {
            return;
        }
        for (JsonNode mount : container.path("volumeMounts")) {
            String name = mount.path("name").asText("");
            Optional<PodVolume> volume = volumes.stream()
                    .filter(each -> each.name().equals(name) && each.mountPoint() != MountPoint.NONE)
                    .findFirst();
            Optional<String> device =
                    volume.flatMap(each -> hostMounts.at(each.path())).map(MountTable.Mount::device);
            if (device.isPresent()
                    && !hasDevice(containerMounts, mount.path("mountPath").asText(""), device.get())) {
                throw ConfigException.createError("volume \"" + name + "\" was not mounted at "
                        + mount.path("mountPath").asText("")
                        + " when the container started; the container was stopped, because its writes would not"
                        + " reach the volume");
            }
        }
    }

    /**
     * Returns whether the device is mounted at the path. If the path contains symbolic links of the image, the mount
     * may be anywhere.
     */
    private static boolean hasDevice(MountTable containerMounts, String mountPath, String device) {
        Optional<MountTable.Mount> found = mountPath.startsWith("/")
                ? containerMounts.at(Path.of(mountPath).normalize())
                : Optional.empty();
        return found.map(each -> each.device().equals(device))
                .orElseGet(() -> containerMounts.mounts().stream()
                        .anyMatch(each -> each.device().equals(device)));
    }

    private boolean isInTable(Path path) throws VolumeException {
        if (table == null) {
            table = mounter.table();
        }
        return table.isMountPoint(path);
    }

    private interface MountQuery {
        boolean isMounted() throws VolumeException;
    }

    private static void requireMounted(String what, String name, Path path, MountQuery query) throws ConfigException {
        boolean mounted;
        try {
            mounted = query.isMounted();
        } catch (VolumeException e) {
            throw ConfigException.createError(
                    "cannot check whether " + what + " \"" + name + "\" is mounted at " + path + ": " + e.getMessage());
        }
        if (!mounted) {
            throw ConfigException.createError(what + " \"" + name + "\" is not mounted at " + path
                    + "; the container was not started, because its writes would not reach the volume");
        }
    }
}
