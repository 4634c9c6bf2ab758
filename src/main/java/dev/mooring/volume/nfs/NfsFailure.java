package dev.mooring.volume.nfs;

import dev.mooring.volume.VolumeException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a failed mount means, in words, and what to do about it: a translation of what mount.nfs (nfs-utils 1.3 to 2.8), mount (util-linux)
 * and the kernel say. The first line of the table that matches counts, so what is more special stands before what is more general.
 * Immutable.
 *
 * @param reason one word for programs
 * @param message for people; names server and export
 */
record NfsFailure(String reason, String message) {
    static final String TOO_SLOW = "TooSlow";

    /** The server gave a sign of life. */
    private static final Set<String> ANSWERS = Set.of(
            "AccessDenied",
            "ExportNotFound",
            "NotADirectory",
            "SecurityNotSupported",
            "StaleFileHandle",
            "VersionNotSupported");

    private static final Set<String> SILENCE = Set.of(PreFlight.REFUSED, PreFlight.UNREACHABLE, TOO_SLOW);

    private record Rule(String reason, String words, List<String> signs) {
        Rule(String reason, String words, String... signs) {
            this(reason, words, List.of(signs));
        }
    }

    private static final List<Rule> RULES = List.of(
            new Rule(
                    "LockingNotAvailable",
                    "this node has no rpc.statd, which locking with NFS version 3 needs: start it (`systemctl start"
                            + " rpc-statd`), or keep locks on this node with the mount option nolock, or use version 4"
                            + " (mount option vers=4)",
                    "rpc.statd is not running"),
            new Rule(
                    "ProgramMissing",
                    "mount.nfs is missing on this node: apt-get install nfs-common (Debian, Ubuntu) or dnf install"
                            + " nfs-utils (Fedora, Red Hat)",
                    "helper program",
                    "mount.<type>",
                    "program mount.nfs"),
            new Rule(
                    "NoNfsInKernel",
                    "this node has neither mount.nfs nor NFS in its kernel: apt-get install nfs-common (Debian,"
                            + " Ubuntu) or dnf install nfs-utils (Fedora, Red Hat), then load NFS with `modprobe nfs`",
                    "unknown filesystem type"),
            new Rule(
                    "NoNfsInKernel",
                    "the kernel of this node has no NFS: load it with `modprobe nfs`, or install the package with the"
                            + " kernel's modules (such as linux-modules-extra) or another kernel",
                    "no such device"),
            new Rule(
                    "NotPermitted",
                    "this process may not mount: it must be root with CAP_SYS_ADMIN (in a container: privileged)",
                    "failed to apply fstab options",
                    "must be superuser",
                    "only root can"),
            new Rule(
                    "AccessDenied",
                    "server %1$s does not permit this node to mount %2$s: on the server, see with `exportfs -v` whether"
                            + " %2$s is exported and to whom, add this node to its line in /etc/exports and run"
                            + " `exportfs -ra`",
                    "access denied by server"),
            new Rule(
                    PreFlight.UNKNOWN_HOST,
                    "server %1$s is unknown: correct nfs.server, or see whether this node's name service works (`getent"
                            + " hosts %1$s`)",
                    "failed to resolve server",
                    "name or service not known",
                    "temporary failure in name resolution",
                    "no address associated with hostname",
                    "can't get address for"),
            new Rule(
                    "SecurityNotSupported",
                    "server %1$s does not offer the security that is asked for for %2$s: correct the mount option sec,"
                            + " or the sec= of the export on the server",
                    "security flavor not supported"),
            new Rule(
                    "VersionNotSupported",
                    "server %1$s, or the kernel of this node, does not offer the NFS version or transport that is asked"
                            + " for: try the mount options vers=4.2, vers=4.0 or vers=3 (`rpcinfo -p %1$s` shows"
                            + " what the server has)",
                    "requested nfs version or transport protocol is not supported",
                    "protocol not supported",
                    "program/version mismatch",
                    "program not registered",
                    "rpc: program unavailable"),
            new Rule(
                    "NoAddressFamily",
                    "this node cannot use the kind of address that server %1$s has: name an IPv4 address if IPv6 is"
                            + " switched off here",
                    "address family not supported"),
            new Rule(
                    PreFlight.REFUSED,
                    "server %1$s refused the connection: the machine is up, but its NFS server, or for version 3"
                            + " rpcbind or mountd, does not listen; start it (`systemctl start nfs-server`)",
                    "connection refused",
                    "connection reset by peer"),
            new Rule(
                    PreFlight.UNREACHABLE,
                    "server %1$s cannot be reached: the machine is down, or a firewall or the network between drops"
                            + " what is sent; see whether it is up and its ports are open for this node",
                    "timed out",
                    "no route to host",
                    "network is unreachable",
                    "network is down",
                    "host is down",
                    "host is unreachable"),
            new Rule(
                    "StaleFileHandle",
                    "server %1$s no longer knows what it exports as %2$s (stale file handle): on the server, run"
                            + " `exportfs -f` and `exportfs -ra`; a file system that is mounted there anew may need an"
                            + " fsid= in /etc/exports",
                    "stale file handle",
                    "stale nfs file handle"),
            new Rule(
                    "Busy",
                    "%3$s is mounted on this node with other options, which cannot be shared (read-only and writable"
                            + " ones, for example): add the mount option nosharecache",
                    "busy or already mounted",
                    "is already mounted",
                    "device is busy",
                    "device or resource busy"),
            new Rule(
                    "MountPointMissing",
                    "the directory to mount on has disappeared; it is made again with the next try",
                    "mount point",
                    "not a mountpoint"),
            new Rule("NotADirectory", "%2$s of server %1$s is not a directory: correct nfs.path", "not a directory"),
            new Rule(
                    "ExportNotFound",
                    "server %1$s has no export %2$s: correct nfs.path, or create and export the directory on the server"
                            + " (`showmount -e %1$s` lists the exports; with NFS version 4 the path is that below the"
                            + " export with fsid=0, if there is one)",
                    "no such file or directory",
                    "too many levels of symbolic links"),
            new Rule(
                    "AccessDenied",
                    "server %1$s denies this node access to %2$s: see the permissions of the directory and those above"
                            + " it on the server, its /etc/exports (root_squash, sec=), and with sec=krb5 this node's"
                            + " keytab and rpc.gssd",
                    "permission denied"),
            new Rule(
                    "NotPermitted",
                    "mounting is not permitted: either this process lacks CAP_SYS_ADMIN (in a container: privileged),"
                        + " or server %1$s only answers to ports below 1024 (leave out the mount option noresvport, or"
                        + " export with insecure)",
                    "operation not permitted"),
            new Rule(
                    "InvalidOptions",
                    "the mount options (%4$s) are not understood by mount.nfs, the kernel or server %1$s: leave out all"
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
            new Rule(
                    "IoError",
                    "server %1$s, or the connection to it, failed with an input/output error: see the server's log and"
                            + " this node's kernel log (`dmesg`)",
                    "input/output error",
                    "remote i/o error"));

    /** What it means that mounting failed so. */
    static NfsFailure of(VolumeException failed, NfsVolume volume) {
        if (failed.reason().equals(TOO_SLOW)) {
            return new NfsFailure(
                    TOO_SLOW,
                    "server " + volume.server() + " took connections but did not answer in time while " + volume
                            + " was being mounted, so mount was killed: see whether the NFS server hangs or waits for a"
                            + " disk, and whether all ports it uses are open for this node");
        }
        // Without output there was no program to say anything, and the failure speaks for itself.
        return failed.raw().isBlank() ? new NfsFailure(failed.reason(), failed.getMessage()) : of(failed.raw(), volume);
    }

    /** What this output means. */
    static NfsFailure of(String output, NfsVolume volume) {
        // A path may hold any words, such as those of another failure.
        String said = output.replace(volume.source(), "").toLowerCase(Locale.ROOT);
        for (Rule each : RULES) {
            if (each.signs().stream().anyMatch(said::contains)) {
                return new NfsFailure(each.reason(), words(each, volume));
            }
        }
        return new NfsFailure("MountFailed", "mounting " + volume + " failed: " + output.strip());
    }

    private static String words(Rule rule, NfsVolume volume) {
        return String.format(
                Locale.ROOT,
                rule.words(),
                volume.server(),
                volume.path(),
                volume.source(),
                String.join(",", volume.mountOptions()));
    }

    /** Whether a failure with this reason proves that the server answers. */
    static boolean isAnswer(String reason) {
        return ANSWERS.contains(reason);
    }

    /** Whether a failure with this reason suggests that it does not. */
    static boolean isSilence(String reason) {
        return SILENCE.contains(reason);
    }
}
