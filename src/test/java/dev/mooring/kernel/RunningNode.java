package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.cli.HttpsClient;
import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.runtime.Labels;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import dev.mooring.volume.path.MountTable;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A whole server with a Docker engine of its own, whose Pods run, as its users know it: objects are sent to it as text and are in the namespace
 * {@code default}. What becomes of them is waited for in its World. Any thread.
 */
final class RunningNode implements AutoCloseable {
    private static final Path DATA = Path.of("/mnt/running");
    private static final String NAMESPACE = "/api/v1/namespaces/default/";
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final Pattern KIND = Pattern.compile("\\bkind: (\\w+)");

    private final RealEngineApi engine;
    private final Server server;
    private final Awaiting awaiting;
    private final HttpsClient client;
    private final String token;

    private RunningNode(RealEngine engine, Map<String, String> flags) throws IOException, GeneralSecurityException {
        this.engine = new RealEngineApi(engine.socket());
        this.server = TestServers.start(DATA, flags);
        this.awaiting = new Awaiting(server.spine());
        this.client = HttpsClient.trusting(DATA.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        Matcher found = TOKEN.matcher(Files.readString(server.kubeconfig()));
        assertThat(found.find()).as("a token in the kubeconfig").isTrue();
        this.token = found.group(1);
    }

    /** @param share what the class nfs makes volumes in */
    static RunningNode start(NfsServer nfs, String share) throws IOException, GeneralSecurityException {
        RealEngine engine = RealEngine.shared();
        return new RunningNode(
                engine,
                Map.of(
                        "runtime",
                        "docker",
                        "docker.host",
                        engine.host(),
                        "nfs.server",
                        nfs.address(),
                        "nfs.share",
                        share));
    }

    private HttpResponse<String> send(String method, String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/yaml")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        try {
            return client.send(request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Makes all objects of a text. */
    void apply(String documents) {
        for (String each : documents.split("(?m)^---$", -1)) {
            Matcher kind = KIND.matcher(each);
            if (kind.find()) {
                HttpResponse<String> answer = send("POST", collection(kind.group(1)), each);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
            }
        }
    }

    /** Makes all objects of a file that comes with Mooring. */
    void applyFile(String manifest) throws IOException {
        apply(Files.readString(Path.of("manifests", manifest)));
    }

    private static String collection(String kind) {
        String resource = kind.toLowerCase(Locale.ROOT) + 's';
        return kind.equals("PersistentVolume") ? "/api/v1/" + resource : NAMESPACE + resource;
    }

    /** Gives it a second. */
    void delete(String pod) {
        remove("Pod", pod, "?gracePeriodSeconds=1");
    }

    void remove(String kind, String name, String query) {
        HttpResponse<String> answer = send("DELETE", collection(kind) + '/' + name + query, "");
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 202);
    }

    void deleteAndAwait(String... pods) {
        for (String each : pods) {
            delete(each);
        }
        for (String each : pods) {
            awaitGone(each);
        }
    }

    void awaitGone(String pod) {
        awaiting.await("the end of " + pod, world -> pod(world, pod).isMissingNode(), this::text);
    }

    /** What its container has said. */
    String logs(String pod) {
        HttpResponse<String> answer = send("GET", NAMESPACE + "pods/" + pod + "/log", "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    JsonNode awaitPhase(String pod, String phase) {
        return awaitPod(
                pod, "be " + phase, each -> each.at("/status/phase").asText("").equals(phase));
    }

    JsonNode awaitPod(String pod, String what, Predicate<JsonNode> reached) {
        World world = awaiting.await(
                pod + " to " + what,
                each -> !pod(each, pod).isMissingNode() && reached.test(pod(each, pod)),
                this::text);
        return pod(world, pod);
    }

    void awaitBound(String claim, String volume) {
        awaiting.await(
                claim + " to be bound to " + volume,
                world -> world.get(ObjectKey.parse("persistentvolumeclaims/default/" + claim))
                        .map(StoredJson::tree)
                        .filter(each -> each.at("/status/phase").asText("").equals("Bound")
                                && each.at("/spec/volumeName").asText("").equals(volume))
                        .isPresent(),
                this::text);
    }

    /** As it is now; missing if it is gone. */
    JsonNode pod(String name) {
        return pod(server.spine().ledger().world(), name);
    }

    private static JsonNode pod(World world, String name) {
        return world.get(ObjectKey.parse("pods/default/" + name))
                .<JsonNode>map(StoredJson::tree)
                .orElse(MissingNode.getInstance());
    }

    static JsonNode condition(JsonNode pod, String type) {
        for (JsonNode each : pod.at("/status/conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    void awaitTold(String pod, String reason) {
        awaiting.await(
                pod + " to be told " + reason,
                world -> WholeNode.told(world, pod).stream().anyMatch(each -> each.startsWith(reason + ": ")),
                this::text);
    }

    /** Whether Pods of this engine get addresses. */
    boolean hasBridge() {
        return engine.get("/networks/bridge").code() == 200;
    }

    /** Those of one Pod that are in its spec, as the engine lists them. */
    List<JsonNode> containers(JsonNode pod) {
        return engine.containers("dev.mooring.pod.uid=" + uid(pod)).stream()
                .filter(each ->
                        !each.path("Labels").path("dev.mooring.role").asText().equals("sandbox"))
                .toList();
    }

    /** Where a Pod has its volumes, if they are there. */
    Path directory(JsonNode pod) {
        return DATA.resolve("pods").resolve(uid(pod));
    }

    private static String uid(JsonNode pod) {
        return pod.at("/metadata/uid").asText();
    }

    /** What is there of Pods: containers, mounts and directories. */
    List<String> leftovers() {
        List<String> found = new ArrayList<>();
        engine.containers(Labels.INSTANCE).forEach(each -> found.add("container " + each.path("Names")));
        try {
            MountTable.read().below(DATA).forEach(each -> found.add("mount " + each.point()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Shell.here()
                .run("find " + DATA + "/pods -mindepth 1 -maxdepth 1 2>/dev/null || true")
                .lines()
                .forEach(found::add);
        return found;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        World world = server.spine().ledger().world();
        for (String resource : List.of("pods", StorageNames.ACTUAL_VOLUMES, "events")) {
            for (StoredObject each : world.list(Scope.resource(resource))) {
                JsonNode tree = StoredJson.tree(each);
                text.append(resource.equals("events") ? tree.path("message").asText("") : tree.toString())
                        .append('\n');
            }
        }
        engine.containers(Labels.INSTANCE).forEach(each -> text.append(each).append('\n'));
        return text.toString();
    }

    @Override
    public void close() {
        server.close();
    }
}
