package dev.mooring.volume.host;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps users' paths out of Mooring's own directories: whoever could write there would own every Pod of the node. Only the data of volumes
 * that were provisioned in the usual place, {@code <root>/volumes/<kind>/…}, are the users' again. Goes by words; immutable.
 */
public final class OwnPlaces {
    private static final Path PROVISIONED = Path.of("volumes");

    /** The directory of one kind of volumes, and something in it. */
    private static final int DEPTH_OF_DATA = 3;

    private static final String MARKERS = ".mooring";

    private final Set<Path> own;

    public OwnPlaces(NodeLayout layout) {
        this.own = new LinkedHashSet<>(List.of(layout.root(), layout.data()));
    }

    /**
     * @param asked as the user writes it
     * @param real where that leads to
     */
    public void refuse(Path asked, Path real) throws VolumeException {
        for (Path each : new Path[] {asked, real}) {
            for (Path directory : own) {
                if (each.startsWith(directory) && !isData(directory.relativize(each))) {
                    throw VolumeException.clean(
                            "Refused",
                            asked + " leads to Mooring's own directory " + directory
                                    + ", which no Pod may see: choose a path outside of it");
                }
            }
        }
    }

    private static boolean isData(Path below) {
        if (below.getNameCount() < DEPTH_OF_DATA || !below.startsWith(PROVISIONED)) {
            return false;
        }
        for (Path name : below) {
            if (name.toString().startsWith(MARKERS)) {
                return false;
            }
        }
        return true;
    }
}
