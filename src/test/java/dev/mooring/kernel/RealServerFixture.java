package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.cli.HttpsClient;
import dev.mooring.host.MountTable;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
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
 * A complete server with its own Docker engine and an HTTP client. Manifests are sent as YAML and are in the namespace
 * {@code default}; tests wait for their results in the World. Thread-safe.
 */
final class RealServerFixture implements AutoCloseable {
    private static final Path DATA = Path.of("/mnt/running");
    private static final String NAMESPACE = "/api/v1/namespaces/default/";
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final Pattern KIND = Pattern.compile("\\bkind: (\\w+)");

    private final RealEngineApi engine;
    private final Server server;
    private final WorldAwaiter awaiter;
    private final HttpsClient client;
    private final String token;

    private RealServerFixture(RealEngine engine, Map<String, String> flags)
            throws IOException, GeneralSecurityException {
        this.engine = new RealEngineApi(engine.socket());
        this.server = ServerFixture.start(DATA, flags);
        this.awaiter = new WorldAwaiter(server.stateStore());
        this.client = HttpsClient.trusting(DATA.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        Matcher found = TOKEN.matcher(Files.readString(server.kubeconfig()));
        assertThat(found.find()).as("a token in the kubeconfig").isTrue();
        this.token = found.group(1);
    }

    /** @param share the export in which the class nfs provisions volumes */
    static RealServerFixture start(KernelNfsServer nfs, String share) throws IOException, GeneralSecurityException {
        RealEngine engine = RealEngine.shared();
        return new RealServerFixture(
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

    /** Creates all objects of a YAML text. */
    void apply(String documents) {
        for (String each : documents.split("(?m)^---$", -1)) {
            Matcher kind = KIND.matcher(each);
            if (kind.find()) {
                HttpResponse<String> response = send("POST", collection(kind.group(1)), each);
                assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
            }
        }
    }

    /** Creates all objects of a file in manifests/. */
    void applyFile(String manifest) throws IOException {
        apply(Files.readString(Path.of("manifests", manifest)));
    }

    private static String collection(String kind) {
        String resource = kind.toLowerCase(Locale.ROOT) + 's';
        return kind.equals("PersistentVolume") ? "/api/v1/" + resource : NAMESPACE + resource;
    }

    /** Deletes a Pod with a grace period of one second. */
    void delete(String pod) {
        remove("Pod", pod, "?gracePeriodSeconds=1");
    }

    void remove(String kind, String name, String query) {
        HttpResponse<String> response = send("DELETE", collection(kind) + '/' + name + query, "");
        assertThat(response.statusCode()).as(response.body()).isIn(200, 202);
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
        awaiter.await(pod + " to be removed", world -> pod(world, pod).isMissingNode(), this::text);
    }

    /** Returns the log of the container. */
    String logs(String pod) {
        HttpResponse<String> response = send("GET", NAMESPACE + "pods/" + pod + "/log", "");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    JsonNode awaitPhase(String pod, String phase) {
        return awaitPod(
                pod, "be " + phase, each -> each.at("/status/phase").asText("").equals(phase));
    }

    JsonNode awaitPod(String pod, String what, Predicate<JsonNode> reached) {
        World world = awaiter.await(
                pod + " to " + what,
                each -> !pod(each, pod).isMissingNode() && reached.test(pod(each, pod)),
                this::text);
        return pod(world, pod);
    }

    void awaitBound(String claim, String volume) {
        awaiter.await(
                claim + " to be bound to " + volume,
                world -> world.get(ObjectKey.parse("persistentvolumeclaims/default/" + claim))
                        .map(StoredObject::toTree)
                        .filter(each -> each.at("/status/phase").asText("").equals("Bound")
                                && each.at("/spec/volumeName").asText("").equals(volume))
                        .isPresent(),
                this::text);
    }

    /** Returns the current Pod; missing if it does not exist. */
    JsonNode pod(String name) {
        return pod(server.stateStore().ledger().world(), name);
    }

    private static JsonNode pod(World world, String name) {
        return world.get(ObjectKey.parse("pods/default/" + name))
                .<JsonNode>map(StoredObject::toTree)
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

    void awaitEvent(String pod, String reason) {
        awaiter.await(
                "the Event " + reason + " of " + pod,
                world -> RealNodeFixture.recordedEvents(world, pod).stream()
                        .anyMatch(each -> each.startsWith(reason + ": ")),
                this::text);
    }

    /** Returns whether Pods of this engine get addresses. */
    boolean hasBridge() {
        return engine.get("/networks/bridge").code() == 200;
    }

    /** Returns the containers of a Pod from the engine, without the sandbox. */
    List<JsonNode> containers(JsonNode pod) {
        return engine.containers("dev.mooring.pod.uid=" + uid(pod)).stream()
                .filter(each ->
                        !each.path("Labels").path("dev.mooring.role").asText().equals("sandbox"))
                .toList();
    }

    /** Returns the directory of a Pod, which need not exist. */
    Path directory(JsonNode pod) {
        return DATA.resolve("pods").resolve(uid(pod));
    }

    private static String uid(JsonNode pod) {
        return pod.at("/metadata/uid").asText();
    }

    /** Returns the containers, mounts and directories of all Pods. */
    List<String> leftovers() {
        List<String> found = new ArrayList<>();
        engine.containers(ContainerLabels.INSTANCE).forEach(each -> found.add("container " + each.path("Names")));
        try {
            MountTable.read().below(DATA).forEach(each -> found.add("mount " + each.point()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Shell.local()
                .run("find " + DATA + "/pods -mindepth 1 -maxdepth 1 2>/dev/null || true")
                .lines()
                .forEach(found::add);
        return found;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        World world = server.stateStore().ledger().world();
        for (String resource : List.of("pods", StorageNames.ACTUAL_VOLUMES, "events")) {
            for (StoredObject each : world.list(Scope.resource(resource))) {
                JsonNode tree = each.toTree();
                text.append(resource.equals("events") ? tree.path("message").asText("") : tree.toString())
                        .append('\n');
            }
        }
        engine.containers(ContainerLabels.INSTANCE)
                .forEach(each -> text.append(each).append('\n'));
        return text.toString();
    }

    @Override
    public void close() {
        server.close();
    }
}
