package dev.mooring.volume.work;

/**
 * Usage of a file system. Immutable.
 *
 * @param capacity in bytes, like the other sizes
 * @param available bytes available to programs that are not root
 * @param inodes 0 if the file system allocates inodes dynamically
 */
public record FileSystemStats(long capacity, long available, long used, long inodes, long inodesFree) {
    /** Converts block counts to bytes. */
    static FileSystemStats ofBlocks(
            long blockSize, long blocks, long free, long available, long inodes, long inodesFree) {
        return new FileSystemStats(
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
