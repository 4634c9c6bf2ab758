package dev.mooring.conformance;

import static dev.mooring.conformance.StorageProvisionFixture.OPERATIONS;
import static dev.mooring.conformance.StorageProvisionFixture.VOLUMES;
import static dev.mooring.conformance.StorageProvisionFixture.claim;
import static dev.mooring.conformance.StorageProvisionFixture.hostPath;
import static dev.mooring.conformance.StorageProvisionFixture.phase;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that tenants and nodes cannot get each other's volumes with their tokens. */
@Timeout(180)
class StorageTenantsTest {
    private static final String NAMESPACES = "/api/v1/namespaces";
    private static final String BOUND =
            "'pv.kubernetes.io/bind-completed':'yes','pv.kubernetes.io/bound-by-controller':'yes'";

    @TempDir
    private static Path directory;

    private static StorageProvisionFixture api;
    private static ApiUnderTest node;
    private static ApiUnderTest tenantOfA;
    private static ApiUnderTest tenantOfB;

    @BeforeAll
    static void start() {
        api = StorageProvisionFixture.start(directory.resolve("data"), Map.of());
        api.create(NAMESPACES, ApiUnderTest.namespace("a"));
        api.create(NAMESPACES, ApiUnderTest.namespace("b"));
        api.create("/api/v1/nodes", "{'metadata':{'name':'n2','labels':{'kubernetes.io/hostname':'n2'}}}");
        node = user("n2", "'role':'node'");
        tenantOfA = user("a", "'role':'edit','namespaces':['a']");
        tenantOfB = user("b", "'role':'edit','namespaces':['b']");
    }

