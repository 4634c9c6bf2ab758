package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
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

/** Tests expansion of claims on a server with all controllers; the test takes the role of the node with the data. */
@Timeout(180)
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
        create(
                CLASSES,
                "{'metadata':{'name':'vendor'},'provisioner':'vendor.example/none','allowVolumeExpansion':true}");
        create("/api/v1/nodes", "{'metadata':{'name':'elsewhere','labels':{'kubernetes.io/hostname':'elsewhere'}}}");
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static JsonNode create(String path, String body) {
        Reply reply = api.post(path, body);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return reply.body();
    }

    /** Creates a volume of 1Gi and a claim bound to it; returns the UID of the volume. */
    private static String createBoundClaim(String name, String className, String source) {
        String uid = create(
                        VOLUMES,
                        "{'metadata':{'name':'" + name + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':"
                                + "['ReadWriteOnce'],'storageClassName':'" + className + "'," + source + "}}")
                .at("/metadata/uid")
                .asText();
        create(
                CLAIMS,
                "{'metadata':{'name':'" + name + "'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'"
                        + className + "','volumeName':'" + name
                        + "','resources':{'requests':{'storage':'1Gi'}}}}");
        until(CLAIMS, name, claim -> claim.at("/status/phase").asText().equals("Bound"));
        return uid;
    }

    private static JsonNode until(String path, String name, Predicate<JsonNode> holds) {
        try (TestWatch watch = api.watch(path + "?fieldSelector=metadata.name=" + name)) {
            while (true) {
                JsonNode event = watch.next();
                assertThat(event.isMissingNode()).as("watch has ended").isFalse();
                if (holds.test(event.path("object"))) {
                    return event.path("object");
                }
            }
        }
    }

    private static void requestSize(String name, String size) {
        Reply patched =
                api.mergePatch(CLAIMS + "/" + name, "{'spec':{'resources':{'requests':{'storage':'" + size + "'}}}}");
        assertThat(patched.code()).as(patched.text()).isEqualTo(200);
    }

    private static boolean hasCapacity(JsonNode claim, String size) {
        return claim.at("/status/capacity/storage").asText().equals(size);
    }

    private static String eventMessage(String name, String reason) {
        try (TestWatch watch = api.watch(
                ApiUnderTest.DEFAULT + "/events?fieldSelector=involvedObject.name=" + name + ",reason=" + reason)) {
            return watch.next().at("/object/message").asText();
        }
    }

    @Test
    void hostPathClaim_expanded_hasNewCapacityAndEventOfUnenforcedSize() {
        createBoundClaim("number", "hostPath", "'hostPath':{'path':'/srv/number'}");
        requestSize("number", "5Gi");
        until(CLAIMS, "number", claim -> hasCapacity(claim, "5Gi"));

        assertThat(api.get(VOLUMES + "/number")
                        .body()
                        .at("/spec/capacity/storage")
                        .asText())
                .isEqualTo("5Gi");
        assertThat(eventMessage("number", "VolumeResizeSuccessful")).contains("5Gi is neither a limit nor a guarantee");
    }

    @Test
    void claimOfExternalProvisioner_expanded_waitsForExternalController() {
        createBoundClaim("foreign", "vendor", "'hostPath':{'path':'/srv/foreign'}");
        requestSize("foreign", "5Gi");

        assertThat(eventMessage("foreign", "ExternalExpanding"))
                .isEqualTo("waiting for an external controller to expand this PVC");
        assertThat(hasCapacity(api.get(CLAIMS + "/foreign").body(), "1Gi")).isTrue();
    }

    @Test
    void blockClaim_infeasibleSizeThenSmaller_isExpandedByItsNode() {
        String uid = createBoundClaim(
                "image",
                "block",
                "'csi':{'driver':'block.mooring.dev','volumeHandle':'h','volumeAttributes':{'image':'/srv/h.img'}},"
                        + "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
                        + "'kubernetes.io/hostname','operator':'In','values':['elsewhere']}]}]}}");
        String operation = "grow-" + uid;
        requestSize("image", "10Pi");
        until(
                OPERATIONS,
                operation,
                object -> object.at("/spec/capacity").asText().equals("10Pi"));
        setOperationStatus(
                operation,
                "'state':'Failed','attempts':1,'lastError':{'reason':'NoSpace','message':'only 3Gi are free'}");
        JsonNode refused = until(
                CLAIMS,
                "image",
                claim -> claim.at("/status/allocatedResourceStatuses/storage")
                        .asText()
                        .equals("ControllerResizeInfeasible"));
        assertThat(conditionTypes(refused)).containsExactly("ControllerResizeError");
        assertThat(api.get(OPERATIONS + "/" + operation).code()).isEqualTo(404);

        requestSize("image", "2Gi");
        until(
                OPERATIONS,
                operation,
                object -> object.at("/spec/capacity").asText().equals("2Gi"));
        setOperationStatus(operation, "'state':'Running'");
        setOperationStatus(operation, "'state':'Succeeded','capacity':'2Gi','attempts':0,'lastError':null");
        JsonNode grown = until(CLAIMS, "image", claim -> hasCapacity(claim, "2Gi"));
        assertThat(conditionTypes(grown)).isEmpty();
        assertThat(api.get(OPERATIONS + "/" + operation).code()).isEqualTo(404);
        assertThat(api.get(VOLUMES + "/image")
                        .body()
                        .at("/spec/capacity/storage")
                        .asText())
                .isEqualTo("2Gi");
    }

    private static void setOperationStatus(String operation, String status) {
        Reply written = api.mergePatch(OPERATIONS + "/" + operation + "/status", "{'status':{" + status + "}}");
        assertThat(written.code()).as(written.text()).isEqualTo(200);
    }

    private static List<String> conditionTypes(JsonNode claim) {
        List<String> types = new ArrayList<>();
        claim.at("/status/conditions")
                .forEach(each -> types.add(each.path("type").asText()));
        types.remove("Bound");
        return types;
    }
}
