package dev.mooring.volume.content;

import static dev.mooring.volume.content.PayloadFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a crash before any system call leaves one complete version visible, and that the next write succeeds. */
class AtomicWriterCrashTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
    private static final int MAX_CALLS_OF_A_WRITE = 2000;

    @TempDir
    Path temp;

    private static void write(SystemCalls calls, Path volume, String[] files) throws Exception {
        try (OpenDirectory directory = OpenDirectory.open(calls, volume)) {
            new AtomicWriter(directory, CLOCK).write(payload(files), FsGroupPermissions.UNCHANGED);
        }
    }

    private static boolean crashes(int at, Path volume, String[] files) throws Exception {
        try {
            write(FaultySystemCalls.after(at), volume, files);
            return false;
        } catch (FaultySystemCalls.Crash expected) {
            return true;
        }
    }

    private Path volume(String name) throws IOException {
        return Files.createDirectory(temp.toRealPath().resolve(name));
    }

    private static String[] split(String text) {
        return text.isEmpty() ? new String[0] : text.split(" ");
    }

    /** Returns the files below {@code ..data}, which readers open to get one version. */
    private static List<String> data(Path volume) throws IOException {
        return VolumeContents.files(volume.resolve("..data").toRealPath());
    }

    @ParameterizedTest
    @CsvSource({
        "'', a=1 sub/b=2",
        "a=1, a=2",
        "a=1 sub/b=2 c=3, a=1 sub/b=22 d=4",
        "a=1 b=2, ''",
        "x/y=1, x=2",
        "a=1, a=1",
    })
    void writer_crashAtAnySystemCall_showsOneVersionAndRecovers(String before, String after) throws Exception {
        boolean crashed = true;
        int at = 0;
        for (; crashed; at++) {
            assertThat(at).isLessThan(MAX_CALLS_OF_A_WRITE);
            Path volume = volume("v" + at);
            if (!before.isEmpty()) {
                write(SystemCalls.real(), volume, split(before));
            }
            crashed = crashes(at, volume, split(after));
            if (Files.exists(volume.resolve("..data"))) {
                assertThat(data(volume)).as("crash at %s", at).isIn(sorted(split(before)), sorted(split(after)));
            } else {
                assertThat(before).as("crash at %s", at).isEmpty();
            }
            write(SystemCalls.real(), volume, split(after));
            assertContent(volume, after, "crash at " + at);
        }
        assertThat(at).as("crash positions").isGreaterThan(20);
    }

    @Test
    void writer_twoCrashesAndThirdVersion_recovers() throws Exception {
        String[] first = split("a=1 gone/x=1 b=1");
        String[] second = split("a=2 also/y=2 b=2");
        String[] third = split("a=3 b=3 c=3");
        for (int one = 20; one < 150; one += 17) {
            for (int two = 10; two < 150; two += 19) {
                Path volume = volume("v" + one + "-" + two);
                write(SystemCalls.real(), volume, first);
                crashes(one, volume, second);
                crashes(two, volume, third);
                assertThat(data(volume)).isIn(sorted(first), sorted(second), sorted(third));
                write(SystemCalls.real(), volume, third);
                assertContent(volume, "a=3 b=3 c=3", "crashes at " + one + " and " + two);
            }
        }
    }

    private static List<String> sorted(String[] files) {
        return List.of(files).stream().sorted().toList();
    }

    private static void assertContent(Path volume, String files, String when) throws IOException {
        assertThat(VolumeContents.files(volume)).as(when).containsExactlyInAnyOrder(split(files));
        assertThat(VolumeContents.raw(volume))
                .as(when)
                .filteredOn(name -> name.startsWith(".."))
                .containsExactly("..data", "..version");
    }
}
