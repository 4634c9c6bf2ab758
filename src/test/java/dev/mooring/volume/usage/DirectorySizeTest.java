package dev.mooring.volume.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandResult;
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
    void addsUpWhatIsThereAndFollowsNoLink() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.write(outside.resolve("large"), new byte[1 << 20]);
        Path volume = Files.createDirectory(directory.resolve("volume"));
        Files.createSymbolicLink(volume.resolve("link"), outside);
        Files.write(volume.resolve("small"), new byte[1 << 16]);
        assertThat(new DirectorySize(new ChildProcess()).of(volume)).isBetween(1L << 16, 1L << 19);
    }

    /** PathAttackTest has seen du give up without a word; then the error had none either. */
    @ParameterizedTest
    @CsvSource({"134, '', and said nothing", "1, du: no, ': du: no'"})
    void saysWhatHappenedIfThereIsNoSum(int exit, String errors, String words) {
        DirectorySize size = new DirectorySize(command -> new CommandResult(exit, "", errors));
        assertThatThrownBy(() -> size.of(directory))
                .isInstanceOf(UsageException.class)
                .hasMessage("Expected du to tell the size of " + directory + ", but it ended with " + exit
                        + (words.startsWith(":") ? "" : " ") + words);
    }
}
