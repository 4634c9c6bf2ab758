package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.tls.TokenFile;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenRequestsTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.7Z");
    private static final World WORLD =
            AuthWorldFixture.with(World.EMPTY, "serviceaccounts/team/bot", "{'metadata':{'uid':'u1'}}");

    private final TokenRequests requests =
            new TokenRequests(new TokenMint(new SecureRandom()), Clock.fixed(NOW, ZoneOffset.UTC), Duration.ofDays(1));

    private ReviewResponse<TokenRequests.IssuedToken> issue(String request) {
        StoredObject account =
                WORLD.get(ObjectKey.parse("serviceaccounts/team/bot")).orElseThrow();
        return requests.issue(AuthWorldFixture.json(request), account);
    }

    private TokenRequests.IssuedToken issued(String request) {
        assertThat(issue(request)).isInstanceOf(ReviewResponse.Created.class);
        return ((ReviewResponse.Created<TokenRequests.IssuedToken>) issue(request)).content();
    }

    @Test
    void issue_withoutExpiration_returnsTokenForOneHour() {
        ObjectNode response = issued("{'spec':{'audiences':['x']}}").response();
        assertThat(response.at("/status/token").asText()).startsWith("mrg_sa-");
        assertThat(response.at("/status/expirationTimestamp").asText()).isEqualTo("2026-03-01T13:00:00Z");
        assertThat(response.at("/spec/expirationSeconds").asLong()).isEqualTo(3600);
        assertThat(response.at("/spec/audiences/0").asText()).isEqualTo("x");
        assertThat(response.path("metadata"))
                .isEqualTo(AuthWorldFixture.json(
                        "{'name':'bot','namespace':'team','creationTimestamp':'2026-03-01T12:00:00Z'}"));
        assertThat(response.path("kind").asText()).isEqualTo("TokenRequest");
    }

    @Test
    void issue_createsValidTokenObjectWithHashOnly(@TempDir Path directory) throws IOException {
        TokenRequests.IssuedToken issued = issued("{'spec':{'expirationSeconds':600}}");
        String token = issued.response().at("/status/token").asText();
        assertThat(issued.object().toString()).doesNotContain(token);
        assertThat(issued.object().at("/spec/expires").asText()).isEqualTo("2026-03-01T12:10:00Z");
        assertThat(issued.warning()).isEmpty();
        Violations violations = new Violations();
        new TokenRules().validate(issued.object(), violations);
        assertThat(violations.all()).isEmpty();

        World world = AuthWorldFixture.with(
                WORLD, issued.key().text(), issued.object().toString());
        Authenticator authenticator =
                new Authenticator(TokenFile.load(directory.resolve("tokens.json")), Clock.fixed(NOW, ZoneOffset.UTC));
        assertThat(authenticator.authenticate(token, world).map(User::name)).contains("system:serviceaccount:team:bot");
    }

    @Test
    void issue_expirationTooLong_shortensItWithWarning() {
        TokenRequests.IssuedToken issued = issued("{'spec':{'expirationSeconds':172800}}");
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

    @Test
    void issue_boundObjectRef_isBadRequest() {
        assertThat(issue("{'spec':{'boundObjectRef':{'kind':'Pod','name':'a'}}}"))
                .isEqualTo(
                        new ReviewResponse.BadRequest<>("cannot bind token for serviceaccount to object of type Pod"));
    }

    @Test
    void toString_ofIssuedToken_doesNotContainToken() {
        TokenRequests.IssuedToken issued = issued("{}");
        assertThat(issued.toString() + new ReviewResponse.Created<>(issued))
                .contains(issued.key().name())
                .doesNotContain(issued.response().at("/status/token").asText());
    }
}
