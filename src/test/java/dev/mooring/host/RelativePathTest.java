package dev.mooring.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelativePathTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a/../b", "a\0b"})
    void of_pathNotPlain_throwsIllegalArgument(String text) {
        assertThatThrownBy(() -> RelativePath.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("path must be relative");
    }

    @Test
    void of_pathOrNameTooLong_throwsIllegalArgument() {
        assertThatThrownBy(() -> RelativePath.of("a/".repeat(600) + "a")).hasMessageContaining("at most 1024");
        assertThatThrownBy(() -> RelativePath.of("a".repeat(256))).hasMessageContaining("not a file name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b/c", "..a/b..", "...", ".hidden"})
    void of_plainNames_succeeds(String text) {
        assertThat(RelativePath.of(text)).hasToString(text);
    }

    @Test
    void path_returnsLastNameAndParents() {
        assertThat(RelativePath.of("a/b/c").last()).isEqualTo("c");
        assertThat(RelativePath.of("a/b/c").parents()).containsExactly("a", "b");
        assertThat(RelativePath.of("a").parents()).isEmpty();
    }
}
