package dev.mooring.volume.work;

import java.nio.file.Path;

/**
 * NFS settings of this node. Immutable.
 *
 * @param server name or address of the server for classes that name none; "" for none
 * @param exportRoot the exported directory as clients name it; if this machine is the server, also a local directory
 * @param role whether this machine is that server
 * @param mountOptions options of temporary mounts; soft, so that a dead server ends a child process instead of blocking
 *     it
 */
public record NfsSettings(String server, Path exportRoot, NfsRole role, String mountOptions) {
    private static final String DEFAULT_OPTIONS = "soft,timeo=100,retrans=2,nolock,nosuid,nodev,noexec";

    /** Role of this machine. */
    public enum NfsRole {
        SERVER,
        CLIENT
    }

    public NfsSettings(String server, Path exportRoot, NfsRole role) {
        this(server, exportRoot, role, DEFAULT_OPTIONS);
    }

    /** Returns settings without a default server; a class must name server and share. */
    public static NfsSettings none() {
        return new NfsSettings("", Path.of("/"), NfsRole.CLIENT);
    }
}
