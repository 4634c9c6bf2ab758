package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ImageNameTest {
    private static final String DIGEST = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        busybox                      | docker.io         | library/busybox | busybox:latest              | true
        busybox:latest               | docker.io         | library/busybox | busybox:latest              | true
        busybox:1.36                 | docker.io         | library/busybox | busybox:1.36                | false
        me/app                       | docker.io         | me/app          | me/app:latest               | true
        index.docker.io/me/app:2     | docker.io         | me/app          | index.docker.io/me/app:2    | false
        localhost/app:2              | localhost         | app             | localhost/app:2             | false
        localhost:5000/a/b           | localhost:5000    | a/b             | localhost:5000/a/b:latest   | true
        registry.example/a_b-c.d/e:V | registry.example  | a_b-c.d/e       | registry.example/a_b-c.d/e:V | false
        [::1]:5000/app               | [::1]:5000        | app             | [::1]:5000/app:latest       | true
        """)
    void parse_validName_returnsItsParts(
            String image, String registry, String repository, String reference, boolean latest)
            throws ImageName.InvalidException {
        assertThat(ImageName.parse(image)).isEqualTo(new ImageName(registry, repository, reference, latest));
    }

    @ParameterizedTest
    @CsvSource({"busybox@", "busybox:latest@"})
    void parse_digest_isNotLatest(String image) throws ImageName.InvalidException {
        assertThat(ImageName.parse(image + DIGEST).latest()).isFalse();
        assertThat(ImageName.parse(image + DIGEST).reference()).isEqualTo(image + DIGEST);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ''            | invalid reference format
        a b           | invalid reference format
        Busybox       | repository name (library/Busybox) must be lowercase
        busybox:      | invalid reference format
        -busybox      | invalid reference format
        http://a/b:1  | invalid reference format
        a//b          | invalid reference format
        a@sha256:12   | invalid reference format
        0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef | cannot specify 64-byte hexadecimal strings
        """)
    void parse_invalidName_fails(String image, String why) {
        assertThatThrownBy(() -> ImageName.parse(image))
                .isInstanceOf(ImageName.InvalidException.class)
                .hasMessageContaining("couldn't parse image name \"" + image + "\": ")
                .hasMessageEndingWith(why);
    }

    @Test
    void parse_tooLongName_fails() {
        assertThatThrownBy(() -> ImageName.parse("a.".repeat(100_000) + "a"))
                .isInstanceOf(ImageName.InvalidException.class)
                .hasMessageEndingWith("invalid reference format");
    }
}
