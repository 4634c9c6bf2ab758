package dev.mooring.volume.work;

import java.nio.file.Path;

/**
 * What this node knows of NFS. Immutable.
 *
 * @param server name or address of the server that is used where a class names none; "" for none
 * @param exportRoot the directory the server exports, as clients name it; if this machine is the server, also a directory of it
 * @param role whether this machine is that server
 * @param mountOptions of the short mounts; soft, so that a dead server ends a child process instead of holding it
 */
public record NfsSettings(String server, Path exportRoot, Role role, String mountOptions) {
    private static final String DEFAULT_OPTIONS = "soft,timeo=100,retrans=2,nolock,nosuid,nodev,noexec";

    /** On which side of NFS this machine is. */
    public enum Role {
        SERVER,
        CLIENT
    }

    public NfsSettings(String server, Path exportRoot, Role role) {
        this(server, exportRoot, role, DEFAULT_OPTIONS);
    }

    /** A class must then name server and share itself. */
    public static NfsSettings none() {
        return new NfsSettings("", Path.of("/"), Role.CLIENT);
    }
}
