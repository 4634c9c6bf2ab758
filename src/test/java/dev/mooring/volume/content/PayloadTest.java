package dev.mooring.volume.content;

import static dev.mooring.volume.content.PayloadFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PayloadTest {
    @TempDir
    Path temp;

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "a file, foo.txt bar.txt, foo.txt, bar.txt",
        "a file and its directory, foo.txt zip/bar.txt, foo.txt, zip zip/bar.txt",
        "two directories, foo.txt zip/zap/bar.txt, foo.txt, zip zip/zap zip/zap/bar.txt",
        "four directories, foo.txt zip/1/2/3/bar.txt, foo.txt, zip zip/1 zip/1/2 zip/1/2/3 zip/1/2/3/bar.txt",
        "one of two trees, foo.txt zip/a/b.txt zap/1/c.txt, foo.txt zap/1/c.txt, zip zip/a zip/a/b.txt",
        "a branch, foo.txt zap/1/2/c.txt zap/1/3/d.txt, foo.txt zap/1/2/c.txt, zap/1/3 zap/1/3/d.txt",
        "a file beside one that stays, foo.txt zap/1/c.txt zap/1/d.txt, foo.txt zap/1/c.txt, zap/1/d.txt",
        "nothing, foo.txt zip/bar.txt, foo.txt zip/bar.txt new.txt, ''",
    })
    void stalePaths_oldVersion_returnsPathsToRemove(String title, String before, String after, String stale)
            throws Exception {
        try (OpenDirectory top = OpenDirectory.open(SystemCalls.real(), temp.toRealPath())) {
            VersionDirectory old = new VersionDirectory(top, FsGroupPermissions.UNCHANGED);
            old.write(payload(before.split(" ")));

            assertThat(payload(after.split(" ")).stalePaths(old.below().keySet()))
                    .as(title)
                    .containsExactlyElementsOf(stale.isEmpty() ? List.of() : List.of(stale.split(" ")));
        }
    }

    @Test
    void visible_returnsFirstPartOfEachPath() throws Exception {
        assertThat(payload("b/1/x", "b/2", "a", ".hidden").visible()).containsExactly(".hidden", "a", "b");
    }

    @Test
    void payload_pathIsFileAndDirectory_fails() {
        assertThatThrownBy(() -> payload("a/b/c", "a/b"))
                .isInstanceOf(VolumeException.class)
                .hasMessage("invalid path: is both a file and the directory of another file: a/b");
    }

    @Test
    void toString_omitsContent() throws Exception {
        assertThat(payload("a=s3cret").files().toString())
                .doesNotContain("s3cret")
                .contains("6 bytes");
    }
}
