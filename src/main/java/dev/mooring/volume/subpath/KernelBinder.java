package dev.mooring.volume.subpath;

import com.sun.jna.NativeLong;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Binds by the system call itself: mount(8) would look up where the descriptor's path leads and use that (CVE-2021-25741). For the child
 * process, which has no other way to mount. Stateless.
 */
final class KernelBinder implements Binder {
    private static final long READ_ONLY = 1;
    private static final long AGAIN = 32;
    private static final long BIND = 4096;
    private static final long PRIVATE = 1 << 18;

    /** Would be lost if they were not said again. */
    private static final Map<String, Long> KEPT = Map.of(
            "nosuid", 2L, "nodev", 4L, "noexec", 8L, "noatime", 1024L, "nodiratime", 2048L, "relatime", 1L << 21);

    private final SystemCalls calls;

    KernelBinder(SystemCalls calls) {
        this.calls = calls;
    }

    @Override
    public void bind(Descriptor source, Path target, Access access) throws VolumeException {
        mount(source.handle(), target, BIND);
        // What is mounted in the volume later must not appear here by itself: it could not be unmounted with it.
        mount("none", target, PRIVATE);
        if (access == Access.READ_ONLY) {
            long flags = BIND | AGAIN | READ_ONLY;
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
            throw VolumeException.uncertain("MountFailed", "error reading what is mounted", e.toString());
        }
    }

    private static byte[] bytes(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }
}
