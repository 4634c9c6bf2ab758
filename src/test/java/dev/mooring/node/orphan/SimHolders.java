package dev.mooring.node.orphan;

import dev.mooring.world.World;
import java.util.Set;

/** For a simulated {@link Cleaner}: whose directories objects hold. */
public final class SimHolders {
    private SimHolders() {}

    public static Set<String> uids(World world, String node) {
        return Holders.uids(world, node);
    }
}
