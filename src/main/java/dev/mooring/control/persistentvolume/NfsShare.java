package dev.mooring.control.persistentvolume;

/**
 * The default NFS share for classes that set none, from the server's settings. Its volumes are reachable from all
 * nodes, so a single node's settings do not determine it. Immutable.
 *
 * @param server "" for none
 * @param share directory that the server exports
 */
public record NfsShare(String server, String share) {
    /** No default: classes must set server and share. */
    public static final NfsShare NONE = new NfsShare("", "/");
}
