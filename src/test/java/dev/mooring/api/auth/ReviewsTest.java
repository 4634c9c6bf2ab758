package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReviewsTest {
    private static final User ADMIN = User.of("admin", Grant.everywhere(Role.ADMIN));
    private static final User ERIN = User.of("erin", new Grant(Role.EDIT, Set.of("team")));
    private static final User LOU = User.of("lou", Grant.of(Role.VIEW, List.of()));
    private static final User NODE = User.of("system:node:n1", Grant.of(Role.NODE, List.of()));
    private static final User BOT = User.serviceAccount("team", "bot", "u1", Grant.NOTHING);

    private static ObjectNode content(Reply<ObjectNode> reply) {
        assertThat(reply).isInstanceOf(Reply.Answer.class);
        return ((Reply.Answer<ObjectNode>) reply).content();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'resourceAttributes':{'verb':'list','resource':'pods','namespace':'team'}} | true",
                "{'resourceAttributes':{'verb':'list','resource':'pods','namespace':'other'}} | false",
                "{'resourceAttributes':{'verb':'list','resource':'pods'}} | false",
                "{'resourceAttributes':{'verb':'get','resource':'pods','subresource':'log','namespace':'team','name':'a'}}"
                    + " | true",
                "{'resourceAttributes':{'verb':'update','resource':'pods','subresource':'status','namespace':'team'}}"
                        + " | false",
                "{'resourceAttributes':{'verb':'list','group':'storage.k8s.io','version':'v1','resource':'storageclasses'}}"
                    + " | true",
                "{'resourceAttributes':{'verb':'*','resource':'*','group':'*','namespace':'team'}} | false",
                "{'resourceAttributes':{}} | false",
                "{'nonResourceAttributes':{'verb':'get','path':'/version'}} | true",
                "{'nonResourceAttributes':{'verb':'get','path':'/metrics'}} | false"
            })
    void answersWhetherOneMay(String spec, boolean allowed) {
        ObjectNode review = Worlds.json("{'spec':" + spec + "}");
        ObjectNode answer = content(Reviews.access(review, ERIN));
        assertThat(answer.at("/status/allowed").asBoolean()).isEqualTo(allowed);
        assertThat(answer.path("status").has("reason")).isEqualTo(allowed);
        assertThat(answer.path("spec")).isEqualTo(review.path("spec"));
        assertThat(answer.path("kind").asText()).isEqualTo("SelfSubjectAccessReview");
        assertThat(answer.path("apiVersion").asText()).isEqualTo("authorization.k8s.io/v1");
    }

    @Test
    void saysYesToAnAdminWhateverIsAsked() {
        ObjectNode everything = Worlds.json("{'spec':{'resourceAttributes':{'verb':'*','resource':'*','group':'*'}}}");
        assertThat(content(Reviews.access(everything, ADMIN)).path("status"))
                .isEqualTo(Worlds.json("{'allowed':true,'reason':'role \\'admin\\''}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or"
                        + " resourceAttributes must be specified",
                "{'resourceAttributes':{},'nonResourceAttributes':{}} | spec.nonResourceAttributes: Invalid value: {}:"
                        + " cannot be specified in combination with resourceAttributes"
            })
    void refusesAReviewThatAsksNothingOrTwoThings(String spec, String message) {
        assertThat(Reviews.access(Worlds.json("{'spec':" + spec + "}"), ERIN))
                .isInstanceOfSatisfying(
                        Reply.Invalid.class,
                        invalid -> assertThat(invalid.violations().text()).isEqualTo(message));
    }

    @Test
    void listsWhatOneMayDoInANamespaceAndOnlyThat() {
        assertThat(resourcesListed(ERIN, "team")).contains("pods", "secrets", "pods/exec", "storageclasses");
        assertThat(resourcesListed(ERIN, "other"))
                .doesNotContain("pods", "secrets")
                .contains("storageclasses", "selfsubjectreviews");
        assertThat(resourcesListed(BOT, "team"))
                .containsExactlyInAnyOrder("selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews");
        assertThat(resourcesListed(ADMIN, "team")).contains("*");
    }

    @Test
    void listsTheNamesANodeIsLimitedTo() {
        ObjectNode answer = content(Reviews.rules(Worlds.json("{'spec':{'namespace':'x'}}"), NODE));
        List<JsonNode> own = new ArrayList<>();
        answer.at("/status/resourceRules").forEach(rule -> {
            if (rule.path("resources").toString().contains("nodes/status")) {
                own.add(rule.path("resourceNames"));
            }
        });
        assertThat(own.toString()).isEqualTo("[[\"n1\"]]");
    }

    @Test
    void listsPathsToo() {
        assertThat(pathsListed(ERIN)).contains("/openapi/*").doesNotContain("/metrics", "*");
        assertThat(pathsListed(LOU)).contains("/openapi/*", "/metrics").doesNotContain("*");
        assertThat(pathsListed(ADMIN)).contains("*");
    }

    @Test
    void wantsANamespaceToListRulesFor() {
        assertThat(Reviews.rules(Worlds.json("{'spec':{}}"), ERIN))
                .isEqualTo(new Reply.BadRequest<>("no namespace on request"));
    }

    @Test
    void saysWhoOneIs() {
        assertThat(content(Reviews.self(Worlds.json("{}"), BOT, Instant.parse("2026-03-01T12:00:00.5Z"))))
                .isEqualTo(Worlds.json("""
                    {'kind':'SelfSubjectReview','apiVersion':'authentication.k8s.io/v1',
                     'metadata':{'creationTimestamp':'2026-03-01T12:00:00Z'},
                     'status':{'userInfo':{'username':'system:serviceaccount:team:bot','uid':'u1',
                       'groups':['system:serviceaccounts','system:serviceaccounts:team','system:authenticated']}}}\
                    """));
    }

    private static List<String> resourcesListed(User user, String namespace) {
        return listed(user, namespace, "/status/resourceRules", "resources");
    }

    private static List<String> pathsListed(User user) {
        return listed(user, "team", "/status/nonResourceRules", "nonResourceURLs");
    }

    private static List<String> listed(User user, String namespace, String rules, String field) {
        ObjectNode review = Worlds.json("{'spec':{'namespace':'" + namespace + "'}}");
        ObjectNode answer = content(Reviews.rules(review, user));
        assertThat(answer.at("/status/incomplete").asBoolean(true)).isFalse();
        List<String> found = new ArrayList<>();
        answer.at(rules).forEach(rule -> rule.path(field).forEach(item -> found.add(item.asText())));
        return found;
    }
}
