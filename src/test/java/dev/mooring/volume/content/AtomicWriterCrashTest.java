package dev.mooring.volume.content;

import static dev.mooring.volume.content.Payloads.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.SystemCalls;
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

/** Killed before any system call, what is seen is one version or the other; written again, it is right. */
class AtomicWriterCrashTest {
    private static final Clock STANDING = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
    private static final int MORE_THAN_ANY_WRITE_NEEDS = 2000;

    @TempDir
    Path temp;

    private static void write(SystemCalls calls, Path volume, String[] files) throws Exception {
        try (Directory directory = Directory.open(calls, volume)) {
            new AtomicWriter(directory, STANDING).write(payload(files), GroupAccess.UNCHANGED);
        }
    }

    private static boolean crashes(int at, Path volume, String[] files) throws Exception {
        try {
            write(CallsWithout.after(at), volume, files);
            return false;
        } catch (CallsWithout.Crash expected) {
            return true;
        }
    }

    private Path volume(String name) throws IOException {
        return Files.createDirectory(temp.toRealPath().resolve(name));
    }

    private static String[] words(String text) {
        return text.isEmpty() ? new String[0] : text.split(" ");
    }

    /** Through {@code ..data}, where readers look who want one version. */
    private static List<String> data(Path volume) throws IOException {
        return Seen.files(volume.resolve("..data").toRealPath());
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
    void endsRightHoweverItWasCutOff(String before, String after) throws Exception {
        boolean crashed = true;
        int at = 0;
        for (; crashed; at++) {
            assertThat(at).isLessThan(MORE_THAN_ANY_WRITE_NEEDS);
            Path volume = volume("v" + at);
            if (!before.isEmpty()) {
                write(SystemCalls.real(), volume, words(before));
            }
            crashed = crashes(at, volume, words(after));
            if (Files.exists(volume.resolve("..data"))) {
                assertThat(data(volume)).as("crash at %s", at).isIn(sorted(words(before)), sorted(words(after)));
            } else {
                assertThat(before).as("crash at %s", at).isEmpty();
            }
            write(SystemCalls.real(), volume, words(after));
            assertRight(volume, after, "crash at " + at);
        }
        assertThat(at).as("calls that were tried").isGreaterThan(20);
    }

    @Test
    void endsRightAfterTwoCrashesAndAThirdVersion() throws Exception {
        String[] first = words("a=1 gone/x=1 b=1");
        String[] second = words("a=2 also/y=2 b=2");
        String[] third = words("a=3 b=3 c=3");
        for (int one = 20; one < 150; one += 17) {
            for (int two = 10; two < 150; two += 19) {
                Path volume = volume("v" + one + "-" + two);
                write(SystemCalls.real(), volume, first);
                crashes(one, volume, second);
                crashes(two, volume, third);
                assertThat(data(volume)).isIn(sorted(first), sorted(second), sorted(third));
                write(SystemCalls.real(), volume, third);
                assertRight(volume, "a=3 b=3 c=3", "crashes at " + one + " and " + two);
            }
        }
    }

    private static List<String> sorted(String[] files) {
        return List.of(files).stream().sorted().toList();
    }

    private static void assertRight(Path volume, String files, String when) throws IOException {
        assertThat(Seen.files(volume)).as(when).containsExactlyInAnyOrder(words(files));
        assertThat(Seen.raw(volume))
                .as(when)
                .filteredOn(name -> name.startsWith(".."))
                .containsExactly("..data", "..version");
    }
}
