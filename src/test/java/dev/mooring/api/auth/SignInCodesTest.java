package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SignInCodesTest {
    private final SignInCodes codes = new SignInCodes(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC), new SecureRandom());

    @Test
    void code_isValidOnce() {
        String code = codes.issue();

        assertThat(codes.redeem(code + "x")).isFalse();
        assertThat(codes.redeem(code)).isTrue();
        assertThat(codes.redeem(code)).isFalse();
    }

    @Test
    void codes_beyondTheMaximum_replaceTheOldest() {
        List<String> issued = new ArrayList<>();
        IntStream.rangeClosed(0, SignInCodes.MAX_CODES).forEach(i -> issued.add(codes.issue()));

        assertThat(codes.redeem(issued.get(0))).isFalse();
        assertThat(issued.subList(1, issued.size())).allMatch(codes::redeem);
    }
}
