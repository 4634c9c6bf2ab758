package dev.mooring.node.volumemanager;

import dev.mooring.world.World;

/** Gives a simulated cleaner of Pod directories access to {@link PodDirectoryReferences}. */
public final class PodDirectoryReferencesAccess {
    private PodDirectoryReferencesAccess() {}

    public static boolean isReferenced(World world, String node, String podUid) {
        return PodDirectoryReferences.isReferenced(world, node, podUid);
    }
}
