package dev.mooring.volume.nfs;

import dev.mooring.host.CommandResult;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The cause of a failed mount and what to do about it, derived from the messages of mount.nfs (nfs-utils 1.3 to 2.8),
 * mount (util-linux) and the kernel. The first matching row of the table wins, so specific rows come before general
 * ones. Immutable.
 *
 * @param reason one CamelCase word
 * @param message for people; names server and export
 */
public record NfsFailure(String reason, String message) {
    static final String TOO_SLOW = "TooSlow";

    /** Reasons that prove that the server responded. */
    private static final Set<String> RESPONSES = Set.of(
            "AccessDenied",
            "ExportNotFound",
            "NotADirectory",
            "SecurityNotSupported",
            "StaleFileHandle",
            "VersionNotSupported");

    private static final Set<String> NO_RESPONSE = Set.of(ServerProbe.REFUSED, ServerProbe.UNREACHABLE, TOO_SLOW);

    private record FailureRule(String reason, String messageTemplate, List<String> signs) {
        FailureRule(String reason, String message, String... signs) {
            this(reason, message, List.of(signs));
        }
    }

    private static final List<FailureRule> RULES = List.of(
            new FailureRule(
                    "LockingNotAvailable",
                    "this node has no rpc.statd, which locking with NFS version 3 needs: start it (`systemctl start"
                            + " rpc-statd`), or keep locks on this node with the mount option nolock, or use version 4"
                            + " (mount option vers=4)",
                    "rpc.statd is not running"),
            new FailureRule(
                    "ProgramMissing",
                    "mount.nfs is missing on this node: apt-get install nfs-common (Debian, Ubuntu) or dnf install"
                            + " nfs-utils (Fedora, Red Hat)",
                    "helper program",
                    "mount.<type>",
                    "program mount.nfs"),
            new FailureRule(
                    "NoNfsInKernel",
                    "this node has neither mount.nfs nor NFS in its kernel: apt-get install nfs-common (Debian,"
                            + " Ubuntu) or dnf install nfs-utils (Fedora, Red Hat), then load NFS with `modprobe nfs`",
                    "unknown filesystem type"),
            new FailureRule(
                    "NoNfsInKernel",
                    "the kernel of this node has no NFS: load it with `modprobe nfs`, or install the package with the"
                            + " kernel's modules (such as linux-modules-extra) or another kernel",
                    "no such device"),
            new FailureRule(
                    "NotPermitted",
                    "this process may not mount: it must be root with CAP_SYS_ADMIN (in a container: privileged)",
                    "failed to apply fstab options",
                    "must be superuser",
                    "only root can"),
            new FailureRule(
                    "AccessDenied",
                    "server %1$s does not permit this node to mount %2$s: on the server, check with `exportfs -v`"
                            + " whether %2$s is exported and to which clients, add this node to its line in"
                            + " /etc/exports and run `exportfs -ra`",
                    "access denied by server"),
            new FailureRule(
                    ServerProbe.UNKNOWN_HOST,
                    "server %1$s is unknown: correct nfs.server, or check whether this node's name service works"
                            + " (`getent hosts %1$s`)",
                    "failed to resolve server",
                    "name or service not known",
                    "temporary failure in name resolution",
                    "no address associated with hostname",
                    "can't get address for"),
            new FailureRule(
                    "SecurityNotSupported",
                    "server %1$s does not offer the requested security flavor for %2$s: correct the mount option sec,"
                            + " or the sec= of the export on the server",
                    "security flavor not supported"),
            new FailureRule(
                    "VersionNotSupported",
                    "server %1$s, or the kernel of this node, does not offer the requested NFS version or"
                            + " transport: try the mount options vers=4.2, vers=4.0 or vers=3 (`rpcinfo -p %1$s` shows"
                            + " what the server offers)",
                    "requested nfs version or transport protocol is not supported",
                    "protocol not supported",
                    "program/version mismatch",
                    "program not registered",
                    "rpc: program unavailable"),
            new FailureRule(
                    "NoAddressFamily",
                    "this node does not support the address family of server %1$s: use an IPv4 address if IPv6 is"
                            + " disabled here",
                    "address family not supported"),
            new FailureRule(
                    ServerProbe.REFUSED,
                    "server %1$s refused the connection: the machine is up, but its NFS server, or for version 3"
                            + " rpcbind or mountd, does not listen; start it (`systemctl start nfs-server`)",
                    "connection refused",
                    "connection reset by peer"),
            new FailureRule(
                    ServerProbe.UNREACHABLE,
                    "server %1$s cannot be reached: the machine is down, or a firewall or the network drops the"
                            + " packets; check that it is up and its ports are open for this node",
                    "timed out",
                    "no route to host",
                    "network is unreachable",
                    "network is down",
                    "host is down",
                    "host is unreachable"),
            new FailureRule(
                    "StaleFileHandle",
                    "server %1$s no longer knows what it exports as %2$s (stale file handle): on the server, run"
                            + " `exportfs -f` and `exportfs -ra`; a file system that was mounted there again may need"
                            + " an fsid= in /etc/exports",
                    "stale file handle",
                    "stale nfs file handle"),
            new FailureRule(
                    "Busy",
                    "%3$s is mounted on this node with other options, which cannot be shared (read-only and writable"
                            + " ones, for example): add the mount option nosharecache",
                    "busy or already mounted",
                    "is already mounted",
                    "device is busy",
                    "device or resource busy"),
            new FailureRule(
                    "MountPointMissing",
                    "the mount point does not exist any more; it is created again at the next attempt",
                    "mount point",
                    "not a mountpoint"),
            new FailureRule(
                    "NotADirectory", "%2$s of server %1$s is not a directory: correct nfs.path", "not a directory"),
            new FailureRule(
                    "ExportNotFound",
                    "server %1$s has no export %2$s: correct nfs.path, or create and export the directory on the server"
                            + " (`showmount -e %1$s` lists the exports; with NFS version 4 the path is that below the"
                            + " export with fsid=0, if there is one)",
                    "no such file or directory",
                    "too many levels of symbolic links"),
            new FailureRule(
                    "AccessDenied",
                    "server %1$s denies this node access to %2$s: see the permissions of the directory and those above"
                            + " it on the server, its /etc/exports (root_squash, sec=), and with sec=krb5 this node's"
                            + " keytab and rpc.gssd",
                    "permission denied"),
            new FailureRule(
                    "NotPermitted",
                    "mounting is not permitted: either this process lacks CAP_SYS_ADMIN (in a container: privileged),"
                            + " or server %1$s only accepts ports below 1024 (omit the mount option noresvport, or"
                            + " export with insecure)",
                    "operation not permitted"),
            new FailureRule(
                    "InvalidOptions",
                    "the mount options (%4$s) are not accepted by mount.nfs, the kernel or server %1$s: omit those"
                            + " that are not needed; sec=krb5 also needs rpc.gssd on this node",
                    "incorrect mount option",
                    "invalid argument",
                    "parsing error on",
                    "unsupported nfs mount option",
                    "unknown nfs mount option",
                    "invalid value for",
                    "multiple version options",
                    "option parsing error",
                    "wrong fs type",
                    "bad option"),
            new FailureRule(
                    "IoError",
                    "server %1$s, or the connection to it, failed with an input/output error: see the server's log and"
                            + " this node's kernel log (`dmesg`)",
                    "input/output error",
                    "remote i/o error"));

