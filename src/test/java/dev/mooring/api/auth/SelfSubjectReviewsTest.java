package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelfSubjectReviewsTest {
    private static final Authorizer AUTHORIZER = new Authorizer(() -> World.EMPTY);

    private static final User ADMIN = User.of("admin", Grant.everywhere(Role.ADMIN));
    private static final User ERIN = User.of("erin", new Grant(Role.EDIT, Set.of("team")));
    private static final User LOU = User.of("lou", Grant.of(Role.VIEW, List.of()));
    private static final User NODE = User.of("system:node:n1", Grant.of(Role.NODE, List.of()));
    private static final User BOT = User.serviceAccount("team", "bot", "u1", Grant.NOTHING);

    private static ObjectNode content(ReviewResponse<ObjectNode> reply) {
        assertThat(reply).isInstanceOf(ReviewResponse.Created.class);
        return ((ReviewResponse.Created<ObjectNode>) reply).content();
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
    void accessReview_attributes_returnsWhetherAllowed(String spec, boolean allowed) {
        ObjectNode review = AuthWorldFixture.json("{'spec':" + spec + "}");
        ObjectNode response = content(SelfSubjectReviews.accessReview(review, ERIN, AUTHORIZER));
        assertThat(response.at("/status/allowed").asBoolean()).isEqualTo(allowed);
        assertThat(response.path("status").has("reason")).isEqualTo(allowed);
        assertThat(response.path("spec")).isEqualTo(review.path("spec"));
        assertThat(response.path("kind").asText()).isEqualTo("SelfSubjectAccessReview");
        assertThat(response.path("apiVersion").asText()).isEqualTo("authorization.k8s.io/v1");
    }

    @Test
    void accessReview_admin_allowsEverything() {
        ObjectNode everything =
                AuthWorldFixture.json("{'spec':{'resourceAttributes':{'verb':'*','resource':'*','group':'*'}}}");
        assertThat(content(SelfSubjectReviews.accessReview(everything, ADMIN, AUTHORIZER))
                        .path("status"))
                .isEqualTo(AuthWorldFixture.json("{'allowed':true,'reason':'role \\'admin\\''}"));
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
    void accessReview_noneOrBothAttributes_isInvalid(String spec, String message) {
        assertThat(SelfSubjectReviews.accessReview(AuthWorldFixture.json("{'spec':" + spec + "}"), ERIN, AUTHORIZER))
                .isInstanceOfSatisfying(
                        ReviewResponse.Invalid.class,
                        invalid -> assertThat(invalid.violations().text()).isEqualTo(message));
    }

    @Test
    void rulesReview_namespace_listsResourcesAllowedThere() {
        assertThat(listedResources(ERIN, "team")).contains("pods", "secrets", "pods/exec", "storageclasses");
        assertThat(listedResources(ERIN, "other"))
                .doesNotContain("pods", "secrets")
                .contains("storageclasses", "selfsubjectreviews");
        assertThat(listedResources(BOT, "team"))
                .containsExactlyInAnyOrder("selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews");
        assertThat(listedResources(ADMIN, "team")).contains("*");
    }

    @Test
    void rulesReview_node_isIncomplete() {
        ObjectNode response =
                content(SelfSubjectReviews.rulesReview(AuthWorldFixture.json("{'spec':{'namespace':'x'}}"), NODE));
        assertThat(response.at("/status/incomplete").asBoolean()).isTrue();
        assertThat(response.at("/status/evaluationError").asText())
                .isEqualTo("node authorizer does not support user rule resolution");
        List<String> listed = new ArrayList<>();
        response.at("/status/resourceRules")
                .forEach(rule -> rule.path("resources").forEach(each -> listed.add(each.asText())));
        assertThat(listed).contains("storageclasses", "events").doesNotContain("secrets", "pods", "nodes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'rawSelector':'spec.nodeName=n1'} | true",
                "{'rawSelector':'spec.nodeName=n2'} | false",
                "{'rawSelector':'spec.nodeName!=n1'} | false",
                "{'requirements':[{'key':'spec.nodeName','operator':'In','values':['n1']}]} | true",
                "{'requirements':[{'key':'spec.nodeName','operator':'In','values':['n1','n2']}]} | false",
                "{'requirements':[{'key':'spec.nodeName','operator':'NotIn','values':['n1']}]} | false",
                "{} | false"
            })
    void accessReview_nodeListsPods_isAllowedForItsOwnFieldSelectorOnly(String selector, boolean allowed) {
        ObjectNode review = AuthWorldFixture.json(
                "{'spec':{'resourceAttributes':{'verb':'list','resource':'pods','fieldSelector':" + selector + "}}}");
        assertThat(content(SelfSubjectReviews.accessReview(review, NODE, AUTHORIZER))
                        .at("/status/allowed")
                        .asBoolean())
                .isEqualTo(allowed);
    }

    @Test
    void rulesReview_listsNonResourcePaths() {
        assertThat(listedPaths(ERIN)).contains("/openapi/*").doesNotContain("/metrics", "*");
        assertThat(listedPaths(LOU)).contains("/openapi/*", "/metrics").doesNotContain("*");
        assertThat(listedPaths(ADMIN)).contains("*");
    }

    @Test
    void rulesReview_withoutNamespace_isBadRequest() {
        assertThat(SelfSubjectReviews.rulesReview(AuthWorldFixture.json("{'spec':{}}"), ERIN))
                .isEqualTo(new ReviewResponse.BadRequest<>("no namespace on request"));
    }

    @Test
    void selfReview_returnsUserInfo() {
        assertThat(content(SelfSubjectReviews.selfReview(
                        AuthWorldFixture.json("{}"), BOT, Instant.parse("2026-03-01T12:00:00.5Z"))))
                .isEqualTo(AuthWorldFixture.json("""
                    {'kind':'SelfSubjectReview','apiVersion':'authentication.k8s.io/v1',
                     'metadata':{'creationTimestamp':'2026-03-01T12:00:00Z'},
                     'status':{'userInfo':{'username':'system:serviceaccount:team:bot','uid':'u1',
                       'groups':['system:serviceaccounts','system:serviceaccounts:team','system:authenticated']}}}\
                    """));
    }

    private static List<String> listedResources(User user, String namespace) {
        return listed(user, namespace, "/status/resourceRules", "resources");
    }

    private static List<String> listedPaths(User user) {
        return listed(user, "team", "/status/nonResourceRules", "nonResourceURLs");
    }

    private static List<String> listed(User user, String namespace, String rules, String field) {
        ObjectNode review = AuthWorldFixture.json("{'spec':{'namespace':'" + namespace + "'}}");
        ObjectNode response = content(SelfSubjectReviews.rulesReview(review, user));
        assertThat(response.at("/status/incomplete").asBoolean(true)).isFalse();
        List<String> found = new ArrayList<>();
        response.at(rules).forEach(rule -> rule.path(field).forEach(item -> found.add(item.asText())));
        return found;
    }
}
