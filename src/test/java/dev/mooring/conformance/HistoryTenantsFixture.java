package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.namespace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Namespaces that are created and removed, and assertions about the history that their users can read. */
final class HistoryTenantsFixture {
    static final String VALUE = "xyzzy-of-the-former-tenant";
    static final String ENCODED = Base64.getEncoder().encodeToString(VALUE.getBytes(StandardCharsets.UTF_8));
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
    private static final String METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

    private final ApiUnderTest admin;

    HistoryTenantsFixture(ApiUnderTest admin) {
        this.admin = admin;
    }

    static String in(String namespace, String resource) {
        return "/api/v1/namespaces/" + namespace + "/" + resource;
    }

    static String secret(String name) {
        return "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'" + name + "'},'stringData':{'password':'"
                + VALUE + "'}}";
    }

    /** Creates a namespace, and waits for the ConfigMap that a controller adds: tests count the events after it. */
    void createNamespace(String name) {
        Reply created = admin.post("/api/v1/namespaces", namespace(name));
        assertThat(created.code()).as(created.text()).isEqualTo(201);
        try (TestWatch watch =
                admin.watch(in(name, "configmaps") + "?fieldSelector=metadata.name%3Dkube-root-ca.crt")) {
            assertThat(watch.nextName()).isEqualTo("ADDED kube-root-ca.crt");
        }
    }

    /** Deletes the namespace and waits until it and its objects are removed. */
    void removeNamespace(String name) {
        try (TestWatch watch = admin.watch(
                "/api/v1/namespaces?fieldSelector=metadata.name%3D" + name + "&resourceVersion=" + admin.revision())) {
            assertThat(admin.delete("/api/v1/namespaces/" + name).code()).isEqualTo(200);
            String event = watch.nextName();
            while (!event.startsWith("DELETED")) {
                assertThat(event).isNotEmpty();
                event = watch.nextName();
            }
        }
    }

    ApiUnderTest editor(String token, String namespace) {
        return admin.withToken(admin.createToken(token, "'role':'edit','namespaces':['" + namespace + "']"));
    }

    /** Forged continue token; tokens are not signed, so that any client can build one. */
    static String forged(long revision, String resource, String namespace) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((revision + " " + resource + "/" + namespace + "/0").getBytes(StandardCharsets.UTF_8));
    }

    /** Paths of all requests that read a collection, or an object in it, at a revision. */
    static List<String> reads(String namespace, String resource, String name, long revision) {
        String list = in(namespace, resource);
        return List.of(
                list + "/" + name + "?at=" + revision,
                list + "?at=" + revision,
                list + "?at=" + revision + "&fieldSelector=metadata.name%3D" + name,
                list + "/" + name + "?watch=1&at=" + revision,
                list + "?resourceVersionMatch=Exact&resourceVersion=" + revision,
                list + "/" + name + "?resourceVersionMatch=Exact&resourceVersion=" + revision,
                list + "?limit=500&resourceVersion=" + revision,
                list + "?limit=500&continue=" + forged(revision, resource, namespace),
                list + "?continue=" + forged(revision, resource, namespace));
    }

    /** Result of a watch over a WebSocket: {@code open}, or the status code if it is refused. */
    private static String watchBySocket(ApiUnderTest user, String path) {
        HttpClient client = user.withVersion(HttpClient.Version.HTTP_1_1).client();
        try {
            client.newWebSocketBuilder()
                    .header("Authorization", "Bearer " + user.token())
                    .buildAsync(
                            URI.create(user.server().url().replaceFirst("https", "wss") + path + "&watch=1"),
                            new WebSocket.Listener() {})
                    .join()
                    .abort();
            return "open";
        } catch (CompletionException e) {
            return e.getCause() instanceof WebSocketHandshakeException refused
                    ? Integer.toString(refused.getResponse().statusCode())
                    : e.toString();
        }
    }

    static void assertSeesNothing(ApiUnderTest user, String namespace, String resource, String name, long at) {
        for (String path : reads(namespace, resource, name, at)) {
            for (String accept : List.of("application/json", TABLE, METADATA)) {
                Reply answer = user.get(path, "Accept", accept);
                assertThat(answer.code()).as(path + " " + answer.text()).isEqualTo(path.contains("at=") ? 403 : 410);
                assertThat(answer.text()).doesNotContain(ENCODED).doesNotContain(VALUE);
            }
        }
        for (long from : new long[] {1, at - 1, at}) {
            String path = in(namespace, resource) + "?resourceVersion=" + from;
            for (String more : List.of(
                    "",
                    "&fieldSelector=metadata.name%3D" + name,
                    "&sendInitialEvents=false" + "&resourceVersionMatch=NotOlderThan")) {
                try (TestWatch watch = user.watch(path + more)) {
                    assertThat(watch.code()).as(path + more).isEqualTo(410);
                    JsonNode status = watch.next();
                    assertThat(status.path("reason").asText()).isEqualTo("Expired");
                    assertThat(status.toString()).doesNotContain(ENCODED).doesNotContain(VALUE);
                }
                assertThat(watchBySocket(user, path + more)).as(path + more).isEqualTo("410");
            }
        }
    }

    static List<String> names(Reply list) {
        List<String> found = new ArrayList<>();
        list.body()
                .path("items")
                .forEach(each -> found.add(each.at("/metadata/name").asText()));
        return found;
    }
}
