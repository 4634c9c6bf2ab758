package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
    private final Clock clock = Clock.fixed(Instant.parse("2031-05-06T07:08:09Z"), ZoneOffset.UTC);
    private final SecureRandom random = new SecureRandom();

    @TempDir
    private Path directory;

    @Test
    void shouldKnowItsTokensAfterReloadingWithoutStoringThem() throws IOException {
        String token = load().mint(Tokens.ADMIN, clock, random);

        assertThat(load().userOf(token)).contains(Tokens.ADMIN);
        assertThat(load().userOf(token + "x")).isEmpty();
        assertThat(load().userOf("")).isEmpty();
        assertThat(Files.readString(file())).doesNotContain(token);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(token).hasSize(43); // 256 bits in base64
    }

    @Test
    void shouldEndTheFormerTokenOfTheSameUserOnly() throws IOException {
        Tokens tokens = load();
        String first = tokens.mint(Tokens.ADMIN, clock, random);
        String other = tokens.mint("somebody", clock, random);
        String second = tokens.mint(Tokens.ADMIN, clock, random);

        assertThat(tokens.userOf(first)).isEmpty();
        assertThat(tokens.userOf(second)).contains(Tokens.ADMIN);
        assertThat(load().userOf(other)).contains("somebody");
    }

    @Test
    void shouldRefuseABrokenFile() throws IOException {
        for (String content :
                new String[] {"", "{}", "{\"tokens\":[1]}", "{\"tokens\":[{\"user\":\"a\",\"sha256\":\"zz\"}]}"}) {
            Files.writeString(file(), content);
            assertThatThrownBy(this::load).isInstanceOf(IOException.class).hasMessageContaining("tokens.json");
        }
    }

    private Tokens load() throws IOException {
        return Tokens.load(file());
    }

    private Path file() {
        return directory.resolve("tokens.json");
    }
}