    private static ApiUnderTest user(String name, String spec) {
        return api.http().withToken(api.http().createToken(name, spec));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static String claims(String namespace) {
        return NAMESPACES + "/" + namespace + "/persistentvolumeclaims";
    }

    /** Field of a class whose volumes are provisioned on one node. */
    private static String onNode(String name) {
        return "'allowedTopologies':[{'matchLabelExpressions':[{'key':'kubernetes.io/hostname','values':['" + name
                + "']}]}]";
    }

    private static JsonNode create(ApiUnderTest user, String path, String body) {
        Reply reply = user.post(path, body);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return reply.body();
    }

    private static String eventOf(String namespace, String uid, String reason) {
        String selector = "?fieldSelector=involvedObject.uid=" + uid + ",reason=" + reason;
        try (TestWatch watch = api.http().watch(NAMESPACES + "/" + namespace + "/events" + selector)) {
            return StorageProvisionFixture.next(watch).at("/object/message").asText();
        }
    }

    private static String uid(JsonNode object) {
        return object.at("/metadata/uid").asText();
    }

    @Test
    void provisioning_nodeReportsForeignPath_isRefused() {
        api.createClass(
                "far",
                "mooring.dev/nfs",
                "'server':'nas.example','share':'/export'",
                "'mountOptions':['hard']",
                onNode("n2"));
        String uid = uid(create(tenantOfA, claims("a"), claim("far", "far", "1Gi")));
        api.until(OPERATIONS, "provision-" + uid, operation -> true);
        String status = OPERATIONS + "/provision-" + uid + "/status";
        String running = "{'status':{'state':'Running'}}";

        assertThat(node.mergePatch(status, running).code()).isEqualTo(200);
        Reply forged = node.mergePatch(
                status,
                "{'metadata':{'annotations':{'mooring.dev/mount-options':'suid'}},'status':{'state':'Succeeded',"
                        + "'lastError':null,'source':{'hostPath':{'path':'/etc'}}}}");
        assertThat(forged.code()).as(forged.text()).isEqualTo(200);

        assertThat(eventOf("a", uid, "ProvisioningFailed"))
                .contains("node \"n2\" reports {\"hostPath\":{\"path\":\"/etc\"}}")
                .contains("mooring.dev/nfs provisions this volume at {\"nfs\":{\"server\":\"nas.example\"");
        assertThat(phase(api.get(claims("a"), "far"))).isEqualTo("Pending");
        assertThat(api.http().get(VOLUMES + "/pvc-" + uid).code()).isEqualTo(404);
        JsonNode refused = api.until(
                OPERATIONS,
                "provision-" + uid,
                operation -> operation.at("/status/state").asText().equals("Failed"));
        assertThat(refused.at("/status/lastError/reason").asText()).isEqualTo("ReportRefused");
        assertThat(refused.at("/status/source").isMissingNode()).isTrue();

        String report = "{'status':{'state':'Succeeded','lastError':null,'source':{'nfs':{'server':'nas.example',"
                + "'path':'/export/pvc-" + uid + "'}}}}";
        assertThat(node.mergePatch(status, running).code()).isEqualTo(200);
        assertThat(node.mergePatch(status, report).code()).isEqualTo(200);
        api.untilPhase(claims("a"), "far", "Bound");
        assertThat(api.get(VOLUMES, "pvc-" + uid).at("/spec/mountOptions")).hasToString("[\"hard\"]");
    }

    @Test
    void retainedData_claimedFromOtherNamespace_isRefused() throws Exception {
        api.createClass(
                "kept", "mooring.dev/hostpath", "'onDelete':'retain','createMissingVolume':'true'", onNode("testhost"));
        String named = claim("data", "kept", "1Gi", "'volumeName':'vol-of-b'");
        Path letter = writeFileAndDeleteClaim("b", named);

        JsonNode foreign = create(tenantOfA, claims("a"), named);

        assertThat(eventOf("a", uid(foreign), "ProvisioningFailed"))
                .contains("vol-of-b contains retained data of another claim")
                .doesNotContain("b/data");
        assertThat(phase(api.get(claims("a"), "data"))).isEqualTo("Pending");
        api.delete(claims("a"), "data");
        api.untilGone(claims("a"), "data");
        api.untilGone(OPERATIONS, "provision-" + uid(foreign));
        assertThat(letter).hasContent("mine");

        JsonNode successor = create(tenantOfB, claims("b"), named);
        assertThat(eventOf("b", uid(successor), "ProvisioningSucceeded"))
                .endsWith("adopted the retained data at " + letter.getParent() + " of the former claim b/data");
        api.untilPhase(claims("b"), "data", "Bound");
        assertThat(letter).hasContent("mine");
    }

    /** Creates a claim, writes a file to its volume, deletes the claim, and returns the file. */
    private static Path writeFileAndDeleteClaim(String namespace, String claim) throws Exception {
        ApiUnderTest user = namespace.equals("b") ? tenantOfB : api.http();
        String name =
                create(user, claims(namespace), claim).at("/metadata/name").asText();
        String volume = api.untilPhase(claims(namespace), name, "Bound")
                .at("/spec/volumeName")
                .asText();
        Path letter = Files.writeString(hostPath(api.get(VOLUMES, volume)).resolve("letter"), "mine");
        api.delete(claims(namespace), name);
        api.untilGone(VOLUMES, volume);
        assertThat(letter).hasContent("mine");
        return letter;
    }

    @Test
    void retainedData_claimedByPathOrFromNewNamespace_isRefused() throws Exception {
        api.createClass(
                "chosen",
                "mooring.dev/hostpath",
                "'onDelete':'retain','pathPattern':'k3/${pvc.labels[\\u0027dir\\u0027]}'",
                onNode("testhost"));
        api.create(NAMESPACES, ApiUnderTest.namespace("c"));
        String labelled =
                claim("data", "chosen", "1Gi").replace("{'name':'data'}", "{'name':'data','labels':{'dir':'d'}}");
        Path letter = writeFileAndDeleteClaim("c", labelled);

        JsonNode foreign = create(tenantOfA, claims("a"), labelled.replace("'name':'data'", "'name':'chooser'"));
        assertThat(eventOf("a", uid(foreign), "ProvisioningFailed")).contains("retained data of another claim");

        api.delete(NAMESPACES, "c");
        api.untilGone(NAMESPACES, "c");
        api.create(NAMESPACES, ApiUnderTest.namespace("c"));
        JsonNode namesake = api.create(claims("c"), labelled);
        assertThat(eventOf("c", uid(namesake), "ProvisioningFailed")).contains("retained data of another claim");
        assertThat(letter).hasContent("mine");
    }

    @Test
    void claim_withForgedBoundAnnotations_isComparedWithVolume() {
        api.create(
                VOLUMES,
                "{'metadata':{'name':'golden'},'spec':{'capacity':{'storage':'5Mi'},'accessModes':['ReadOnlyMany'],"
                        + "'storageClassName':'gold','hostPath':{'path':'/srv/golden'}}}");
        String greedy = "{'metadata':{'name':'greedy','annotations':{" + BOUND + "}},'spec':{'storageClassName':'',"
                                                                               + "'volumeName':'golden','accessModes':['ReadWriteMany'],'resources':{'requests':{'storage':'500Gi'}}}}";

        JsonNode mine = create(tenantOfA, claims("a"), greedy);
        assertThat(mine.at("/metadata/annotations").isMissingNode()).isTrue();
        JsonNode restored = api.create(claims("b"), greedy);
        assertThat(restored.at("/metadata/annotations")).hasSize(2);

        for (String namespace : List.of("a", "b")) {
            String uid = uid(namespace.equals("a") ? mine : restored);
            assertThat(eventOf(namespace, uid, "VolumeMismatch")).contains("requested PV is too small (5Mi < 500Gi)");
            assertThat(phase(api.get(claims(namespace), "greedy"))).isEqualTo("Pending");
        }
        assertThat(api.get(VOLUMES, "golden").at("/spec/claimRef").isMissingNode())
                .isTrue();
    }

    @Test
    void boundAnnotations_changedByTenant_areUnchanged() {
        String pending = claim("pending", "no-such-class", "1Gi");
        create(tenantOfA, claims("a"), pending);
        Reply patched =
                tenantOfA.mergePatch(claims("a") + "/pending", "{'metadata':{'annotations':{" + BOUND + ",'x':'y'}}}");
        assertThat(patched.body().at("/metadata/annotations")).hasToString("{\"x\":\"y\"}");

        api.createClass("here", "mooring.dev/hostpath", "", onNode("testhost"));
        create(tenantOfA, claims("a"), claim("bound", "here", "1Gi"));
        api.untilPhase(claims("a"), "bound", "Bound");
        Reply stripped = tenantOfA.mergePatch(
                claims("a") + "/bound", "{'metadata':{'annotations':{'pv.kubernetes.io/bind-completed':null}}}");
        assertThat(stripped.body()
                        .at("/metadata/annotations/pv.kubernetes.io~1bind-completed")
                        .asText())
                .isEqualTo("yes");
    }

    @Test
    void blockOwnerDeletion_setByTenantOnForeignOwner_isForbidden() {
        JsonNode volume = api.create(
                VOLUMES,
                "{'metadata':{'name':'owner'},'spec':{'capacity':{'storage':'5Mi'},'accessModes':['ReadOnlyMany'],"
                        + "'storageClassName':'gold','hostPath':{'path':'/srv/owner'}}}");
        String maps = NAMESPACES + "/a/configmaps";
        String blocking = owned("blocking", "PersistentVolume", "owner", uid(volume), true);

        Reply refused = tenantOfA.post(maps, blocking);
        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.message())
                .startsWith("configmaps \"blocking\" is forbidden: cannot set blockOwnerDeletion if an ownerReference"
                        + " refers to a resource you can't set finalizers on: persistentvolumes \"owner\" is"
                        + " forbidden");

        JsonNode free = create(tenantOfA, maps, owned("free", "PersistentVolume", "owner", uid(volume), false));
        assertThat(tenantOfA
                        .put(maps + "/free", owned("free", "PersistentVolume", "owner", uid(volume), true))
                        .code())
                .isEqualTo(403);
        create(tenantOfA, maps, owned("mine", "ConfigMap", "free", uid(free), true));
        create(api.http(), maps, blocking);
        assertThat(tenantOfA
                        .mergePatch(maps + "/blocking", "{'metadata':{'labels':{'x':'y'}}}")
                        .code())
                .isEqualTo(200);
    }

    private static String owned(String name, String kind, String owner, String uid, boolean blocks) {
        return "{'metadata':{'name':'" + name + "','ownerReferences':[{'apiVersion':'v1','kind':'" + kind + "','name':'"
                + owner + "','uid':'" + uid + "','blockOwnerDeletion':" + blocks + "}]}}";
    }
}
