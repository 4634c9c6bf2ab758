package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.FieldSelector;
import dev.mooring.model.SelectorException;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reviews of a user's own identity and permissions: {@code kubectl auth can-i}, {@code can-i --list} and
 * {@code whoami}. Pure functions that return the review with a status; reviews are not stored.
 */
public final class SelfSubjectReviews {
    private static final String AUTHORIZATION = "authorization.k8s.io";
    private static final String AUTHENTICATION = "authentication.k8s.io";

    private SelfSubjectReviews() {}

    /** Answers a SelfSubjectAccessReview: whether the user may do something. */
    public static ReviewResponse<ObjectNode> accessReview(ObjectNode review, User user, Authorizer authorizer) {
        JsonNode resource = review.path("spec").path("resourceAttributes");
        JsonNode path = review.path("spec").path("nonResourceAttributes");
        Violations violations = new Violations();
        if (resource.isObject() && path.isObject()) {
            violations.invalid(
                    "spec.nonResourceAttributes", path, "cannot be specified in combination with resourceAttributes");
        } else if (!resource.isObject() && !path.isObject()) {
            violations.invalid(
                    "spec.resourceAttributes",
                    NullNode.getInstance(),
                    "exactly one of nonResourceAttributes or resourceAttributes must be specified");
        }
        FieldSelector fields = FieldSelector.everything();
        try {
            fields = fields(resource.path("fieldSelector"));
        } catch (SelectorException e) {
            violations.invalid("spec.resourceAttributes.fieldSelector", resource.path("fieldSelector"), e.getMessage());
        }
        if (!violations.isEmpty()) {
            return new ReviewResponse.Invalid<>(AUTHORIZATION, "SelfSubjectAccessReview", "", violations);
        }
        Attributes wanted =
                resource.isObject() ? resourceAttributes(resource).withFields(fields) : pathAttributes(path);
        ObjectNode response = newReview(review, AUTHORIZATION, "SelfSubjectAccessReview");
        ObjectNode status = response.putObject("status");
        Authorizer.AuthorizationDecision decision = authorizer.decide(user, wanted);
        status.put("allowed", decision.isAllowed());
        // Without a reason kubectl prints only "no", which scripts compare with.
        if (decision instanceof Authorizer.AuthorizationDecision.Allowed allowed) {
            status.put("reason", allowed.reason());
        }
        return new ReviewResponse.Created<>(response);
    }

    private static Attributes.Resource resourceAttributes(JsonNode asked) {
        return Attributes.resource(text(asked, "verb"), text(asked, "group"), text(asked, "resource"))
                .withSubresource(text(asked, "subresource"))
                .withNamespace(text(asked, "namespace"))
                .withName(text(asked, "name"));
    }

    /**
     * Parses a field selector given as text or as requirements. Requirements that no field selector can express are
     * ignored, as in Kubernetes.
     */
    private static FieldSelector fields(JsonNode asked) {
        if (!asked.path("requirements").isEmpty()) {
            List<FieldSelector.Requirement> requirements = new ArrayList<>();
            for (JsonNode each : asked.path("requirements")) {
                boolean in = text(each, "operator").equals("In");
                if ((in || text(each, "operator").equals("NotIn"))
                        && each.path("values").size() == 1) {
                    requirements.add(new FieldSelector.Requirement(
                            text(each, "key"),
                            in ? FieldSelector.Operator.EQUALS : FieldSelector.Operator.NOT_EQUALS,
                            each.path("values").get(0).asText("")));
                }
            }
            return new FieldSelector(requirements);
        }
        return FieldSelector.parse(text(asked, "rawSelector"));
    }

    private static Attributes pathAttributes(JsonNode asked) {
        return Attributes.nonResource(text(asked, "verb"), text(asked, "path"));
    }

