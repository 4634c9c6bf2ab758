package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests with outputs of nfs-utils 1.3 to 2.8, util-linux 2.2x to 2.40 and busybox. */
class NfsFailureTest {
    private static final String STATD = """
        mount.nfs: rpc.statd is not running but is required for remote locking.
        mount.nfs: Either use '-o nolock' to keep locks local, or start statd.
        """;

    private static final String OLD_MOUNT = """
        mount: wrong fs type, bad option, bad superblock on nas:/exports/data,
               missing codepage or helper program, or other error
               (for several filesystems (e.g. nfs, cifs) you might
               need a /sbin/mount.<type> helper program)
        """;

    private static Arguments row(String output, String reason, String message) {
        return Arguments.of(output, reason, message);
    }

    static Stream<Arguments> outputs() {
        return Stream.of(serverFailures(), networkFailures(), nodeFailures()).flatMap(each -> each);
    }

    private static Stream<Arguments> serverFailures() {
        return Stream.of(
                row(
                        "mount.nfs: access denied by server while mounting nas:/exports/data",
                        "AccessDenied",
                        "exportfs -v"),
                row(
                        "mount.nfs4: access denied by server while mounting nas:/exports/data",
                        "AccessDenied",
                        "exportfs -v"),
                row(
                        "mount.nfs: mounting nas:/exports/data failed, reason given by server: No such file or"
                                + " directory",
                        "ExportNotFound",
                        "server nas has no export /exports/data"),
                row("mount.nfs: No such file or directory", "ExportNotFound", "showmount -e nas"),
                row(
                        "mount.nfs: No such file or directory for nas:/exports/data on /mooring/x",
                        "ExportNotFound",
                        "fsid=0"),
                row("mount.nfs: Protocol not supported", "VersionNotSupported", "vers=3"),
                row("mount.nfs: Protocol not supported for nas:/x on /mooring/x", "VersionNotSupported", "vers=4.2"),
                row(
                        "mount.nfs: requested NFS version or transport protocol is not supported",
                        "VersionNotSupported",
                        "rpcinfo -p nas"),
                row(
                        "mount.nfs: requested NFS version or transport protocol is not supported for nas:/x on"
                                + " /mooring/x",
                        "VersionNotSupported",
                        "vers=3"),
                row(
                        "mount.nfs: portmap query failed: RPC: Program not registered\n"
                                + "mount.nfs: requested NFS version or transport protocol is not supported",
                        "VersionNotSupported",
                        "vers=4.2"),
                row("mount.nfs: Stale file handle", "StaleFileHandle", "exportfs -ra"),
                row("mount.nfs: Stale NFS file handle", "StaleFileHandle", "fsid="),
                row(
                        "mount.nfs: mounting nas:/exports/data failed, reason given by server: Stale file handle",
                        "StaleFileHandle",
                        "/exports/data"),
                row("mount.nfs: Permission denied", "AccessDenied", "root_squash"),
                row(
                        "mount.nfs: mounting nas:/exports/data failed, reason given by server: Permission denied",
                        "AccessDenied",
                        "denies this node access to /exports/data"),
                row(
                        "mount.nfs: nas:/exports/data failed, security flavor not supported",
                        "SecurityNotSupported",
                        "mount option sec"),
                row("mount.nfs: Not a directory", "NotADirectory", "correct nfs.path"));
    }

    private static Stream<Arguments> networkFailures() {
        return Stream.of(
                row("mount.nfs: Connection refused", "ServerRefused", "server nas refused the connection"),
                row("mount.nfs: Connection refused for nas:/exports/data on /mooring/x", "ServerRefused", "nfs-server"),
                row(
                        "mount.nfs: portmap query failed: RPC: Unable to receive - Connection refused\n"
                                + "mount.nfs: Connection refused",
                        "ServerRefused",
                        "rpcbind"),
                row(
                        "mount.nfs: mount to NFS server 'nas' failed: RPC Error: Unable to receive; errno = Connection"
                                + " refused",
                        "ServerRefused",
                        "mountd"),
                row(
                        "mount: mounting nas:/exports/data on /mooring/x failed: Connection refused",
                        "ServerRefused",
                        "refused"),
                row("mount.nfs: Connection timed out", "ServerUnreachable", "server nas cannot be reached"),
                row(
                        "mount.nfs: mount to NFS server 'nas' failed: timed out, giving up",
                        "ServerUnreachable",
                        "firewall"),
                row("mount.nfs: No route to host", "ServerUnreachable", "check that it is up"),
                row("mount.nfs: No route to host for nas:/ on /mooring/x", "ServerUnreachable", "check that it is up"),
                row("mount.nfs: Network is unreachable", "ServerUnreachable", "cannot be reached"),
                row(
                        "mount.nfs: Failed to resolve server nas: Name or service not known",
                        "UnknownHost",
                        "getent hosts nas"),
                row(
                        "mount.nfs: Failed to resolve server nas: Temporary failure in name resolution",
                        "UnknownHost",
                        "server nas is unknown"),
                row(
                        "mount.nfs: Failed to resolve server nas: No address associated with hostname",
                        "UnknownHost",
                        "correct nfs.server"),
                row("mount.nfs: Input/output error", "IoError", "dmesg"),
                row("mount.nfs: Remote I/O error", "IoError", "server's log"),
                row("mount.nfs: Address family not supported by protocol", "NoAddressFamily", "IPv6"));
    }

