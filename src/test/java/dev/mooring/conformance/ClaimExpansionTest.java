package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.Watching;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Claims that ask for more, on a server with all its controllers; the test plays the node that has the data. */
@Timeout(60)
class ClaimExpansionTest {
    private static final String CLAIMS = ApiUnderTest.DEFAULT + "/persistentvolumeclaims";
    private static final String VOLUMES = "/api/v1/persistentvolumes";
    private static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    private static final String OPERATIONS = "/apis/mooring.dev/v1/volumeoperations";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        api = ApiUnderTest.start(data, Map.of());
        made(CLASSES, "{'metadata':{'name':'vendor'},'provisioner':'vendor.example/none','allowVolumeExpansion':true}");
        made("/api/v1/nodes", "{'metadata':{'name':'elsewhere','labels':{'kubernetes.io/hostname':'elsewhere'}}}");
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static JsonNode made(String path, String body) {
        Reply reply = api.post(path, body);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return reply.body();
    }

    /** A claim and its volume of 1Gi, bound; the uid of the volume. */
    private static String bound(String name, String className, String source) {
        String uid = made(
                        VOLUMES,
                        "{'metadata':{'name':'" + name + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':"
                                + "['ReadWriteOnce'],'storageClassName':'" + className + "'," + source + "}}")
                .at("/metadata/uid")
                .asText();
        made(
                CLAIMS,
                "{'metadata':{'name':'" + name + "'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'"
                        + className + "','volumeName':'" + name
                        + "','resources':{'requests':{'storage':'1Gi'}}}}");
        until(CLAIMS, name, claim -> claim.at("/status/phase").asText().equals("Bound"));
        return uid;
    }

    private static JsonNode until(String path, String name, Predicate<JsonNode> holds) {
        try (Watching watch = api.watch(path + "?fieldSelector=metadata.name=" + name)) {
            while (true) {
                JsonNode event = watch.next();
                assertThat(event.isMissingNode()).as("the end of the watch").isFalse();
                if (holds.test(event.path("object"))) {
                    return event.path("object");
                }
            }
        }
    }

    private static void ask(String name, String size) {
        Reply asked = api.merge(CLAIMS + "/" + name, "{'spec':{'resources':{'requests':{'storage':'" + size + "'}}}}");
        assertThat(asked.code()).as(asked.text()).isEqualTo(200);
    }

    private static boolean has(JsonNode claim, String size) {
        return claim.at("/status/capacity/storage").asText().equals(size);
    }

    private static String eventOf(String name, String reason) {
        try (Watching watch = api.watch(
                ApiUnderTest.DEFAULT + "/events?fieldSelector=involvedObject.name=" + name + ",reason=" + reason)) {
            return watch.next().at("/object/message").asText();
        }
    }

    @Test
    void aHostPathHasItsNewSizeAtOnceAndSaysWhatThatIsWorth() {
        bound("number", "hostPath", "'hostPath':{'path':'/srv/number'}");
        ask("number", "5Gi");
        until(CLAIMS, "number", claim -> has(claim, "5Gi"));

        assertThat(api.get(VOLUMES + "/number")
                        .body()
                        .at("/spec/capacity/storage")
                        .asText())
                .isEqualTo("5Gi");
        assertThat(eventOf("number", "VolumeResizeSuccessful")).contains("5Gi is a number only");
    }

    @Test
    void whatIsNotOursWaitsForOthers() {
        bound("foreign", "vendor", "'hostPath':{'path':'/srv/foreign'}");
        ask("foreign", "5Gi");

        assertThat(eventOf("foreign", "ExternalExpanding"))
                .isEqualTo("waiting for an external controller to expand this PVC");
        assertThat(has(api.get(CLAIMS + "/foreign").body(), "1Gi")).isTrue();
    }

    @Test
    void aBlockVolumeGrowsOnItsNodeAndAMistypedSizeIsTakenBack() {
        String uid = bound(
                "image",
                "block",
                "'csi':{'driver':'block.mooring.dev','volumeHandle':'h','volumeAttributes':{'image':'/srv/h.img'}},"
                        + "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
                        + "'kubernetes.io/hostname','operator':'In','values':['elsewhere']}]}]}}");
        String operation = "grow-" + uid;
        ask("image", "10Pi");
        until(OPERATIONS, operation, work -> work.at("/spec/capacity").asText().equals("10Pi"));
        status(
                operation,
                "'state':'Failed','attempts':1,'lastError':{'reason':'NoSpace','message':'only 3Gi are free'}");
        JsonNode refused = until(
                CLAIMS,
                "image",
                claim -> claim.at("/status/allocatedResourceStatuses/storage")
                        .asText()
                        .equals("ControllerResizeInfeasible"));
        assertThat(types(refused)).containsExactly("ControllerResizeError");
        assertThat(api.get(OPERATIONS + "/" + operation).code()).isEqualTo(404);

        ask("image", "2Gi");
        until(OPERATIONS, operation, work -> work.at("/spec/capacity").asText().equals("2Gi"));
        status(operation, "'state':'Succeeded','capacity':'2Gi','attempts':0,'lastError':null");
        JsonNode grown = until(CLAIMS, "image", claim -> has(claim, "2Gi"));
        assertThat(types(grown)).isEmpty();
        assertThat(api.get(OPERATIONS + "/" + operation).code()).isEqualTo(404);
        assertThat(api.get(VOLUMES + "/image")
                        .body()
                        .at("/spec/capacity/storage")
                        .asText())
                .isEqualTo("2Gi");
    }

    private static void status(String operation, String status) {
        Reply written = api.merge(OPERATIONS + "/" + operation + "/status", "{'status':{" + status + "}}");
        assertThat(written.code()).as(written.text()).isEqualTo(200);
    }

    private static List<String> types(JsonNode claim) {
        List<String> types = new ArrayList<>();
        claim.at("/status/conditions")
                .forEach(each -> types.add(each.path("type").asText()));
        return types;
    }
}
