package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.FileReference;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountScope;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of {@link SubPathResolver}. A layout lists {@code dir/}, {@code file}, {@code link>target}, {@code fifo|} and
 * {@code socket=}; ROOT stands for the volume.
 */
class SubPathResolverTest {
    private static final int PERMISSIONS = 0751;

    @TempDir
    Path temp;

    private Path volume;
    private Path outside;

    @BeforeEach
    void layout() throws IOException {
        Path base = temp.toRealPath();
        volume = Files.createDirectory(base.resolve("volume"));
        outside = Files.createDirectory(base.resolve("outside"));
        Files.createDirectories(base.resolve("volume-2/secret"));
        Files.createDirectory(outside.resolve("secret"));
        Files.createFile(outside.resolve("passwd"));
    }

    private void createLayout(String layout) throws IOException, InterruptedException {
        for (String each : layout.split(" ", -1)) {
            String entry = each.replace("ROOT", volume.toString());
            Path path = volume.resolve(entry.replaceAll("[>|=].*", ""));
            Files.createDirectories(path.getParent());
            if (entry.contains(">")) {
                Files.createSymbolicLink(path, Path.of(entry.substring(entry.indexOf('>') + 1)));
            } else if (entry.endsWith("|")) {
                HostMachine.run("mkfifo", path.toString());
            } else if (entry.endsWith("=")) {
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(path))
                        .close();
            } else if (entry.endsWith("/")) {
                Files.createDirectories(path);
            } else if (!entry.equals("-")) {
                Files.createFile(path);
            }
        }
    }

    private interface ReferenceConsumer {
        void with(FileReference found) throws IOException;
    }

    private void resolve(SystemCalls calls, String subPath, ReferenceConsumer consumer)
            throws SubPathException, IOException {
        try (SubPathResolver resolver =
                new SubPathResolver(FileReference.open(calls, volume), volume, MountScope.SAME_MOUNT, PERMISSIONS)) {
            consumer.with(resolver.resolve(subPath));
        }
    }

    /** Returns calls with openat2, of a kernel without it, and behind a filter that forbids it. */
    private static List<SystemCalls> kernels() {
        return List.of(SystemCalls.real(), FaultySystemCalls.openat2(38), FaultySystemCalls.openat2(1));
    }

    private String failure(SystemCalls calls, String subPath) {
        Throwable e = catchThrowable(() -> resolve(calls, subPath, found -> {}));
        if (e instanceof SubPathException failure) {
            return failure.reason();
        }
        if (e instanceof PathException failed) {
            return failed.isThroughSymlink() ? "NotADirectory" : failed.getMessage();
        }
        return e == null ? "found" : e.toString();
    }

    @ParameterizedTest(name = "{0}: {1} is {2}")
    @CsvSource(delimiter = ';', textBlock = """
        dir/                              ; dir             ; dir
        dir/                              ; ./dir/.         ; dir
        dir/                              ; dir//           ; dir
        dir/                              ; .               ; .
        a/b/c/                            ; a/b/c           ; a/b/c
        a/file                            ; a/file          ; a/file
        a/fifo|                           ; a/fifo          ; a/fifo
        s=                                ; s               ; s
        dir/ link>dir                     ; link            ; dir
        dir/ link>ROOT/dir                ; link            ; dir
        dir/ link>ROOT                    ; link/dir        ; dir
        dir/ link>ROOT/../volume/dir      ; link            ; OutsideVolume
        dir/ a/link>../dir                ; a/link          ; dir
        a/b/c/ a/b/link>../../a/b/c       ; a/b/link        ; a/b/c
        a/b/ a/up>.. dir/                 ; a/up/dir        ; dir
        dir/sub/ middle>dir               ; middle/sub      ; dir/sub
        dir/ one>two two>three three>dir  ; one             ; dir
        file link>file                    ; link            ; file
        link>..                           ; link            ; OutsideVolume
        link>../outside                   ; link            ; OutsideVolume
        link>../outside                   ; link/secret     ; OutsideVolume
        link>/                            ; link            ; OutsideVolume
        link>/etc/passwd                  ; link            ; OutsideVolume
        link>ROOT-2                       ; link/secret     ; OutsideVolume
        link>ROOT/../outside              ; link            ; OutsideVolume
        a/link>../../outside              ; a/link/secret   ; OutsideVolume
        a/ middle>a a/l>/proc/self/root   ; middle/l/etc    ; OutsideVolume
        loop>loop                         ; loop            ; TooManyLinks
        a>b b>a                           ; a/x             ; TooManyLinks
        file                              ; file/x          ; NotADirectory
        fifo|                             ; fifo/x          ; NotADirectory
        """)
    void resolve_existing_opensOnlyInsideVolume(String layout, String subPath, String expected) throws Exception {
        createLayout(layout);
        for (SystemCalls calls : kernels()) {
            String failure = failure(calls, subPath);
            if (Files.exists(volume.resolve(expected))) {
                assertThat(failure).isEqualTo("found");
                long inode = (long) Files.getAttribute(volume.resolve(expected), "unix:ino");
                resolve(
                        calls,
                        subPath,
                        found -> assertThat(found.status().location().inode()).isEqualTo(inode));
            } else {
                assertThat(failure).isEqualTo(expected);
            }
        }
        assertOutsideUntouched();
    }

    @ParameterizedTest(name = "{0}: {1} creates {2}")
    @CsvSource(delimiter = ';', textBlock = """
        -                          ; dir               ; dir
        -                          ; a/b/c             ; a a/b a/b/c
        -                          ; ./a//b/./         ; a a/b
        a/                         ; a/b               ; a/b
        a/b/                       ; a/b/c/d           ; a/b/c a/b/c/d
        a/ b/                      ; a/x               ; a/x
        a/file                     ; a/new             ; a/new
        real/ link>real            ; link/new          ; real/new
        real/ link>real            ; link/x/y          ; real/x real/x/y
        real/ link>ROOT/real       ; link/new          ; real/new
        a/b/ a/b/top>../..         ; a/b/top/new       ; new
        r/ one>two two>r           ; one/new           ; r/new
        -                          ; -name             ; -name
        -                          ; ...               ; ...
        -                          ; a b/ü             ; 'a_b a_b/ü'
        a/                         ; a                 ; ''
        file                       ; file              ; ''
        file                       ; file/new          ; NotADirectory
        fifo|                      ; fifo/new          ; NotADirectory
        gone>nowhere               ; gone              ; NotFound
        gone>nowhere               ; gone/new          ; NotFound
        gone>a/b a/                ; gone/new          ; NotFound
        link>../outside            ; link/new          ; OutsideVolume
        link>../outside/new        ; link              ; OutsideVolume
        link>/tmp                  ; link/new          ; OutsideVolume
        link>ROOT-2                ; link/new          ; OutsideVolume
        a/link>../../outside       ; a/link/new/x      ; OutsideVolume
        in/ in/out>../../outside l>in ; l/out/new      ; OutsideVolume
        loop>loop                  ; loop/new          ; TooManyLinks
        """)
    void resolve_missing_createsOnlyInsideVolume(String layout, String subPath, String expected) throws Exception {
        createLayout(layout);
        TreeSet<String> before = new TreeSet<>(HostMachine.below(volume));
        boolean fails = expected.matches("[A-Z].*");
        int umask = HostMachine.umask(0077);
        try {
            assertThat(failure(SystemCalls.real(), subPath)).isEqualTo(fails ? expected : "found");
        } finally {
            HostMachine.umask(umask);
        }
        TreeSet<String> after = new TreeSet<>(HostMachine.below(volume));
        after.removeAll(before);
        String all = String.join(
                " ", after.stream().map(each -> each.replace(' ', '_')).toList());
        assertThat(all).isEqualTo(fails ? "" : expected);
        for (String each : after) {
            assertThat(HostMachine.permissions(volume.resolve(each))).isEqualTo("751");
        }
        assertThat(failure(FaultySystemCalls.openat2(38), subPath)).isEqualTo(fails ? expected : "found");
        assertOutsideUntouched();
    }

    @Test
    void resolve_createdConcurrently_succeeds() throws Exception {
        // One call later in each round, so one round hits the gap between inspection and creation.
        for (int at = 0; at < 20; at++) {
            int[] calls = {at};
            SystemCalls disturbed = FaultySystemCalls.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    volume.resolve("sub").toFile().mkdir();
                }
            });
            resolve(
                    disturbed,
                    "sub/inner",
                    found -> assertThat(found.status().isDirectory()).isTrue());
            assertThat(HostMachine.below(volume)).containsExactly("sub", "sub/inner");
            Files.delete(volume.resolve("sub/inner"));
            Files.delete(volume.resolve("sub"));
        }
    }

    @Test
    void resolve_removedRepeatedly_fails() {
        SystemCalls calls = FaultySystemCalls.disturbedBy(
                () -> volume.resolve("sub").toFile().delete());
        assertThat(failure(calls, "sub")).isEqualTo("Removed");
    }

    @Test
    void resolve_otherMount_fails() throws Exception {
        HostMachine.assumeRoot();
        Path inner = Files.createDirectory(volume.resolve("inner"));
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", inner.toString());
        try {
            for (SystemCalls calls : kernels()) {
                assertThat(failure(calls, "inner")).contains("EXDEV");
            }
        } finally {
            HostMachine.run("umount", inner.toString());
        }
    }

    private void assertOutsideUntouched() throws IOException {
        assertThat(HostMachine.below(outside)).containsExactly("passwd", "secret");
        assertThat(HostMachine.below(volume.resolveSibling("volume-2"))).containsExactly("secret");
    }
}
