package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Server and client for tests that create claims and watch until they are provisioned. Names are those of objects in
 * the namespace {@code default}.
 */
final class StorageProvisionFixture implements AutoCloseable {
    static final String CLAIMS = ApiUnderTest.DEFAULT + "/persistentvolumeclaims";
    static final String PODS = ApiUnderTest.DEFAULT + "/pods";
    static final String EVENTS = ApiUnderTest.DEFAULT + "/events";
    static final String VOLUMES = "/api/v1/persistentvolumes";
    static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    static final String OPERATIONS = "/apis/mooring.dev/v1/volumeoperations";

    /** Far longer than any operation takes on a busy machine. */
    private static final Duration DEADLINE = Duration.ofSeconds(90);

    private static final ExecutorService READERS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "reads-watch");
        thread.setDaemon(true);
        return thread;
    });

    private final ApiUnderTest api;

    private StorageProvisionFixture(ApiUnderTest api) {
        this.api = api;
    }

    static StorageProvisionFixture start(Path data, Map<String, String> flags) {
        return new StorageProvisionFixture(ApiUnderTest.start(data, flags));
    }

    ApiUnderTest http() {
        return api;
    }

    JsonNode create(String path, String body) {
        Reply reply = api.post(path, body);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return reply.body();
    }

    /** Creates a class with parameters such as {@code 'mode':'0750'}; more such as {@code 'reclaimPolicy':'Retain'}. */
    void createClass(String name, String provisioner, String parameters, String... more) {
        create(CLASSES, storageClass(name, provisioner, parameters, more));
    }

    static String storageClass(String name, String provisioner, String parameters, String... more) {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        return "{'metadata':{'name':'" + name + "'},'provisioner':'" + provisioner + "','parameters':{" + parameters
                + "}" + rest + "}";
    }

    /** A claim for any volume of a class; more such as {@code 'volumeName':'pv1'}. */
    static String claim(String name, String className, String size, String... more) {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        return "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'storageClassName':'" + className
                + "','accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'" + size + "'}}" + rest + "}}";
    }

    /** A Pod that uses a claim; more such as {@code 'nodeName':'n1'}. */
    static String pod(String name, String claim, String... more) {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        return "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'containers':[{'name':'c','image':'busybox','volumeMounts':[{'name':'v','mountPath':"
                + "'/v'}]}],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'" + claim + "'}}]" + rest
                + "}}";
    }

    JsonNode get(String path, String name) {
        Reply reply = api.get(path + "/" + name);
        assertThat(reply.code()).as(reply.text()).isEqualTo(200);
        return reply.body();
    }

    /** Waits until the object exists and satisfies the predicate, and returns it. */
    JsonNode until(String path, String name, Predicate<JsonNode> holds) {
        try (TestWatch watch = api.watch(path + "?fieldSelector=metadata.name=" + name)) {
            while (true) {
                JsonNode event = next(watch);
                if (!event.path("type").asText().equals("DELETED") && holds.test(event.path("object"))) {
                    return event.path("object");
                }
            }
        }
    }

    /** Reads the next event. It has its own deadline, because reads of a watch cannot be interrupted. */
    static JsonNode next(TestWatch watch) {
        JsonNode event = CompletableFuture.supplyAsync(watch::next, READERS)
                .orTimeout(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        assertThat(event.path("type").asText())
                .as("event of a watch: %s", event)
                .isIn("ADDED", "MODIFIED", "DELETED");
        return event;
    }

    JsonNode untilPhase(String path, String name, String phase) {
        return until(path, name, object -> phase(object).equals(phase));
    }

    static String phase(JsonNode object) {
        return object.at("/status/phase").asText();
    }

    /** Creates a claim and returns the volume that it is bound to. */
    JsonNode volumeFor(String claim, String className, String size, String... more) {
        create(CLAIMS, claim(claim, className, size, more));
        return volumeOf(claim);
    }

    /** Waits until the claim is bound, and returns its volume; both must refer to each other. */
    JsonNode volumeOf(String claim) {
        JsonNode bound = untilPhase(CLAIMS, claim, "Bound");
        String name = bound.at("/spec/volumeName").asText();
        assertThat(bound.at("/status/volumeName").asText()).isEqualTo(name);
        JsonNode volume = get(VOLUMES, name);
        assertThat(phase(volume)).as(volume.toString()).isEqualTo("Bound");
        assertThat(volume.at("/spec/claimRef/uid").asText())
                .isEqualTo(bound.at("/metadata/uid").asText());
        return volume;
    }

    void delete(String path, String name) {
        Reply reply = api.delete(path + "/" + name);
        assertThat(reply.code()).as(reply.text()).isIn(200, 202);
    }

    /** Waits until an object is deleted. */
    void untilGone(String path, String name) {
        Reply reply = api.get(path + "/" + name);
        if (reply.code() == 404) {
            return;
        }
        try (TestWatch watch =
                api.watch(path + "?fieldSelector=metadata.name=" + name + "&resourceVersion=" + reply.revision())) {
            while (!next(watch).path("type").asText().equals("DELETED")) {
                // Skips earlier events.
            }
        }
    }

    /** Deletes a claim and waits until it and its volume are deleted. */
    void deleteWithVolume(String claim) {
        String volume = get(CLAIMS, claim).at("/spec/volumeName").asText();
        delete(CLAIMS, claim);
        untilGone(CLAIMS, claim);
        untilGone(VOLUMES, volume);
    }

    /** Message of the first Event with this reason about an object with this name. */
    String eventOf(String name, String reason) {
        try (TestWatch watch = api.watch(EVENTS + "?fieldSelector=involvedObject.name=" + name + ",reason=" + reason)) {
            return next(watch).at("/object/message").asText();
        }
    }

    /** Condition of an object; a missing node if it has none of this type. */
    static JsonNode condition(JsonNode object, String type) {
        for (JsonNode each : object.at("/status/conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each;
            }
        }
        return ApiUnderTest.JSON.missingNode();
    }

    static Path hostPath(JsonNode volume) {
        return Path.of(volume.at("/spec/hostPath/path").asText());
    }

    @Override
    public void close() {
        api.close();
    }
}