    /** Answers a SelfSubjectRulesReview: the user's permissions in a namespace. */
    public static ReviewResponse<ObjectNode> rulesReview(ObjectNode review, User user) {
        String namespace = text(review.path("spec"), "namespace");
        if (namespace.isEmpty()) {
            return new ReviewResponse.BadRequest<>("no namespace on request");
        }
        ObjectNode response = newReview(review, AUTHORIZATION, "SelfSubjectRulesReview");
        ObjectNode status = response.putObject("status");
        ArrayNode resourceRules = status.putArray("resourceRules");
        RolePolicy.AUTHENTICATED_RULES.forEach(rule -> describe(rule, resourceRules.addObject()));
        for (RolePolicy.PolicyRule rule : RolePolicy.of(user.grant().role())) {
            if (rule.scope() == RolePolicy.RuleScope.ANYWHERE
                    || (rule.scope() == RolePolicy.RuleScope.GRANTED
                            && user.grant().covers(namespace))) {
                describe(rule, resourceRules.addObject());
            }
        }
        ArrayNode pathRules = status.putArray("nonResourceRules");
        describe(List.of("get"), RolePolicy.AUTHENTICATED_PATHS, pathRules.addObject());
        if (user.isAdmin()) {
            describe(List.of("*"), List.of("*"), pathRules.addObject());
        } else if (Authorizer.canViewAllNamespaces(user)) {
            describe(List.of("get"), RolePolicy.VIEW_PATHS, pathRules.addObject());
        }
        boolean isNode = user.nodeName().isPresent();
        status.put("incomplete", isNode);
        if (isNode) {
            status.put("evaluationError", "node authorizer does not support user rule resolution");
        }
        return new ReviewResponse.Created<>(response);
    }

    private static ObjectNode describe(RolePolicy.PolicyRule rule, ObjectNode into) {
        rule.verbs().forEach(into.putArray("verbs")::add);
        into.putArray("apiGroups").add(rule.group());
        rule.resources().forEach(into.putArray("resources")::add);
        return into;
    }

    private static void describe(List<String> verbs, List<String> paths, ObjectNode into) {
        verbs.forEach(into.putArray("verbs")::add);
        paths.forEach(into.putArray("nonResourceURLs")::add);
    }

    /** Answers a SelfSubjectReview: the user's identity. */
    public static ReviewResponse<ObjectNode> selfReview(ObjectNode review, User user, Instant now) {
        ObjectNode response = newReview(review, AUTHENTICATION, "SelfSubjectReview");
        response.putObject("metadata").put("creationTimestamp", Rfc3339.format(now));
        describe(user, response.putObject("status").putObject("userInfo"));
        return new ReviewResponse.Created<>(response);
    }

    /**
     * Reviews the token of another client, for programs that authenticate their own clients by it. The response repeats
     * the request without the token.
     */
    public static ReviewResponse<ObjectNode> tokenReview(ObjectNode review, Authenticator authenticator, World world) {
        String token = text(review.path("spec"), "token");
        if (token.isEmpty()) {
            Violations violations = new Violations();
            violations.required("spec.token", "");
            return new ReviewResponse.Invalid<>(AUTHENTICATION, "TokenReview", "", violations);
        }
        List<String> audiences = new ArrayList<>();
        review.path("spec").path("audiences").forEach(each -> audiences.add(each.asText()));
        Optional<Authenticator.Identity> found = authenticator.authenticate(
                token, audiences.isEmpty() ? List.of(ServiceAccountTokens.ISSUER) : audiences, world);
        ObjectNode response = newReview(review, AUTHENTICATION, "TokenReview");
        response.putObject("spec");
        ObjectNode status = response.putObject("status");
        if (found.isPresent()) {
            status.put("authenticated", true);
            describe(found.get().user(), status.putObject("user"));
            found.get().audiences().forEach(status.putArray("audiences")::add);
        } else {
            status.putObject("user");
            status.put("error", "invalid bearer token");
        }
        return new ReviewResponse.Created<>(response);
    }

    private static void describe(User user, ObjectNode info) {
        info.put("username", user.name());
        if (!user.uid().isEmpty()) {
            info.put("uid", user.uid());
        }
        user.groups().forEach(info.putArray("groups")::add);
    }

    private static ObjectNode newReview(ObjectNode review, String group, String kind) {
        ObjectNode response = review.objectNode().put("kind", kind).put("apiVersion", group + "/v1");
        JsonNode metadata = review.path("metadata");
        response.set("metadata", metadata.isObject() ? metadata : review.objectNode());
        if (review.path("spec").isObject()) {
            response.set("spec", review.get("spec"));
        }
        return response;
    }

    private static String text(JsonNode object, String field) {
        return object.path(field).asText("");
    }
}
