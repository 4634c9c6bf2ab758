package dev.mooring.volume;

/**
 * Identifies a worker pool, which limits how many operations run concurrently.
 *
 * @param kind such as nfs
 * @param name such as the server's; "" if the kind has only one pool
 */
public record WorkerPoolKey(String kind, String name) {
    public static final WorkerPoolKey LOCAL = new WorkerPoolKey("local", "");

    /** Disks and loop devices. */
    public static final WorkerPoolKey DEVICE = new WorkerPoolKey("device", "");

    public static WorkerPoolKey nfs(String server) {
        return new WorkerPoolKey("nfs", server);
    }

    /** Returns whether operations in this pool wait for another machine, which may be down. */
    public boolean isServer() {
        return kind.equals("nfs");
    }
}
