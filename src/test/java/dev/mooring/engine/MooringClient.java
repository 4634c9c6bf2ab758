package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.cli.HttpsClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * HTTPS client of a server, in this process or another, that creates Pods and reads their state. Names are those of
 * objects in the namespace {@code default}. Bodies are JSON, possibly with single quotes, or YAML. Thread-safe.
 */
final class MooringClient {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String EVENTS = "/api/v1/namespaces/default/events";
    static final String VOLUMES = "/api/v1/persistentvolumes";
    static final String DESIRED = "/apis/mooring.dev/v1/desiredvolumes";
    static final String ACTUAL = "/apis/mooring.dev/v1/actualvolumes";

    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");

    private final HttpsClient client;
    private final String url;
    private final String token;

    /** Response of the server. {@code body} is a missing node if the response is not JSON. */
    record ClientResponse(int code, JsonNode body, String text) {}

    private MooringClient(HttpsClient client, String url, String token) {
        this.client = client;
        this.url = url;
        this.token = token;
    }

    /** @param data data directory of the server, with its kubeconfig and CA certificate */
    static MooringClient at(String url, Path data) {
        try {
            Matcher found = TOKEN.matcher(Files.readString(data.resolve("kubeconfig")));
            assertThat(found.find()).as("kubeconfig has a token").isTrue();
            HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
            return new MooringClient(client, url, found.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @throws UncheckedIOException if the server does not answer */
    ClientResponse send(String method, String path, String body, String type) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", type)
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        try {
            HttpResponse<String> answer = client.send(request);
            return new ClientResponse(answer.statusCode(), parse(answer.body()), answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode parse(String text) {
        try {
            return text.startsWith("{") ? JSON.readTree(text) : MissingNode.getInstance();
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    ClientResponse get(String path) {
        return send("GET", path, "", "application/json");
    }

    ClientResponse delete(String path) {
        return send("DELETE", path, "", "application/json");
    }

    ClientResponse merge(String path, String patch) {
        return send("PATCH", path, patch.replace('\'', '"'), "application/merge-patch+json");
    }

    JsonNode create(String path, String body) {
        return requireCreated(send("POST", path, body.replace('\'', '"'), "application/json"));
    }

    /** Creates an object; its path is derived from its kind. */
    JsonNode createYaml(String document) {
        Matcher kind = Pattern.compile("(?m)^kind: (\\w+)$").matcher(document);
        assertThat(kind.find()).as(document).isTrue();
        return requireCreated(send("POST", collection(kind.group(1)), document, "application/yaml"));
    }

    static String collection(String kind) {
        return switch (kind) {
            case "StorageClass" -> "/apis/storage.k8s.io/v1/storageclasses";
            case "PersistentVolume" -> VOLUMES;
            default -> "/api/v1/namespaces/default/" + kind.toLowerCase(Locale.ROOT) + "s";
        };
    }

    private static JsonNode requireCreated(ClientResponse reply) {
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return reply.body();
    }

    /** The object; a missing node if it does not exist. */
    JsonNode object(String path, String name) {
        ClientResponse reply = get(path + '/' + name);
        assertThat(reply.code()).as(reply.text()).isIn(200, 404);
        return reply.code() == 200 ? reply.body() : MissingNode.getInstance();
    }

    List<JsonNode> list(String path) {
        ClientResponse reply = get(path);
        assertThat(reply.code()).as(reply.text()).isEqualTo(200);
        List<JsonNode> items = new ArrayList<>();
        reply.body().path("items").forEach(items::add);
        return items;
    }

    JsonNode until(String path, String name, String expected, Predicate<JsonNode> holds) {
        return Eventually.await(name + " " + expected, () -> object(path, name), holds);
    }

    JsonNode untilPhase(String path, String name, String phase) {
        return until(path, name, "in phase " + phase, each -> phase(each).equals(phase));
    }

    void untilGone(String path, String name) {
        until(path, name, "to be deleted", JsonNode::isMissingNode);
    }

    /** Deletes an object with a grace period of 1 s, and waits until it is deleted. */
    void remove(String path, String name) {
        ClientResponse reply = delete(path + '/' + name + "?gracePeriodSeconds=1");
        assertThat(reply.code()).as(reply.text()).isIn(200, 202, 404);
        untilGone(path, name);
    }

    static String phase(JsonNode object) {
        return object.at("/status/phase").asText();
    }

    /** The state of a Pod's only container. */
    static JsonNode state(JsonNode pod) {
        return pod.at("/status/containerStatuses/0/state");
    }

    /** Log of a Pod's only container. */
    String logs(String pod) {
        return logs(pod, "");
    }

    /** @param query such as {@code ?container=a&previous=true} */
    String logs(String pod, String query) {
        return get(PODS + '/' + pod + "/log" + query).text();
    }

    /** Events about an object. */
    List<JsonNode> events(String name) {
        return list(EVENTS + "?fieldSelector=involvedObject.name=" + name);
    }
}
