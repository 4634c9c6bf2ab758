package dev.mooring.volume.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.VolumeException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PayloadPathTest {
    @ParameterizedTest
    @CsvSource({
        "i/am/well/behaved.txt, i/am/well/behaved.txt",
        "keepyourheaddownandfollowtherules.txt, keepyourheaddownandfollowtherules.txt",
        "a//b/./c, a/b/c",
        "./a/, a",
        ".dot, .dot",
        "a/..b, a/..b",
        "a..b, a..b",
    })
    void normalize_validPath_removesEmptyAndDotParts(String written, String cleaned) throws Exception {
        assertThat(PayloadPath.normalize(written)).isEqualTo(cleaned);
    }

    static Stream<Arguments> invalidPaths() {
        return Stream.of(
                Arguments.of("", "invalid path: must not be empty: \"\""),
                Arguments.of("/dev/null", "invalid path: must be relative path: /dev/null"),
                Arguments.of("/", "invalid path: must be relative path: /"),
                Arguments.of("a/".repeat(2048) + "b", "invalid path: must be less than or equal to 4096 characters"),
                Arguments.of("x".repeat(256), "invalid path: filenames must be less than or equal to 255 characters"),
                Arguments.of("é".repeat(128), "invalid path: filenames must be less than or equal to 255 characters"),
                Arguments.of("..sneaky.txt", "invalid path: must not start with '..': ..sneaky.txt"),
                Arguments.of("..data/x", "invalid path: must not start with '..': ..data/x"),
                Arguments.of("./..data", "invalid path: must not start with '..': ./..data"),
                Arguments.of("...", "invalid path: must not start with '..': ..."),
                Arguments.of("..", "invalid path: must not contain '..': .."),
                Arguments.of(
                        "hello/there/../../../etc/passwd",
                        "invalid path: must not contain '..': hello/there/../../../etc/passwd"),
                Arguments.of("hello/../bad", "invalid path: must not contain '..': hello/../bad"),
                Arguments.of("hello/..", "invalid path: must not contain '..': hello/.."),
                Arguments.of(".", "invalid path: must name a file: ."),
                Arguments.of("./", "invalid path: must name a file: ./"),
                Arguments.of("a\0b", "invalid path: must name a file: a\\0b"));
    }

    @ParameterizedTest
    @MethodSource("invalidPaths")
    void normalize_invalidPath_fails(String path, String message) {
        assertThatThrownBy(() -> PayloadPath.normalize(path)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.getMessage()).isEqualTo(message);
            assertThat(e.reason()).isEqualTo("InvalidPath");
            assertThat(e.failureState()).isEqualTo(VolumeException.FailureState.CLEAN);
        });
    }
}
