package dev.mooring.node.volumemanager;

import dev.mooring.world.World;
import java.util.Set;

/** Gives a simulated {@link PodDirectoryCleaner} access to {@link PodDirectoryReferences}. */
public final class PodDirectoryReferencesAccess {
    private PodDirectoryReferencesAccess() {}

    public static Set<String> uids(World world, String node) {
        return PodDirectoryReferences.uids(world, node);
    }
}