    /** Returns the cause of a failed mount. */
    static NfsFailure of(VolumeException failed, NfsVolume volume) {
        if (failed.reason().equals(TOO_SLOW)) {
            return tooSlow(volume);
        }
        // Without output no program ran, and the exception already has the cause.
        return failed.raw().isBlank() ? new NfsFailure(failed.reason(), failed.getMessage()) : of(failed.raw(), volume);
    }

    /**
     * Translates the failure of `mount` for an export that is mounted outside of the plugin, such as by a provisioner.
     */
    public static NfsFailure of(CommandResult mount, String server, Path export, String options) {
        return of(mount.errorOrOutput(), volume(server, export, options));
    }

    /** Translates the timeout of `mount`. */
    public static NfsFailure tooSlow(String server, Path export) {
        return tooSlow(volume(server, export, ""));
    }

    private static NfsVolume volume(String server, Path export, String options) {
        ServerName name = ServerName.parse(server).orElseGet(() -> new ServerName(server));
        return new NfsVolume(name, export.toString(), List.of(options.split(",", -1)), Access.READ_WRITE);
    }

    private static NfsFailure tooSlow(NfsVolume volume) {
        return new NfsFailure(
                TOO_SLOW,
                "server " + volume.server() + " accepted connections but did not respond in time while " + volume
                        + " was being mounted, so mount was killed: check whether the NFS server hangs or waits for a"
                        + " disk, and whether all ports it uses are open for this node");
    }

    /** Translates the output of mount. */
    static NfsFailure of(String output, NfsVolume volume) {
        // The path is removed, because it may contain text that matches another failure.
        String lower = output.replace(volume.source(), "").toLowerCase(Locale.ROOT);
        for (FailureRule each : RULES) {
            if (each.signs().stream().anyMatch(lower::contains)) {
                return new NfsFailure(each.reason(), formatMessage(each, volume));
            }
        }
        return new NfsFailure("MountFailed", "mounting " + volume + " failed: " + output.strip());
    }

    private static String formatMessage(FailureRule rule, NfsVolume volume) {
        return String.format(
                Locale.ROOT,
                rule.messageTemplate(),
                volume.server(),
                volume.path(),
                volume.source(),
                String.join(",", volume.mountOptions()));
    }

    /** Returns whether a failure with this reason proves that the server responds. */
    static boolean isResponse(String reason) {
        return RESPONSES.contains(reason);
    }

    /** Returns whether a failure with this reason suggests that the server does not respond. */
    static boolean isNoResponse(String reason) {
        return NO_RESPONSE.contains(reason);
    }
}
