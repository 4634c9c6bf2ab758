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

class TokenFileTest {
    private final Clock clock = Clock.fixed(Instant.parse("2031-05-06T07:08:09Z"), ZoneOffset.UTC);
    private final SecureRandom random = new SecureRandom();

    @TempDir
    private Path directory;

    @Test
    void mint_reloadedFile_recognizesTokenWithoutStoringIt() throws IOException {
        String token = load().mint(TokenFile.ADMIN, clock, random);

        assertThat(load().userOf(token)).contains(TokenFile.ADMIN);
        assertThat(load().userOf(token + "x")).isEmpty();
        assertThat(load().userOf("")).isEmpty();
        assertThat(Files.readString(file())).doesNotContain(token);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(token).hasSize(43); // 256 bits in base64
    }

    @Test
    void mint_secondTokenOfUser_revokesOnlyTheFirst() throws IOException {
        TokenFile tokens = load();
        String first = tokens.mint(TokenFile.ADMIN, clock, random);
        String other = tokens.mint("other-user", clock, random);
        String second = tokens.mint(TokenFile.ADMIN, clock, random);

        assertThat(tokens.userOf(first)).isEmpty();
        assertThat(tokens.userOf(second)).contains(TokenFile.ADMIN);
        assertThat(load().userOf(other)).contains("other-user");
    }

    @Test
    void load_invalidFile_throws() throws IOException {
        for (String content :
                new String[] {"", "{}", "{\"tokens\":[1]}", "{\"tokens\":[{\"user\":\"a\",\"sha256\":\"zz\"}]}"}) {
            Files.writeString(file(), content);
            assertThatThrownBy(this::load).isInstanceOf(IOException.class).hasMessageContaining("tokens.json");
        }
    }

    private TokenFile load() throws IOException {
        return TokenFile.load(file());
    }

    private Path file() {
        return directory.resolve("tokens.json");
    }
}
