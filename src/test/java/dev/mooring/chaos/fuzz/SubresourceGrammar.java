package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.fuzz.RequestGrammar.Place;
import java.util.function.Supplier;

/** Requests to parts of objects, to containers, and to what answers questions about access. Stateless. */
final class SubresourceGrammar {

    void request(Draft draft, Place place, Supplier<ObjectNode> object) {
        Dice dice = draft.dice;
        switch (dice.below(10)) {
            case 0, 1, 2 -> status(draft, place, object);
            case 3 -> containers(draft, place);
            case 4, 5, 6 -> review(draft);
            case 7 -> token(draft, place);
            case 8 -> eviction(draft, place);
            default -> any(draft, place, object);
        }
    }

    private static void status(Draft draft, Place place, Supplier<ObjectNode> object) {
        Dice dice = draft.dice;
        String path = place.item() + "/status";
        if (dice.percent(30)) {
            draft.request("GET", path).accept();
        } else {
            draft.request("PUT", path + QueryGrammar.forWrite(dice))
                    .body("application/json", Mutations.bytes(dice, object.get()));
        }
    }

    private static void containers(Draft draft, Place place) {
        Dice dice = draft.dice;
        String pod = "/api/v1/namespaces/" + namespace(dice, place) + "/pods/" + dice.pick(ValidObjects.NAMES) + "/";
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

    private static String namespace(Dice dice, Place place) {
        return QueryGrammar.encoded(
                place.namespace().isEmpty() ? dice.pick(ValidObjects.NAMESPACES) : place.namespace());
    }

    private static void review(Draft draft) {
        Dice dice = draft.dice;
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
            review.set(dice.pick("spec", "metadata", "status", "kind", "apiVersion"), Odd.value(dice));
        }
        draft.request(
                        dice.oneIn(30) ? "GET" : "POST",
                        "/apis/" + group + ".k8s.io/v1/" + kind.toLowerCase(java.util.Locale.ROOT) + "s")
                .body("application/json", Mutations.bytes(dice, review));
    }

    private static void token(Draft draft, Place place) {
        Dice dice = draft.dice;
        ObjectNode request = ValidObjects.parse(
                "{'kind':'TokenRequest','apiVersion':'authentication.k8s.io/v1','spec':{'expirationSeconds':3600}}");
        if (dice.percent(40) && request.path("spec") instanceof ObjectNode spec) {
            spec.set(dice.pick("expirationSeconds", "audiences", "boundObjectRef"), Odd.value(dice));
        }
        String account = dice.percent(60) ? "default" : dice.pick(ValidObjects.NAMES);
        draft.request("POST", "/api/v1/namespaces/" + namespace(dice, place) + "/serviceaccounts/" + account + "/token")
                .body("application/json", Mutations.bytes(dice, request));
    }

    private static void eviction(Draft draft, Place place) {
        Dice dice = draft.dice;
        String namespace = namespace(dice, place);
        String name = dice.pick(ValidObjects.NAMES);
        ObjectNode eviction =
                ValidObjects.parse("{'kind':'Eviction','apiVersion':'policy/v1','metadata':{'name':'" + name + "'}}");
        if (dice.percent(40)) {
            eviction.set(
                    "deleteOptions",
                    dice.percent(50) ? ValidObjects.parse("{'gracePeriodSeconds':0}") : Odd.value(dice));
        }
        draft.request(
                        "POST",
                        "/api/v1/namespaces/" + namespace + "/pods/" + name + "/"
                                + dice.pick("eviction", "eviction", "binding"))
                .body("application/json", Mutations.bytes(dice, eviction));
    }

    private static void any(Draft draft, Place place, Supplier<ObjectNode> object) {
        Dice dice = draft.dice;
        String part = dice.pick(
                "finalize", "status", "scale", "binding", "proxy", "ephemeralcontainers", "resize", "x", "token");
        draft.request(dice.pick("GET", "PUT", "POST", "PATCH", "DELETE"), place.item() + "/" + part);
        if (dice.percent(70)) {
            draft.body(
                    dice.pick("application/json", "application/merge-patch+json"), Mutations.bytes(dice, object.get()));
        }
    }
}
