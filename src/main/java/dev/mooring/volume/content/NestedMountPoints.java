package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Directories in a volume on which a container mounts others: {@code /etc/app} from a ConfigMap and {@code /etc/app/certs} from a Secret.
 * Containers can only read such a volume, so nobody could make {@code certs} later. Stateless.
 */
final class NestedMountPoints {
    private static final int PERMISSIONS = 0755;

    private NestedMountPoints() {}

    /** Relative to the volume of that name. Of two of which one lies in the other, the outer: the inner lies in another volume. */
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
        List<Path> own = new ArrayList<>();
        for (JsonNode mount : mounts) {
            String text = mount.path("mountPath").asText("");
            if (text.isEmpty() || text.indexOf('\0') >= 0) {
                continue;
            }
            // As the container sees it: nothing leads above its root.
            Path point = Path.of("/").resolve(text).normalize();
            everywhere.add(point);
            if (mount.path("name").asText("").equals(volume)) {
                own.add(point);
            }
        }
        for (Path base : own) {
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

    /** Not what the writer keeps for itself: a directory there would be in the way of all files. */
    private static void add(String path, SortedSet<String> all) {
        if (!path.startsWith("..")) {
            all.add(path);
        }
    }

    static void make(Directory volume, Iterable<String> paths, GroupAccess access) throws PathException {
        for (String path : paths) {
            Descent.make(volume, PayloadPath.names(path), access, PERMISSIONS).close();
        }
    }
}
