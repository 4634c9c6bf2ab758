package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.MountTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks once more whether what a container is about to get is mounted: an engine would take the bare directory otherwise, and the container
 * would write beside its volume. What may be on a server is not touched. For one look, by one thread; blocks for the machine's own disk only.
 */
final class VolumeCheck {
    private final NodeLayout layout;
    private final Mounter mounter;
    private MountTable table;

    VolumeCheck(NodeLayout layout, Mounter mounter) {
        this.layout = layout;
        this.mounter = mounter;
    }

    void volumes(List<PodVolume> volumes) throws ConfigException {
        for (PodVolume each : volumes) {
            switch (each.mountPoint()) {
                case LOCAL -> mustBe("volume", each.name(), each.path(), () -> mounter.isMountPoint(each.path()));
                case REMOTE -> mustBe("volume", each.name(), each.path(), () -> isInTable(each.path()));
                case NONE -> {
                    // A directory of the machine's, in which nothing need be mounted.
                }
            }
        }
    }

    /** Parts of volumes are mounted at places of their own, whatever kind of volume they are of. */
    void parts(Pod pod, JsonNode container, List<PodVolume> volumes) throws ConfigException {
        Map<String, PodVolume> byName = new HashMap<>();
        volumes.forEach(each -> byName.put(each.name(), each));
        int index = 0;
        for (JsonNode mount : container.path("volumeMounts")) {
            String name = mount.path("name").asText("");
            if (VolumeMounts.isOfPart(mount) && byName.containsKey(name)) {
                String directory = byName.get(name).directoryName();
                String user = container.path("name").asText("");
                Path path = layout.subPath(pod.uid(), directory, user, index);
                mustBe("a part of volume", name, path, () -> isInTable(path));
            }
            index++;
        }
    }

    /**
     * Looks from the inside: what the container has is the volume, and not the directory that was bare in the moment the engine looked. Where the machine
     * has nothing mounted any more, or the process is gone, there is nothing to compare with.
     *
     * @param mountinfo of the container's process
     */
    void inside(JsonNode container, List<PodVolume> volumes, Path mountinfo) throws ConfigException {
        MountTable seen;
        MountTable here;
        try {
            seen = MountTable.read(mountinfo);
            here = mounter.table();
        } catch (IOException | VolumeException e) {
            return;
        }
        for (JsonNode mount : container.path("volumeMounts")) {
            String name = mount.path("name").asText("");
            Optional<PodVolume> volume = volumes.stream()
                    .filter(each -> each.name().equals(name) && each.mountPoint() != PodVolume.MountPoint.NONE)
                    .findFirst();
            Optional<String> device =
                    volume.flatMap(each -> here.at(each.path())).map(MountTable.Mount::device);
            if (device.isPresent() && !hasDevice(seen, mount.path("mountPath").asText(""), device.get())) {
                throw ConfigException.create("Expected volume \"" + name + "\" to be in the container at "
                        + mount.path("mountPath").asText("")
                        + ", but it was not mounted in the moment the container began: it was ended, because what it"
                        + " writes does not get into the volume");
            }
        }
    }

    /** A path that goes through links of the image's is another one inside; then it must be somewhere. */
    private static boolean hasDevice(MountTable seen, String mountPath, String device) {
        Optional<MountTable.Mount> there =
                mountPath.startsWith("/") ? seen.at(Path.of(mountPath).normalize()) : Optional.empty();
        return there.map(each -> each.device().equals(device))
                .orElseGet(() ->
                        seen.mounts().stream().anyMatch(each -> each.device().equals(device)));
    }

    private boolean isInTable(Path path) throws VolumeException {
        if (table == null) {
            table = mounter.table();
        }
        return table.isMountPoint(path);
    }

    private interface Question {
        boolean isMounted() throws VolumeException;
    }

    private static void mustBe(String what, String name, Path path, Question question) throws ConfigException {
        String expected = "Expected " + what + " \"" + name + "\" to be mounted at " + path + ", but ";
        boolean mounted;
        try {
            mounted = question.isMounted();
        } catch (VolumeException e) {
            throw ConfigException.create(expected + "that cannot be found out: " + e.getMessage());
        }
        if (!mounted) {
            throw ConfigException.create(expected + "nothing is mounted there: the container was not started, because"
                    + " what it writes would not get into the volume");
        }
    }
}
