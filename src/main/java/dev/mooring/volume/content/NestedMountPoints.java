package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds directories in a volume that a container uses as mount points of other volumes: {@code /etc/app} from a
 * ConfigMap and {@code /etc/app/certs} from a Secret. They must be created in advance, because containers have
 * read-only access. Stateless.
 */
final class NestedMountPoints {
    private static final int PERMISSIONS = 0755;

    private NestedMountPoints() {}

    /**
     * Returns paths relative to the named volume. Of nested paths only the outer one is returned, because the inner one
     * is in another volume.
     */
    static SortedSet<String> in(ObjectNode pod, String volume) {
        SortedSet<String> all = new TreeSet<>();
        for (String list : new String[] {"containers", "initContainers", "ephemeralContainers"}) {
            for (JsonNode container : pod.path("spec").path(list)) {
                inContainer(container.path("volumeMounts"), volume, all);
            }
        }
        return all;
    }

    private static void inContainer(JsonNode mounts, String volume, SortedSet<String> all) {
        SortedSet<Path> everywhere = new TreeSet<>();
        List<Path> mountPaths = new ArrayList<>();
        for (JsonNode mount : mounts) {
            String text = mount.path("mountPath").asText("");
            if (text.isEmpty() || text.indexOf('\0') >= 0) {
                continue;
            }
            // Normalized as in the container: ".." does not lead above its root.
            Path point = Path.of("/").resolve(text).normalize();
            everywhere.add(point);
            if (mount.path("name").asText("").equals(volume)) {
                mountPaths.add(point);
            }
        }
        for (Path base : mountPaths) {
            List<Path> outer = new ArrayList<>();
            for (Path each : everywhere) {
                boolean nested = each.startsWith(base) && !each.equals(base);
                if (nested && outer.stream().noneMatch(each::startsWith)) {
                    outer.add(each);
                    add(base.relativize(each).toString(), all);
                }
            }
        }
    }

    /** Adds the path unless the writer reserves its name. */
    private static void add(String path, SortedSet<String> all) {
        if (!path.startsWith("..")) {
            all.add(path);
        }
    }

    static void make(OpenDirectory volume, Iterable<String> paths, FsGroupPermissions access) throws PathException {
        for (String path : paths) {
            DirectoryPathCreator.make(volume, PayloadPath.names(path), access, PERMISSIONS)
                    .close();
        }
    }
}
