package dev.mooring.volume;

/**
 * Identifies a worker pool, which limits how many operations run concurrently.
 *
 * @param kind such as server
 * @param name such as the server's; "" if the kind has only one pool
 */
public record WorkerPoolKey(String kind, String name) {
    public static final WorkerPoolKey LOCAL = new WorkerPoolKey("local", "");

    /** Disks and loop devices. */
    public static final WorkerPoolKey DEVICE = new WorkerPoolKey("device", "");

    private static final String SERVER = "server";

    /** Returns the pool of operations that wait for a server. */
    public static WorkerPoolKey server(String name) {
        return new WorkerPoolKey(SERVER, name);
    }

    /** Returns whether operations in this pool wait for another machine, which may be down. */
    public boolean isServer() {
        return kind.equals(SERVER);
    }
}
