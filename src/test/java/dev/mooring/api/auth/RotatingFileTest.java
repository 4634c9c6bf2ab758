package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.testing.SmallDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotatingFileTest {
    @TempDir
    private Path directory;

    private Path path() {
        return directory.resolve("audit/audit.log");
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private List<String> read(String suffix) throws IOException {
        Path file = Path.of(path() + suffix);
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    @Test
    void rotatingFile_sizeExceeded_renamesFilesAndDeletesOldest() throws IOException {
        try (RotatingFile file = new RotatingFile(path(), 10, 3)) {
            for (String each : List.of("1aaa", "1bbb", "2aaa", "2bbb", "3aaa", "3bbb", "4aaa")) {
                file.write(line(each));
            }
        }
        assertThat(read("")).containsExactly("4aaa");
        assertThat(read(".1")).containsExactly("3aaa", "3bbb");
        assertThat(read(".2")).containsExactly("2aaa", "2bbb");
        assertThat(read(".3")).isEmpty();
    }

    @Test
    void rotatingFile_reopenedWithLowerFileLimit_deletesExcessFiles() throws IOException {
        try (RotatingFile file = new RotatingFile(path(), 5, 5)) {
            for (int i = 0; i < 6; i++) {
                file.write(line("a" + i));
            }
        }
        assertThat(read(".4")).isNotEmpty();
        try (RotatingFile file = new RotatingFile(path(), 5, 1)) {
            file.write(line("last"));
        }
        assertThat(read("")).containsExactly("last");
        for (int i = 1; i < 5; i++) {
            assertThat(read("." + i)).isEmpty();
        }
    }

    @Test
    void rotatingFile_existingFileReadableByOthers_restrictsAllFilesToOwner() throws IOException {
        Files.createDirectories(path().getParent());
        Files.createFile(path(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        try (RotatingFile file = new RotatingFile(path(), 5, 2)) {
            file.write(line("aaaa"));
            file.write(line("bbbb"));
        }
        for (String suffix : List.of("", ".1")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(path() + suffix))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void rotatingFile_existingPartialLine_appendsOnNewLine() throws IOException {
        Files.createDirectories(path().getParent());
        Files.writeString(path(), "whole\nha");
        try (RotatingFile file = new RotatingFile(path(), 100, 2)) {
            file.write(line("next"));
        }
        assertThat(read("")).containsExactly("whole", "ha", "next");
    }

    @Test
    void rotatingFile_fileMovedAway_createsNewFile() throws IOException {
        try (RotatingFile file = new RotatingFile(path(), 100, 2)) {
            file.write(line("before"));
            Files.move(path(), directory.resolve("elsewhere"));
            file.write(line("after"));
        }
        assertThat(read("")).containsExactly("after");
        assertThat(Files.readAllLines(directory.resolve("elsewhere"))).containsExactly("before");
    }

    @Test
    void rotatingFile_pathIsSymbolicLink_throws() throws IOException {
        Files.createDirectories(path().getParent());
        Files.createFile(directory.resolve("other"));
        Files.createSymbolicLink(path(), directory.resolve("other"));
        assertThatThrownBy(() -> new RotatingFile(path(), 100, 2)).isInstanceOf(IOException.class);
    }

    @Test
    void rotatingFile_diskFull_leavesNoPartialLine() throws Exception {
        Assumptions.assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk disk = SmallDisk.mount(directory, "64k")) {
            Path path = disk.path().resolve("audit.log");
            try (RotatingFile file = new RotatingFile(path, 1 << 20, 2)) {
                file.write(line("first"));
                String large = "x".repeat(100_000);
                assertThatThrownBy(() -> file.write(line(large))).isInstanceOf(IOException.class);
                assertThat(Files.readAllLines(path)).containsExactly("first");
                file.write(line("second"));
                assertThat(Files.readAllLines(path)).containsExactly("first", "second");
            }
        }
    }
}
