package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.tls.TokenFile;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticatorTest {
    private static final String ERIN = "{'user':'erin','role':'edit','namespaces':['team']}";
    private static final String BOT = "{'serviceAccount':{'namespace':'team','name':'bot','uid':'u1'}}";
    private static final String BOT_KEY = "serviceaccounts/team/bot";
    private static final String PLAIN_BOT = "{'metadata':{'uid':'u1'}}";
    private static final String EDITING_BOT = "{'metadata':{'uid':'u1','annotations':{'mooring.dev/role':'edit'}}}";

    private final AdvanceableClock clock = new AdvanceableClock(Instant.parse("2026-03-01T12:00:00Z"));
    private final TokenMint mint = new TokenMint(new SecureRandom());
    private final TokenMint.MintedToken token = mint.mint("ci");

    @TempDir
    private Path directory;

    private TokenFile file;
    private Authenticator authenticator;

    @BeforeEach
    void createAuthenticator() throws IOException {
        file = TokenFile.load(directory.resolve("tokens.json"));
        authenticator = new Authenticator(file, new ServiceAccountTokens(file.signingKeys(), clock, () -> "id"), clock);
    }

    @Test
    void authenticate_adminTokenOfFile_needsNoTokenObject() throws IOException {
        String admin = file.mint(TokenFile.ADMIN, clock, new SecureRandom());
        User user = authenticator.authenticate(admin, World.EMPTY).orElseThrow();
        assertThat(user.name()).isEqualTo("admin");
        assertThat(user.groups()).containsExactly("system:masters", "system:authenticated");
        assertThat(user.isAdmin()).isTrue();
        assertThat(authenticator.authenticate(admin + "x", World.EMPTY)).isEmpty();
    }

    @Test
    void authenticate_otherUserOfFile_isEmpty() throws IOException {
        String other = file.mint("other-user", clock, new SecureRandom());
        assertThat(authenticator.authenticate(other, World.EMPTY)).isEmpty();
    }

    @Test
    void authenticate_tokenObject_returnsItsUser() {
        World world = AuthWorldFixture.withToken(World.EMPTY, token, ERIN);
        assertThat(authenticator.authenticate(token.text(), world))
                .contains(new User(
                        "erin",
                        "",
                        List.of("system:authenticated"),
                        new Grant(Role.EDIT, Set.of("team")),
                        world.revision()));
    }

    @Test
    void authenticate_nodeToken_returnsNode() {
        World world = AuthWorldFixture.withToken(World.EMPTY, token, "{'user':'system:node:n1','role':'node'}");
        User node = authenticator.authenticate(token.text(), world).orElseThrow();
        assertThat(node.nodeName()).contains("n1");
        assertThat(node.groups()).containsExactly("system:nodes", "system:authenticated");
    }

    @Test
    void authenticate_otherSecretOrName_isEmpty() {
        World world = AuthWorldFixture.withToken(World.EMPTY, token, ERIN);
        assertThat(authenticator.authenticate(mint.mint("ci").text(), world)).isEmpty();
        assertThat(authenticator.authenticate(mint.mint("cd").text(), world)).isEmpty();
        String renamed = token.text().replace("mrg_ci_", "mrg_cd_");
        assertThat(authenticator.authenticate(renamed, AuthWorldFixture.withToken(world, mint.mint("cd"), ERIN)))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "mrg_",
                "mrg__",
                "mrg_ci",
                "mrg_ci_",
                "mrg_c/i_x",
                "mrg_../x_y",
                "mrg_CI_x",
                "mrg_a b_c",
                "mrg_a\u0000_c",
                "mrg_\u00e4_c",
                "null",
                "Bearer"
            })
    void authenticate_malformedToken_isEmpty(String text) {
        assertThat(authenticator.authenticate(text, AuthWorldFixture.withToken(World.EMPTY, token, ERIN)))
                .isEmpty();
    }

    @Test
    void authenticate_longerThanMaximumLength_isEmpty() {
        TokenMint.MintedToken longest = mint.mint("n".repeat(253));
        World world = AuthWorldFixture.withToken(World.EMPTY, longest, ERIN);
        assertThat(authenticator.authenticate(longest.text(), world)).isPresent();
        assertThat(authenticator.authenticate("x".repeat(TokenFormat.MAX_LENGTH + 1), world))
                .isEmpty();
    }

    @Test
    void authenticate_cachedTokenRevoked_isEmptyFromThatRevisionOn() {
        World with = AuthWorldFixture.withToken(World.EMPTY, token, ERIN);
        World without = AuthWorldFixture.without(with, "tokens.mooring.dev/ci");
        for (int i = 0; i < 3; i++) {
            assertThat(authenticator.authenticate(token.text(), with)).isPresent();
            assertThat(authenticator.authenticate(token.text(), without)).isEmpty();
        }
    }

    @Test
    void authenticate_tokenReplacedUnderSameName_acceptsTheNewOneOnly() {
        World before = AuthWorldFixture.withToken(World.EMPTY, token, ERIN);
        assertThat(authenticator.authenticate(token.text(), before)).isPresent();
        TokenMint.MintedToken second = mint.mint("ci");
        World after = AuthWorldFixture.withToken(
                AuthWorldFixture.without(before, "tokens.mooring.dev/ci"), second, "{'user':'vera','role':'view'}");
        assertThat(authenticator.authenticate(token.text(), after)).isEmpty();
        assertThat(authenticator.authenticate(second.text(), after).map(User::name))
                .contains("vera");
    }

    @Test
    void authenticate_roleChanged_returnsNewRoleFromThatRevisionOn() {
        World before = AuthWorldFixture.withToken(World.EMPTY, token, ERIN);
        World after = AuthWorldFixture.withToken(before, token, "{'user':'erin','role':'view','namespaces':['team']}");
        assertThat(authenticator
                        .authenticate(token.text(), before)
                        .orElseThrow()
                        .grant()
                        .role())
                .isEqualTo(Role.EDIT);
        assertThat(authenticator
                        .authenticate(token.text(), after)
                        .orElseThrow()
                        .grant()
                        .role())
                .isEqualTo(Role.VIEW);
    }

    @Test
    void authenticate_cachedTokenExpires_isEmpty() {
        World world = AuthWorldFixture.withToken(
                World.EMPTY, token, "{'user':'erin','role':'view','expires':'2026-03-01T13:00:01+01:00'}");
        assertThat(authenticator.authenticate(token.text(), world)).isPresent();
        clock.advance(Duration.ofMillis(999));
        assertThat(authenticator.authenticate(token.text(), world)).isPresent();
        clock.advance(Duration.ofMillis(1));
        assertThat(authenticator.authenticate(token.text(), world)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'user':'erin'}",
                "{'user':'erin','role':'root'}",
                "{'user':'erin','role':'none'}",
                "{'user':'','role':'view'}",
                "{'role':'view'}",
                "{'user':'system:masters','role':'view'}",
                "{'user':'system:serviceaccount:team:bot','role':'admin'}",
                "{'user':'erin','role':'node'}",
                "{'user':'system:node:','role':'node'}",
                "{'user':'erin','role':'admin','namespaces':['team']}",
                "{'user':'erin','role':'view','expires':'tomorrow'}",
                "{'user':'erin','role':'view','expires':''}",
                "{'user':'erin','role':'admin','serviceAccount':{'namespace':'team','name':'bot'}}",
                "{'user':'erin','role':'admin','serviceAccount':{'namespace':'a/b','name':'bot','uid':'u'}}"
            })
    void authenticate_invalidTokenSpec_isEmpty(String spec) {
        World world = AuthWorldFixture.withToken(World.EMPTY, token, spec);
        assertThat(authenticator.authenticate(token.text(), world)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00", "zz", "null"})
    void authenticate_invalidHash_isEmpty(String hash) {
        World world = AuthWorldFixture.with(
                World.EMPTY,
                "tokens.mooring.dev/ci",
                "{'spec':{'user':'erin','role':'admin','sha256':'" + hash + "'}}");
        assertThat(authenticator.authenticate(token.text(), world)).isEmpty();
    }

    @Test
    void authenticate_serviceAccount_getsRoleFromAnnotationOnly() {
        World world = AuthWorldFixture.withToken(AuthWorldFixture.with(World.EMPTY, BOT_KEY, PLAIN_BOT), token, BOT);
        User bot = authenticator.authenticate(token.text(), world).orElseThrow();
        assertThat(bot.name()).isEqualTo("system:serviceaccount:team:bot");
        assertThat(bot.uid()).isEqualTo("u1");
        assertThat(bot.groups())
                .containsExactly("system:serviceaccounts", "system:serviceaccounts:team", "system:authenticated");
        assertThat(bot.grant()).isEqualTo(Grant.NOTHING);
        World annotated = AuthWorldFixture.with(world, BOT_KEY, EDITING_BOT);
        assertThat(authenticator
                        .authenticate(token.text(), annotated)
                        .orElseThrow()
                        .grant())
                .isEqualTo(new Grant(Role.EDIT, Set.of("team")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "node", "none", "EDIT", ""})
    void authenticate_serviceAccountWithUnsupportedRole_getsNoRole(String role) {
        World world = AuthWorldFixture.withToken(
                AuthWorldFixture.with(
                        World.EMPTY,
                        BOT_KEY,
                        "{'metadata':{'uid':'u1','annotations':{'mooring.dev/role':'" + role + "'}}}"),
                token,
                BOT);
        assertThat(authenticator.authenticate(token.text(), world).orElseThrow().grant())
                .isEqualTo(Grant.NOTHING);
    }

    @Test
    void authenticate_serviceAccountDeletedOrRecreated_isEmpty() {
        World world = AuthWorldFixture.withToken(AuthWorldFixture.with(World.EMPTY, BOT_KEY, EDITING_BOT), token, BOT);
        assertThat(authenticator.authenticate(token.text(), world)).isPresent();
        World deleted = AuthWorldFixture.without(world, BOT_KEY);
        assertThat(authenticator.authenticate(token.text(), deleted)).isEmpty();
        World recreated = AuthWorldFixture.with(
                deleted, BOT_KEY, "{'metadata':{'uid':'u2','annotations':{'mooring.dev/role':'edit'}}}");
        assertThat(authenticator.authenticate(token.text(), recreated)).isEmpty();
    }

    @Test
    void authenticate_moreTokensThanCacheHolds_stillReturnsUser() {
        World world = World.EMPTY;
        for (int i = 0; i <= Authenticator.MAX_CACHED; i++) {
            TokenMint.MintedToken each = mint.mint("t" + i);
            world = AuthWorldFixture.withToken(World.EMPTY, each, ERIN);
            assertThat(authenticator.authenticate(each.text(), world)).isPresent();
        }
    }

    @Test
    void toString_ofTokenHolders_doesNotContainSecretOrHash() {
        World world = AuthWorldFixture.withToken(World.EMPTY, token, ERIN);
        User user = authenticator.authenticate(token.text(), world).orElseThrow();
        String secret = token.text().substring("mrg_ci_".length());
        String hash = token.sha256();
        TokenObject object = TokenObject.parse(
                        AuthWorldFixture.json("{'spec':{'user':'erin','role':'view','sha256':'" + hash + "'}}"))
                .orElseThrow();
        assertThat(List.of(token, user, mint, authenticator, object).toString())
                .contains("erin")
                .doesNotContain(secret)
                .doesNotContain(hash);
    }

    /** A clock that changes only through {@link #advance}. */
    static final class AdvanceableClock extends Clock {
        private Instant now;

        AdvanceableClock(Instant now) {
            this.now = now;
        }

        void advance(Duration time) {
            now = now.plus(time);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
