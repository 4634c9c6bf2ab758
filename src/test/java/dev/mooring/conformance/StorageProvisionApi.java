package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.Watching;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A server as somebody sees it who makes claims and waits for what comes of them, by watching, as long as something happens at all. Names are those of objects in the namespace {@code default}.
 */
final class StorageProvisionApi implements AutoCloseable {
    static final String CLAIMS = ApiUnderTest.DEFAULT + "/persistentvolumeclaims";
    static final String PODS = ApiUnderTest.DEFAULT + "/pods";
    static final String EVENTS = ApiUnderTest.DEFAULT + "/events";
    static final String VOLUMES = "/api/v1/persistentvolumes";
    static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    static final String OPERATIONS = "/apis/mooring.dev/v1/volumeoperations";

    /** Far more than anything takes on a busy machine. */
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private static final ExecutorService READERS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "reads-watch");
        thread.setDaemon(true);
        return thread;
    });

    private final ApiUnderTest api;

    private StorageProvisionApi(ApiUnderTest api) {
        this.api = api;
    }

    static StorageProvisionApi start(Path data, Map<String, String> flags) {
        return new StorageProvisionApi(ApiUnderTest.start(data, flags));
    }

    ApiUnderTest http() {
        return api;
    }

    JsonNode make(String path, String body) {
        Reply reply = api.post(path, body);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return reply.body();
    }

    /** Makes a class with parameters such as {@code 'mode':'0750'}; more such as {@code 'reclaimPolicy':'Retain'}. */
    void makeClass(String name, String provisioner, String parameters, String... more) {
        make(CLASSES, storageClass(name, provisioner, parameters, more));
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

    /** The object as it is once this holds; it may not exist yet. */
    JsonNode until(String path, String name, Predicate<JsonNode> holds) {
        try (Watching watch = api.watch(path + "?fieldSelector=metadata.name=" + name)) {
            while (true) {
                JsonNode event = next(watch);
                if (!event.path("type").asText().equals("DELETED") && holds.test(event.path("object"))) {
                    return event.path("object");
                }
            }
        }
    }

    /** With a deadline of its own: a read of a watch does not mind being interrupted. */
    static JsonNode next(Watching watch) {
        JsonNode event = CompletableFuture.supplyAsync(watch::next, READERS)
                .orTimeout(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        assertThat(event.path("type").asText())
                .as("an event of a watch: %s", event)
                .isIn("ADDED", "MODIFIED", "DELETED");
        return event;
    }

    JsonNode untilPhase(String path, String name, String phase) {
        return until(path, name, object -> phase(object).equals(phase));
    }

    static String phase(JsonNode object) {
        return object.at("/status/phase").asText();
    }

    /** Makes a claim and returns the volume it gets. */
    JsonNode volumeFor(String claim, String className, String size, String... more) {
        make(CLAIMS, claim(claim, className, size, more));
        return volumeOf(claim);
    }

    /** The volume of a claim, once both say that they belong together. */
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

    /** Waits until an object is gone. */
    void untilGone(String path, String name) {
        Reply reply = api.get(path + "/" + name);
        if (reply.code() == 404) {
            return;
        }
        try (Watching watch =
                api.watch(path + "?fieldSelector=metadata.name=" + name + "&resourceVersion=" + reply.revision())) {
            while (!next(watch).path("type").asText().equals("DELETED")) {
                // what happens before it goes
            }
        }
    }

    /** Deletes a claim and waits until its volume has gone with it. */
    void deleteWithVolume(String claim) {
        String volume = get(CLAIMS, claim).at("/spec/volumeName").asText();
        delete(CLAIMS, claim);
        untilGone(CLAIMS, claim);
        untilGone(VOLUMES, volume);
    }

    /** The text of the first Event of that reason about an object of that name. */
    String eventOf(String name, String reason) {
        try (Watching watch = api.watch(EVENTS + "?fieldSelector=involvedObject.name=" + name + ",reason=" + reason)) {
            return next(watch).at("/object/message").asText();
        }
    }

    /** A condition of an object, missing if it has none of that type. */
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
