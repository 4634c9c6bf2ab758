package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads and writes storage objects over HTTP without TLS. All instances share one HTTP client and its threads, because
 * tests use hundreds of servers in a row.
 */
final class BindingApiClient {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(60))
            .build();

    private final String url;
    private final String token;

    BindingApiClient(String url, String token) {
        this.url = url;
        this.token = token;
    }

    /** Response of the server; the body is a missing node if the response is not JSON. */
    record Reply(int code, JsonNode body) {
        boolean isOk() {
            return code > 0 && code < 300;
        }

        ObjectNode object() {
            if (!isOk() || !(body instanceof ObjectNode object)) {
                throw new IllegalStateException("Response is not an object: " + code + " " + body);
            }
            return object;
        }
    }

    /** Path of the collection of a kind; for namespaced kinds in the namespace {@code default}. */
    static String path(String kind) {
        return switch (kind) {
            case "PersistentVolume" -> "/api/v1/persistentvolumes";
            case "PersistentVolumeClaim" -> "/api/v1/namespaces/default/persistentvolumeclaims";
            case "Pod" -> "/api/v1/namespaces/default/pods";
            case "Node" -> "/api/v1/nodes";
            case "Event" -> "/api/v1/namespaces/default/events";
            case "StorageClass" -> "/apis/storage.k8s.io/v1/storageclasses";
            case "VolumeOperation" -> "/apis/mooring.dev/v1/volumeoperations";
            case "ActualVolume" -> "/apis/mooring.dev/v1/actualvolumes";
            default -> throw new IllegalArgumentException("Unknown storage kind: " + kind);
        };
    }

    static String path(String kind, String name) {
        return path(kind) + "/" + name;
    }

    Reply get(String kind, String name) {
        return send("GET", path(kind, name), "", "");
    }

    Reply create(String kind, JsonNode object) {
        return send("POST", path(kind), object.toString(), "application/json");
    }

    Reply putStatus(String kind, String name, JsonNode object) {
        return send("PUT", path(kind, name) + "/status", object.toString(), "application/json");
    }

    Reply patch(String kind, String name, String merge) {
        return send("PATCH", path(kind, name), merge, "application/merge-patch+json");
    }

    /** Deletes with a grace period of 0. */
    Reply delete(String kind, String name) {
        return send(
                "DELETE",
                path(kind, name),
                "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0}",
                "application/json");
    }

    List<JsonNode> list(String kind) {
        return items(send("GET", path(kind), "", ""));
    }

    List<JsonNode> allEvents() {
        return items(send("GET", "/api/v1/events?limit=500", "", ""));
    }

    private static List<JsonNode> items(Reply list) {
        List<JsonNode> items = new ArrayList<>();
        list.object().path("items").forEach(items::add);
        return items;
    }

    String metrics() {
        return answer("GET", "/metrics", "", "").body();
    }

    private Reply send(String method, String path, String body, String type) {
        HttpResponse<String> answer = answer(method, path, body, type);
        try {
            return new Reply(
                    answer.statusCode(),
                    answer.body().startsWith("{") ? JSON.readTree(answer.body()) : MissingNode.getInstance());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpResponse<String> answer(String method, String path, String body, String type) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(90))
                .header("Authorization", "Bearer " + token)
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
