package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.path.SystemCalls;
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

/** A layout is a list of {@code dir/}, {@code file}, {@code link>target}, {@code fifo|} and {@code socket=}; ROOT stands for the volume. */
class VolumeWalkTest {
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

    private void lay(String layout) throws IOException, InterruptedException {
        for (String each : layout.split(" ", -1)) {
            String entry = each.replace("ROOT", volume.toString());
            Path path = volume.resolve(entry.replaceAll("[>|=].*", ""));
            Files.createDirectories(path.getParent());
            if (entry.contains(">")) {
                Files.createSymbolicLink(path, Path.of(entry.substring(entry.indexOf('>') + 1)));
            } else if (entry.endsWith("|")) {
                Machine.run("mkfifo", path.toString());
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

    private interface Then {
        void with(Reference found) throws IOException;
    }

    private void walk(SystemCalls calls, String subPath, Then then) throws SubPathException, IOException {
        try (VolumeWalk walk = new VolumeWalk(Reference.open(calls, volume), volume, Reach.SAME_MOUNT, PERMISSIONS)) {
            then.with(walk.to(subPath));
        }
    }

    /** With openat2, on a kernel that lacks it, and behind a filter that forbids it. */
    private static List<SystemCalls> kernels() {
        return List.of(SystemCalls.real(), CallsWithout.openat2(38), CallsWithout.openat2(1));
    }

    private String failure(SystemCalls calls, String subPath) {
        Throwable e = catchThrowable(() -> walk(calls, subPath, found -> {}));
        if (e instanceof SubPathException refused) {
            return refused.reason();
        }
        if (e instanceof PathException failed) {
            return failed.isDiverted() ? "NotADirectory" : failed.getMessage();
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
    void opensWhatIsInTheVolumeAndNothingElse(String layout, String subPath, String expected) throws Exception {
        lay(layout);
        for (SystemCalls calls : kernels()) {
            String failure = failure(calls, subPath);
            if (Files.exists(volume.resolve(expected))) {
                assertThat(failure).isEqualTo("found");
                long inode = (long) Files.getAttribute(volume.resolve(expected), "unix:ino");
                walk(
                        calls,
                        subPath,
                        found -> assertThat(found.status().place().inode()).isEqualTo(inode));
            } else {
                assertThat(failure).isEqualTo(expected);
            }
        }
        assertOutsideUntouched();
    }

    @ParameterizedTest(name = "{0}: {1} makes {2}")
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
    void makesWhatIsMissingInTheVolumeAndNowhereElse(String layout, String subPath, String expected) throws Exception {
        lay(layout);
        TreeSet<String> made = new TreeSet<>(Machine.below(volume));
        boolean refused = expected.matches("[A-Z].*");
        int umask = Machine.umask(0077);
        try {
            assertThat(failure(SystemCalls.real(), subPath)).isEqualTo(refused ? expected : "found");
        } finally {
            Machine.umask(umask);
        }
        TreeSet<String> after = new TreeSet<>(Machine.below(volume));
        after.removeAll(made);
        String all = String.join(
                " ", after.stream().map(each -> each.replace(' ', '_')).toList());
        assertThat(all).isEqualTo(refused ? "" : expected);
        for (String each : after) {
            assertThat(Machine.permissions(volume.resolve(each))).isEqualTo("751");
        }
        assertThat(failure(CallsWithout.openat2(38), subPath)).isEqualTo(refused ? expected : "found");
        assertOutsideUntouched();
    }

    @Test
    void toleratesThatAnotherMakesTheSameAtTheSameMoment() throws Exception {
        // Each time one call later: so once between looking and making.
        for (int at = 0; at < 20; at++) {
            int[] calls = {at};
            SystemCalls disturbed = CallsWithout.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    volume.resolve("sub").toFile().mkdir();
                }
            });
            walk(
                    disturbed,
                    "sub/inner",
                    found -> assertThat(found.status().isDirectory()).isTrue());
            assertThat(Machine.below(volume)).containsExactly("sub", "sub/inner");
            Files.delete(volume.resolve("sub/inner"));
            Files.delete(volume.resolve("sub"));
        }
    }

    @Test
    void givesUpOnANameThatAnotherRemovesAllTheTime() {
        SystemCalls calls =
                CallsWithout.disturbedBy(() -> volume.resolve("sub").toFile().delete());
        assertThat(failure(calls, "sub")).isEqualTo("Removed");
    }

    @Test
    void entersNoOtherMount() throws Exception {
        Machine.assumeRoot();
        Path inner = Files.createDirectory(volume.resolve("inner"));
        Machine.run("mount", "-t", "tmpfs", "tmpfs", inner.toString());
        try {
            for (SystemCalls calls : kernels()) {
                assertThat(failure(calls, "inner")).contains("EXDEV");
            }
        } finally {
            Machine.run("umount", inner.toString());
        }
    }

    private void assertOutsideUntouched() throws IOException {
        assertThat(Machine.below(outside)).containsExactly("passwd", "secret");
        assertThat(Machine.below(volume.resolveSibling("volume-2"))).containsExactly("secret");
    }
}