    private static Stream<Arguments> nodeFailures() {
        return Stream.of(
                row(
                        "mount: /mooring/x: bad option; for several filesystems (e.g. nfs, cifs) you might need a"
                                + " /sbin/mount.<type> helper program.\n       dmesg(1) may have more information after"
                                + " failed mount system call.",
                        "ProgramMissing",
                        "apt-get install nfs-common"),
                row(OLD_MOUNT, "ProgramMissing", "dnf install nfs-utils"),
                row(
                        "mount: /mooring/x: unknown filesystem type 'nfs'.\n       dmesg(1) may have more information"
                                + " after failed mount system call.",
                        "NoNfsInKernel",
                        "neither mount.nfs nor NFS in its kernel"),
                row("mount: unknown filesystem type 'nfs'", "NoNfsInKernel", "modprobe nfs"),
                row("mount.nfs: No such device", "NoNfsInKernel", "the kernel of this node has no NFS"),
                row("mount.nfs: No such device for nas:/exports/data on /mooring/x", "NoNfsInKernel", "modprobe nfs"),
                row(STATD, "LockingNotAvailable", "nolock"),
                row(STATD + "mount.nfs: an incorrect mount option was specified", "LockingNotAvailable", "rpc-statd"),
                row(
                        STATD + "mount.nfs: Operation not permitted for nas:/exports/data on /mooring/x",
                        "LockingNotAvailable",
                        "vers=4"),
                row("mount.nfs: Operation not permitted", "NotPermitted", "CAP_SYS_ADMIN"),
                row(
                        "mount.nfs: mounting nas:/exports/data failed, reason given by server: Operation not permitted",
                        "NotPermitted",
                        "insecure"),
                row("mount.nfs: failed to apply fstab options\n", "NotPermitted", "must be root"),
                row("mount: /mooring/x: must be superuser to use mount.", "NotPermitted", "must be root"),
                row("mount.nfs: Invalid argument", "InvalidOptions", "(vers=4.1,nosuid,nodev,retry=0)"),
                row("mount.nfs: an incorrect mount option was specified", "InvalidOptions", "rpc.gssd"),
                row(
                        "mount.nfs: an incorrect mount option was specified for nas:/exports/data on /mooring/x",
                        "InvalidOptions",
                        "vers=4.1"),
                row("mount.nfs: parsing error on 'vers=' option", "InvalidOptions", "vers=4.1"),
                row("mount.nfs: Unsupported nfs mount option: foo", "InvalidOptions", "vers=4.1"),
                row("mount.nfs: /mooring/x is busy or already mounted", "Busy", "nosharecache"),
                row(
                        "mount.nfs: /mooring/x is busy or already mounted or sharecache fail",
                        "Busy",
                        "nas:/exports/data is mounted on this node with other options"),
                row("mount.nfs: Device or resource busy", "Busy", "nosharecache"),
                row("mount.nfs: mount point /mooring/x does not exist", "MountPointMissing", "created again"),
                row(
                        "mount.nfs: mount system call failed",
                        "MountFailed",
                        "mounting nas:/exports/data failed: mount.nfs: mount system call failed"));
    }

    private static NfsVolume volume(String path) throws VolumeException {
        return NfsVolume.of(NfsPluginFixture.volume("nas", path, "vers=4.1"), Access.READ_WRITE);
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void failure_outputOfMount_isTranslated(String output, String reason, String message) throws VolumeException {
        NfsFailure failure = NfsFailure.of(output, volume("/exports/data"));

        assertThat(failure.reason()).isEqualTo(reason);
        assertThat(failure.message()).contains(message).doesNotContain("%");
    }

    @Test
    void failure_exportNameContainsErrorText_isIgnored() throws VolumeException {
        String path = "/stale file handle/no such device";
        String output = "mount.nfs: access denied by server while mounting nas:" + path;

        assertThat(NfsFailure.of(output, volume(path)).reason()).isEqualTo("AccessDenied");
        assertThat(NfsFailure.of("mount.nfs: mounting nas:/ failed: Input/output error", volume("/"))
                        .reason())
                .isEqualTo("IoError");
    }

    @Test
    void failure_mountTimedOut_namesServer() throws VolumeException {
        VolumeException killed = VolumeException.uncertain("TooSlow", "killed", "killed");

        NfsFailure failure = NfsFailure.of(killed, volume("/exports/data"));

        assertThat(failure.reason()).isEqualTo("TooSlow");
        assertThat(failure.message()).contains("server nas accepted connections but did not respond in time");
    }

    @Test
    void failure_withoutOutput_isKept() throws VolumeException {
        VolumeException missing = VolumeException.clean("ProgramMissing", "Program mount not found in …");

        assertThat(NfsFailure.of(missing, volume("/exports/data")))
                .isEqualTo(new NfsFailure("ProgramMissing", "Program mount not found in …"));
    }

    @Test
    void isResponse_distinguishesReasons() {
        assertThat(NfsFailure.isResponse("AccessDenied")).isTrue();
        assertThat(NfsFailure.isResponse("ServerRefused")).isFalse();
        assertThat(NfsFailure.isNoResponse("ServerRefused")).isTrue();
        assertThat(NfsFailure.isNoResponse("ServerUnreachable")).isTrue();
        assertThat(NfsFailure.isNoResponse("TooSlow")).isTrue();
        assertThat(NfsFailure.isNoResponse("UnknownHost")).isFalse();
        assertThat(NfsFailure.isResponse("NoNfsInKernel")).isFalse();
    }
}
