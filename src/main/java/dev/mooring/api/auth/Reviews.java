package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import java.time.Instant;
import java.util.List;

/**
 * The questions that users ask about themselves: {@code kubectl auth can-i}, {@code can-i --list} and {@code whoami}. Pure; each answers with a
 * new object, what was asked and a status, and none is stored.
 */
public final class Reviews {
    private static final String AUTHORIZATION = "authorization.k8s.io";
    private static final String AUTHENTICATION = "authentication.k8s.io";

    private Reviews() {}

    /** A SelfSubjectAccessReview: may I do this? */
    public static Reply<ObjectNode> access(ObjectNode review, User user) {
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
        if (!violations.isEmpty()) {
            return new Reply.Invalid<>(AUTHORIZATION, "SelfSubjectAccessReview", "", violations);
        }
        Attributes wanted = resource.isObject() ? resourceAttributes(resource) : pathAttributes(path);
        ObjectNode answer = answer(review, AUTHORIZATION, "SelfSubjectAccessReview");
        ObjectNode status = answer.putObject("status");
        Decision decision = Authorizer.decide(user, wanted);
        status.put("allowed", decision.isAllowed());
        // Without a reason kubectl says "no" and nothing else, which is what scripts compare with.
        if (decision instanceof Decision.Allowed allowed) {
            status.put("reason", allowed.reason());
        }
        return new Reply.Answer<>(answer);
    }

    private static Attributes resourceAttributes(JsonNode asked) {
        return Attributes.resource(text(asked, "verb"), text(asked, "group"), text(asked, "resource"))
                .withSubresource(text(asked, "subresource"))
                .withNamespace(text(asked, "namespace"))
                .withName(text(asked, "name"));
    }

    private static Attributes pathAttributes(JsonNode asked) {
        return Attributes.path(text(asked, "verb"), text(asked, "path"));
    }

    /** A SelfSubjectRulesReview: what may I do in this namespace? */
    public static Reply<ObjectNode> rules(ObjectNode review, User user) {
        String namespace = text(review.path("spec"), "namespace");
        if (namespace.isEmpty()) {
            return new Reply.BadRequest<>("no namespace on request");
        }
        ObjectNode answer = answer(review, AUTHORIZATION, "SelfSubjectRulesReview");
        ObjectNode status = answer.putObject("status");
        ArrayNode resourceRules = status.putArray("resourceRules");
        Policy.EVERYBODY.forEach(rule -> describe(rule, resourceRules.addObject()));
        for (Rule rule : Policy.of(user.grant().role())) {
            if (rule.reach() == Reach.OWN_NODE) {
                user.nodeName()
                        .ifPresent(node -> describe(rule, resourceRules.addObject())
                                .putArray("resourceNames")
                                .add(node));
            } else if (rule.reach() == Reach.ANYWHERE || user.grant().covers(namespace)) {
                describe(rule, resourceRules.addObject());
            }
        }
        ArrayNode pathRules = status.putArray("nonResourceRules");
        describe(List.of("get"), Policy.EVERYBODY_PATHS, pathRules.addObject());
        if (user.isAdmin()) {
            describe(List.of("*"), List.of("*"), pathRules.addObject());
        } else if (Authorizer.mayLookEverywhere(user)) {
            describe(List.of("get"), Policy.VIEW_PATHS, pathRules.addObject());
        }
        status.put("incomplete", false);
        return new Reply.Answer<>(answer);
    }

    private static ObjectNode describe(Rule rule, ObjectNode into) {
        rule.verbs().forEach(into.putArray("verbs")::add);
        into.putArray("apiGroups").add(rule.group());
        rule.resources().forEach(into.putArray("resources")::add);
        return into;
    }

    private static void describe(List<String> verbs, List<String> paths, ObjectNode into) {
        verbs.forEach(into.putArray("verbs")::add);
        paths.forEach(into.putArray("nonResourceURLs")::add);
    }

    /** A SelfSubjectReview: who am I? */
    public static Reply<ObjectNode> self(ObjectNode review, User user, Instant now) {
        ObjectNode answer = answer(review, AUTHENTICATION, "SelfSubjectReview");
        answer.putObject("metadata").put("creationTimestamp", Rfc3339.format(now));
        ObjectNode info = answer.putObject("status").putObject("userInfo").put("username", user.name());
        if (!user.uid().isEmpty()) {
            info.put("uid", user.uid());
        }
        user.groups().forEach(info.putArray("groups")::add);
        return new Reply.Answer<>(answer);
    }

    private static ObjectNode answer(ObjectNode review, String group, String kind) {
        ObjectNode answer = review.objectNode().put("kind", kind).put("apiVersion", group + "/v1");
        JsonNode metadata = review.path("metadata");
        answer.set("metadata", metadata.isObject() ? metadata : review.objectNode());
        if (review.path("spec").isObject()) {
            answer.set("spec", review.get("spec"));
        }
        return answer;
    }

    private static String text(JsonNode object, String field) {
        return object.path(field).asText("");
    }
}
