package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandResult;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectorySizeTest {
    @TempDir
    Path directory;

    @Test
    void size_directoryWithLink_excludesItsTarget() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.write(outside.resolve("large"), new byte[1 << 20]);
        Path volume = Files.createDirectory(directory.resolve("volume"));
        Files.createSymbolicLink(volume.resolve("link"), outside);
        Files.write(volume.resolve("small"), new byte[1 << 16]);
        assertThat(new DirectorySize(new ChildProcess()).of(volume)).isBetween(1L << 16, 1L << 19);
    }

    /** PathAttackTest found that du may fail without output; the error message was empty then. */
    @ParameterizedTest
    @CsvSource({"134, '', without output", "1, du: no, ': du: no'"})
    void size_duFails_reportsExitCodeAndOutput(int exit, String errors, String message) {
        DirectorySize size = new DirectorySize(command -> new CommandResult(exit, "", errors));
        assertThatThrownBy(() -> size.of(directory))
                .isInstanceOf(UsageException.class)
                .hasMessage("Cannot measure " + directory + ": du exited with code " + exit
                        + (message.startsWith(":") ? "" : " ") + message);
    }
}
