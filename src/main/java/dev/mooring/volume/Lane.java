package dev.mooring.volume;

/**
 * What operations wait for together; so many of a lane run at a time.
 *
 * @param kind such as nfs
 * @param name such as the server's; "" if there is one only
 */
public record Lane(String kind, String name) {
    public static final Lane LOCAL = new Lane("local", "");

    /** Disks and loop devices. */
    public static final Lane DEVICE = new Lane("device", "");

    public static Lane nfs(String server) {
        return new Lane("nfs", server);
    }

    /** Whether it is another machine, which may be dead, that is waited for. */
    public boolean isServer() {
        return kind.equals("nfs");
    }
}
