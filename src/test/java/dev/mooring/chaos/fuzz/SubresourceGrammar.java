package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.fuzz.RequestGrammar.RequestTarget;
import java.util.function.Supplier;

/** Generates requests to subresources, containers and access reviews. Stateless. */
final class SubresourceGrammar {

    void request(RequestDraft draft, RequestTarget target, Supplier<ObjectNode> object) {
        FuzzRandom dice = draft.random;
        switch (dice.below(10)) {
            case 0, 1, 2 -> status(draft, target, object);
            case 3 -> containers(draft, target);
            case 4, 5, 6 -> review(draft);
            case 7 -> token(draft, target);
            case 8 -> eviction(draft, target);
            default -> any(draft, target, object);
        }
    }

    private static void status(RequestDraft draft, RequestTarget target, Supplier<ObjectNode> object) {
        FuzzRandom dice = draft.random;
        String path = target.item() + "/status";
        if (dice.percent(30)) {
            draft.request("GET", path).accept();
        } else {
            draft.request("PUT", path + QueryGrammar.forWrite(dice))
                    .body("application/json", Mutations.bytes(dice, object.get()));
        }
    }

    private static void containers(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        String pod = "/api/v1/namespaces/" + namespace(dice, target) + "/pods/" + dice.pick(ValidObjects.NAMES) + "/";
        String query = "?"
                + dice.pick(
                        "container=main",
                        "container=",
                        "container=nobody",
                        "tailLines=-1",
                        "tailLines=x",
                        "sinceTime=0",
                        "sinceSeconds=9223372036854775807",
                        "limitBytes=0",
                        "follow=true",
                        "previous=true",
                        "timestamps=x",
                        "command=sh&command=-c&stdin=1&stdout=1&tty=1",
                        "command=",
                        "stdin=true",
                        "command=%00&stdout=true",
                        "sinceSeconds=1&sinceTime=2026-01-31T12:00:00Z");
        draft.request(dice.pick("GET", "GET", "POST"), pod + dice.pick("log", "exec", "attach") + query);
        if (dice.percent(40)) {
            draft.header("Connection: Upgrade")
                    .header("Upgrade: " + dice.pick("websocket", "SPDY/3.1", "h2c", "x", ""))
                    .header("Sec-WebSocket-Version: " + dice.pick("13", "8", "x"))
                    .header("Sec-WebSocket-Key: " + dice.pick("dGhlIHNhbXBsZSBub25jZQ==", "x", ""))
                    .header("Sec-WebSocket-Protocol: " + dice.pick("v5.channel.k8s.io", "v4.channel.k8s.io", "x", ","))
                    .streaming();
        }
    }

    private static String namespace(FuzzRandom dice, RequestTarget target) {
        return QueryGrammar.encoded(
                target.namespace().isEmpty() ? dice.pick(ValidObjects.NAMESPACES) : target.namespace());
    }

    private static void review(RequestDraft draft) {
        FuzzRandom dice = draft.random;
        String kind = dice.pick(
                "SelfSubjectAccessReview",
                "SelfSubjectRulesReview",
                "SelfSubjectReview",
                "SubjectAccessReview",
                "TokenReview");
        String group =
                kind.equals("SelfSubjectReview") || kind.equals("TokenReview") ? "authentication" : "authorization";
        String spec = dice.pick(
                "{'resourceAttributes':{'verb':'get','resource':'pods','namespace':'default'}}",
                "{'resourceAttributes':{'verb':'*','resource':'*','group':'*','name':'a','subresource':'log'}}",
                "{'nonResourceAttributes':{'verb':'get','path':'/metrics'}}",
                "{'namespace':'default'}",
                "{'token':'x','user':'y','groups':['z']}",
                "{'resourceAttributes':null,'nonResourceAttributes':1}",
                "[]",
                "null");
        ObjectNode review = ValidObjects.parse(
                "{'kind':'" + kind + "','apiVersion':'" + group + ".k8s.io/v1','spec':" + spec + "}");
        if (dice.oneIn(4)) {
            review.set(dice.pick("spec", "metadata", "status", "kind", "apiVersion"), EdgeValues.value(dice));
        }
        draft.request(
                        dice.oneIn(30) ? "GET" : "POST",
                        "/apis/" + group + ".k8s.io/v1/" + kind.toLowerCase(java.util.Locale.ROOT) + "s")
                .body("application/json", Mutations.bytes(dice, review));
    }

    private static void token(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        ObjectNode request = ValidObjects.parse(
                "{'kind':'TokenRequest','apiVersion':'authentication.k8s.io/v1','spec':{'expirationSeconds':3600}}");
        if (dice.percent(40) && request.path("spec") instanceof ObjectNode spec) {
            spec.set(dice.pick("expirationSeconds", "audiences", "boundObjectRef"), EdgeValues.value(dice));
        }
        String account = dice.percent(60) ? "default" : dice.pick(ValidObjects.NAMES);
        draft.request(
                        "POST",
                        "/api/v1/namespaces/" + namespace(dice, target) + "/serviceaccounts/" + account + "/token")
                .body("application/json", Mutations.bytes(dice, request));
    }

    private static void eviction(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        String namespace = namespace(dice, target);
        String name = dice.pick(ValidObjects.NAMES);
        ObjectNode eviction =
                ValidObjects.parse("{'kind':'Eviction','apiVersion':'policy/v1','metadata':{'name':'" + name + "'}}");
        if (dice.percent(40)) {
            eviction.set(
                    "deleteOptions",
                    dice.percent(50) ? ValidObjects.parse("{'gracePeriodSeconds':0}") : EdgeValues.value(dice));
        }
        draft.request(
                        "POST",
                        "/api/v1/namespaces/" + namespace + "/pods/" + name + "/"
                                + dice.pick("eviction", "eviction", "binding"))
                .body("application/json", Mutations.bytes(dice, eviction));
    }

    private static void any(RequestDraft draft, RequestTarget target, Supplier<ObjectNode> object) {
        FuzzRandom dice = draft.random;
        String part = dice.pick(
                "finalize", "status", "scale", "binding", "proxy", "ephemeralcontainers", "resize", "x", "token");
        draft.request(dice.pick("GET", "PUT", "POST", "PATCH", "DELETE"), target.item() + "/" + part);
        if (dice.percent(70)) {
            draft.body(
                    dice.pick("application/json", "application/merge-patch+json"), Mutations.bytes(dice, object.get()));
        }
    }
}
