package dev.mooring.volume;

import dev.mooring.model.view.VolumeMode;
import java.nio.file.Path;

/**
 * A volume that is to disappear for a Pod. Neither the Pod nor the claim need exist any more, so this is all there is to go by.
 *
 * @param volume its identity on the node
 * @param name as directories are called
 * @param podUid whose it was
 * @param target where the node's layout has it
 * @param server the NFS server it comes from; "" if it comes from none or that is not known any more
 */
public record TearDown(String volume, String name, String podUid, Path target, VolumeMode mode, String server) {}
