package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.tls.TokenFile;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenRequestsTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.7Z");
    private static final World WORLD = AuthWorldFixture.with(
            AuthWorldFixture.with(
                    AuthWorldFixture.with(World.EMPTY, "serviceaccounts/team/bot", "{'metadata':{'uid':'u1'}}"),
                    "pods/team/a",
                    "{'metadata':{'uid':'u2'},'spec':{'serviceAccountName':'bot'}}"),
            "pods/team/b",
            "{'metadata':{'uid':'u3'},'spec':{'serviceAccountName':'other'}}");

    @TempDir
    private Path directory;

    private final AuthenticatorTest.AdvanceableClock clock = new AuthenticatorTest.AdvanceableClock(NOW);
    private Authenticator authenticator;
    private TokenRequests requests;

    @BeforeEach
    void createRequests() throws IOException {
        TokenFile file = TokenFile.load(directory.resolve("tokens.json"));
        ServiceAccountTokens tokens = new ServiceAccountTokens(file.signingKeys(), clock, () -> "id-1");
        authenticator = new Authenticator(file, tokens, clock);
        requests = new TokenRequests(new TokenMint(new SecureRandom()), tokens, clock, Duration.ofDays(1));
    }

    private ReviewResponse<TokenRequests.AccountToken> issue(String request) {
        StoredObject account =
                WORLD.get(ObjectKey.parse("serviceaccounts/team/bot")).orElseThrow();
        return requests.issue(AuthWorldFixture.json(request), account, WORLD);
    }

    private TokenRequests.AccountToken issued(String request) {
        ReviewResponse<TokenRequests.AccountToken> response = issue(request);
        assertThat(response).isInstanceOf(ReviewResponse.Created.class);
        return ((ReviewResponse.Created<TokenRequests.AccountToken>) response).content();
    }

    private String token(String request) {
        return issued(request).response().at("/status/token").asText();
    }

    private Optional<String> user(String token, World world) {
        return authenticator.authenticate(token, world).map(User::name);
    }

    @Test
    void issue_withoutExpiration_returnsTokenForOneHour() {
        ObjectNode response = issued("{'spec':{'audiences':['x']}}").response();
        assertThat(response.at("/status/expirationTimestamp").asText()).isEqualTo("2026-03-01T13:00:00Z");
        assertThat(response.at("/spec/expirationSeconds").asLong()).isEqualTo(3600);
        assertThat(response.at("/spec/audiences/0").asText()).isEqualTo("x");
        assertThat(response.path("metadata"))
                .isEqualTo(AuthWorldFixture.json(
                        "{'name':'bot','namespace':'team','creationTimestamp':'2026-03-01T12:00:00Z'}"));
        assertThat(response.path("kind").asText()).isEqualTo("TokenRequest");
    }

    @Test
    void token_hasClaimsOfKubernetes() throws IOException {
        String token = token("{'spec':{'boundObjectRef':{'kind':'Pod','apiVersion':'v1','name':'a','uid':'u2'}}}");
        JsonNode claims = new ObjectMapper().readTree(Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]));
        assertThat(claims)
                .isEqualTo(AuthWorldFixture.json(
                        "{'aud':['https://kubernetes.default.svc.cluster.local'],'exp':1772370000,'iat':1772366400,"
                                + "'iss':'https://kubernetes.default.svc.cluster.local','jti':'id-1','kubernetes.io':"
                                + "{'namespace':'team','pod':{'name':'a','uid':'u2'},'serviceaccount':{'name':'bot',"
                                + "'uid':'u1'}},'nbf':1772366400,'sub':'system:serviceaccount:team:bot'}"));
    }

    @Test
    void token_authenticates_untilItExpiresOrAccountIsReplaced() {
        String token = token("{'spec':{'expirationSeconds':600}}");
        assertThat(user(token, WORLD)).contains("system:serviceaccount:team:bot");
        World replaced = AuthWorldFixture.with(WORLD, "serviceaccounts/team/bot", "{'metadata':{'uid':'u9'}}");
        assertThat(user(token, replaced)).isEmpty();
        assertThat(user(token, AuthWorldFixture.without(WORLD, "serviceaccounts/team/bot")))
                .isEmpty();
        clock.advance(Duration.ofSeconds(599));
        assertThat(user(token, WORLD)).isPresent();
        clock.advance(Duration.ofSeconds(1));
        assertThat(user(token, WORLD)).isEmpty();
    }

    @Test
    void token_boundToPod_isInvalidWhenPodIsGone() {
        String token = token("{'spec':{'boundObjectRef':{'kind':'Pod','name':'a'}}}");
        assertThat(user(token, WORLD)).isPresent();
        assertThat(user(token, AuthWorldFixture.without(WORLD, "pods/team/a"))).isEmpty();
        assertThat(user(token, AuthWorldFixture.with(WORLD, "pods/team/a", "{'metadata':{'uid':'other'}}")))
                .isEmpty();
    }

    @Test
    void token_forOtherAudience_isNotAcceptedByThisApi() {
        String token = token("{'spec':{'audiences':['vault']}}");
        assertThat(user(token, WORLD)).isEmpty();
        assertThat(authenticator
                        .authenticate(token, List.of("vault", "x"), WORLD)
                        .map(Authenticator.Identity::audiences))
                .contains(List.of("vault"));
    }

    @Test
    void token_changedOrOfOtherKey_isInvalid() throws IOException {
        String token = token("{}");
        String[] parts = token.split("\\.", -1);
        String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        String forged = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(claims.replace("\"exp\":177", "\"exp\":277").getBytes(StandardCharsets.UTF_8));
        String unsigned = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
        assertThat(user(parts[0] + "." + forged + "." + parts[2], WORLD)).isEmpty();
        assertThat(user(unsigned + "." + parts[1] + ".", WORLD)).isEmpty();
        assertThat(user("a.b", WORLD)).isEmpty();
        assertThat(user("..", WORLD)).isEmpty();

        Path other = Files.createDirectory(directory.resolve("other"));
        ServiceAccountTokens elsewhere = new ServiceAccountTokens(
                TokenFile.load(other.resolve("tokens.json")).signingKeys(), clock, () -> "id-2");
        assertThat(elsewhere.authenticate(token, WORLD)).isEmpty();
    }

    @Test
    void signingKey_rotated_previousTokensStayValid() throws IOException {
        String token = token("{}");
        Files.move(directory.resolve("service-account.key"), directory.resolve("service-account.previous.key"));
        ServiceAccountTokens rotated = new ServiceAccountTokens(
                TokenFile.load(directory.resolve("tokens.json")).signingKeys(), clock, () -> "id-2");
        assertThat(rotated.authenticate(token, WORLD)).isPresent();
        assertThat(rotated.keySet().path("keys")).hasSize(2);
        assertThat(Files.getPosixFilePermissions(directory.resolve("service-account.key")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void issue_expirationTooLong_shortensItWithWarning() {
        TokenRequests.AccountToken issued = issued("{'spec':{'expirationSeconds':172800}}");
        assertThat(issued.response().at("/spec/expirationSeconds").asLong()).isEqualTo(86_400);
        assertThat(issued.response().at("/status/expirationTimestamp").asText()).isEqualTo("2026-03-02T12:00:00Z");
        assertThat(issued.warning()).contains("requested expiration of 172800 seconds shortened to 86400 seconds");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'spec':{'expirationSeconds':599}} | spec.expirationSeconds: Invalid value: 599: may not specify a"
                        + " duration less than 10 minutes",
                "{'spec':{'expirationSeconds':-1}} | spec.expirationSeconds: Invalid value: -1: may not specify a"
                        + " duration less than 10 minutes",
                "{'spec':{'expirationSeconds':4294967297}} | spec.expirationSeconds: Invalid value: 4294967297: may"
                        + " not specify a duration larger than 2^32 seconds",
                "{'metadata':{'name':'root'}} | metadata.name: Invalid value: \"root\": must match the service account"
                        + " name if specified",
                "{'metadata':{'namespace':'kube-system'}} | metadata.namespace: Invalid value: \"kube-system\": must"
                        + " match the service account namespace if specified"
            })
    void issue_invalidRequest_isRejectedLikeKubernetes(String request, String message) {
        assertThat(issue(request))
                .isInstanceOfSatisfying(
                        ReviewResponse.Invalid.class,
                        invalid -> assertThat(invalid.violations().text()).isEqualTo(message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'kind':'Deployment','name':'a'} | cannot bind token for serviceaccount to object of type Deployment;"
                        + " use Pod or Secret",
                "{'kind':'Pod','name':'none'} | pods \"none\" not found",
                "{'kind':'Pod','name':'a','uid':'x'} | the UID in the bound object reference (x) does not match the"
                        + " UID in record. The object might have been deleted and then recreated",
                "{'kind':'Pod','name':'b'} | cannot bind token for serviceaccount \"bot\" to pod running with"
                        + " different serviceaccount name."
            })
    void issue_invalidBoundObject_isBadRequest(String reference, String message) {
        assertThat(issue("{'spec':{'boundObjectRef':" + reference + "}}"))
                .isEqualTo(new ReviewResponse.BadRequest<>(message));
    }

    @Test
    void toString_ofIssuedToken_doesNotContainToken() {
        TokenRequests.AccountToken issued = issued("{}");
        assertThat(new ReviewResponse.Created<>(issued).toString())
                .doesNotContain(issued.response().at("/status/token").asText());
        TokenRequests.IssuedToken page = requests.signIn();
        assertThat(page.toString())
                .contains(page.key().name())
                .doesNotContain(page.response().path("token").asText());
    }
}
