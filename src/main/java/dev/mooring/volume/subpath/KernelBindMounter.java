package dev.mooring.volume.subpath;

import com.sun.jna.NativeLong;
import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Bind-mounts with the system call: mount(8) would resolve the descriptor's path and use the result (CVE-2021-25741).
 * Used by the child process. Stateless.
 */
final class KernelBindMounter implements BindMounter {
    private static final long READ_ONLY = 1;
    private static final long REMOUNT = 32;
    private static final long BIND = 4096;
    private static final long PRIVATE = 1 << 18;

    /** Options that a remount must repeat to keep them. */
    private static final Map<String, Long> KEPT = Map.of(
            "nosuid", 2L, "nodev", 4L, "noexec", 8L, "noatime", 1024L, "nodiratime", 2048L, "relatime", 1L << 21);

    private final SystemCalls calls;

    KernelBindMounter(SystemCalls calls) {
        this.calls = calls;
    }

    @Override
    public void bind(Descriptor source, Path target, Access access) throws VolumeException {
        mount(source.procPath(), target, BIND);
        // Later mounts in the volume must not appear here, because they could not be unmounted with this mount.
        mount("none", target, PRIVATE);
        if (access == Access.READ_ONLY) {
            long flags = BIND | REMOUNT | READ_ONLY;
            for (String each : options(target)) {
                flags |= KEPT.getOrDefault(each, 0L);
            }
            mount("none", target, flags);
        }
    }

    private void mount(String source, Path target, long flags) throws VolumeException {
        if (calls.mount(bytes(source), bytes(target.toString()), bytes("none"), new NativeLong(flags), null) < 0) {
            PathException e = PathException.ofLastError("mount", target.toString());
            throw VolumeException.uncertain("MountFailed", "error mounting " + e.getMessage(), e.getMessage());
        }
    }

    private static List<String> options(Path target) throws VolumeException {
        try {
            return MountTable.read().at(target).map(MountTable.Mount::options).orElse(List.of());
        } catch (IOException e) {
            throw VolumeException.uncertain("MountFailed", "error reading the mount table", e.toString());
        }
    }

    private static byte[] bytes(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }
}
