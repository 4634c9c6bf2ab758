package dev.mooring.volume.usage;

/**
 * What a file system says of itself. Immutable.
 *
 * @param capacity in bytes, as all but the last two
 * @param available to programs that are not root
 * @param inodes 0 if it makes them as needed
 */
public record Space(long capacity, long available, long used, long inodes, long inodesFree) {
    /** As it is counted in blocks. */
    static Space ofBlocks(long blockSize, long blocks, long free, long available, long inodes, long inodesFree) {
        return new Space(
                blocks * blockSize,
                available * blockSize,
                (blocks - free) * blockSize,
                inodes,
                Math.max(0, inodesFree));
    }

    public long inodesUsed() {
        return Math.max(0, inodes - inodesFree);
    }
}
