package dev.mooring.conformance;

import static dev.mooring.conformance.ExplainFixture.NODE;
import static dev.mooring.conformance.ExplainFixture.step;
import static dev.mooring.conformance.StorageProvisionFixture.CLAIMS;
import static dev.mooring.conformance.StorageProvisionFixture.CLASSES;
import static dev.mooring.conformance.StorageProvisionFixture.PODS;
import static dev.mooring.conformance.StorageProvisionFixture.VOLUMES;
import static dev.mooring.conformance.StorageProvisionFixture.claim;
import static dev.mooring.conformance.StorageProvisionFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that explain names the root cause of problems with Pods and their volumes, and that its next step solves them.
 * All tests share a server whose node runs no containers, so that a Pod is as far as it gets when its volumes are
 * mounted.
 */
@Timeout(180)
class ExplainPodProblemsTest {
    private static final String CONFIG_MAPS = ApiUnderTest.DEFAULT + "/configmaps";
    private static final String SECRETS = ApiUnderTest.DEFAULT + "/secrets";

    /** The cause of a Pod without any other problem on this server. */
    private static final String NO_ENGINE = "runs no containers";

    @TempDir
    private static Path directory;

    private static ExplainFixture fixture;
    private static StorageProvisionFixture api;

    @BeforeAll
    static void start() throws IOException {
        fixture = ExplainFixture.start(directory, Map.of());
        api = fixture.api();
        api.createClass("now", "mooring.dev/hostpath", "");
    }

    @AfterAll
    static void stop() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static String object(String pod) {
        return "pods/default/" + pod;
    }

    /** A Pod with one volume that has the source; more fields of its spec such as {@code 'nodeName':'n1'}. */
    private static String podWith(String name, String source, String... more) {
        return pod(name, "-", more).replace("'persistentVolumeClaim':{'claimName':'-'}", source);
    }

    private static String plainPod(String name, String... more) {
        return podWith(name, "'emptyDir':{}", more);
    }

    /** A volume without a class, reserved for a claim of the same name. */
    private static void createVolumeWithClaim(String name, String source, String... more) {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        api.create(
                VOLUMES,
                "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'" + name
                        + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'claimRef':"
                        + "{'namespace':'default','name':'" + name + "'}," + source + rest + "}}");
        api.create(CLAIMS, claim(name, "", "1Gi", "'volumeName':'" + name + "'"));
    }

    private static String onNode() {
        return "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'kubernetes.io/hostname',"
                + "'operator':'In','values':['" + NODE + "']}]}]}}";
    }

    private static void delete(String pod) {
        api.delete(PODS, pod);
        api.untilGone(PODS, pod);
    }

    @Test
    void pod_claimMissing_namesClaimUntilItIsCreated() {
        api.create(PODS, pod("no-claim", "absent"));
        JsonNode found = fixture.untilCause(object("no-claim"), "PersistentVolumeClaim default/absent does not exist.");
        fixture.applyReads(found);
        assertThat(step(found, "kubectl get pvc")).isEqualTo("kubectl get pvc -n default");

        api.create(CLAIMS, claim("absent", "now", "1Gi"));
        fixture.untilCause(object("no-claim"), NO_ENGINE);
        delete("no-claim");
    }

    @Test
    void pod_classOfClaimMissing_namesClassUntilItIsCreated() {
        api.create(CLAIMS, claim("golden", "gold", "1Gi"));
        api.create(PODS, pod("no-class", "golden"));
        JsonNode found = fixture.untilCause(object("no-class"), "gold");
        assertThat(found.path("root").toString()).contains("StorageClass");
        fixture.applyReads(found);

        api.create(CLASSES, StorageProvisionFixture.storageClass("gold", "mooring.dev/hostpath", ""));
        fixture.untilCause(object("no-class"), NO_ENGINE);
        delete("no-class");
    }

    @Test
    void pod_selectsMissingLabel_isScheduledAfterLabelling() {
        api.create(PODS, plainPod("choosy", "'nodeSelector':{'disk':'ssd'}"));
        JsonNode found = fixture.untilCause(object("choosy"), "didn't match Pod's node affinity/selector");
        fixture.applyReads(found);
        fixture.apply(found, "kubectl label node/" + NODE);
        fixture.untilCause(object("choosy"), NO_ENGINE);
        delete("choosy");
    }

    @Test
    void pod_nodeCordoned_isScheduledAfterUncordon() {
        fixture.run("kubectl cordon " + NODE);
        api.create(PODS, plainPod("kept-out"));
        JsonNode found = fixture.untilCause(object("kept-out"), "The node is cordoned");
        assertThat(fixture.explain("nodes/" + NODE).path("summary").asText()).contains("cordoned");
        fixture.applyReads(found);
        fixture.apply(found, "kubectl uncordon");
        fixture.untilCause(object("kept-out"), NO_ENGINE);
        fixture.untilFine("nodes/" + NODE);
        delete("kept-out");
    }

    @Test
    void pod_nodeTainted_isScheduledAfterTaintIsRemoved() {
        fixture.run("kubectl taint node " + NODE + " team=a:NoSchedule");
        api.create(PODS, plainPod("intolerant"));
        JsonNode found = fixture.untilCause(object("intolerant"), "Taint team=a:NoSchedule");
        fixture.apply(found, "kubectl taint node");
        fixture.untilCause(object("intolerant"), NO_ENGINE);
        delete("intolerant");
    }

    @Test
    void pod_requestsMoreThanNodeHas_namesResource() {
        api.create(PODS, plainPod("huge").replace("'image'", "'resources':{'requests':{'cpu':'1000'}},'image'"));
        JsonNode found = fixture.untilCause(object("huge"), "Insufficient cpu");
        assertThat(fixture.run(step(found, "kubectl describe node"))).contains("Allocatable:");
        delete("huge");
    }

    @Test
    void pod_schedulingGate_isScheduledAfterGateIsRemoved() {
        api.create(PODS, plainPod("gated", "'schedulingGates':[{'name':'example.com/budget'}]"));
        JsonNode found = fixture.untilCause(object("gated"), "scheduling gates: example.com/budget");
        fixture.apply(found, "kubectl patch");
        fixture.untilCause(object("gated"), NO_ENGINE);
        delete("gated");
    }

    @Test
    void pod_otherScheduler_namesScheduler() {
        api.create(PODS, plainPod("foreign", "'schedulerName':'volcano'"));
        JsonNode found = fixture.untilCause(object("foreign"), "names the scheduler \"volcano\"");
        fixture.applyReads(found);
        delete("foreign");
    }

    @Test
    void pod_claimForOnePodInUse_startsAfterOtherPodIsDeleted() {
        api.create(CLAIMS, claim("single", "now", "1Gi").replace("ReadWriteOnce", "ReadWriteOncePod"));
        api.create(PODS, pod("holder", "single"));
        fixture.untilCause(object("holder"), NO_ENGINE);
        api.create(PODS, pod("second", "single"));
        JsonNode found = fixture.untilCause(object("second"), "Pod default/holder uses the same claim.");
        fixture.apply(found, "kubectl delete pod/holder");
        fixture.untilCause(object("second"), NO_ENGINE);
        delete("second");
    }

    @Test
    void pod_claimForOnePodInUseOnSameNode_namesHolder() {
        api.create(CLAIMS, claim("owned", "now", "1Gi").replace("ReadWriteOnce", "ReadWriteOncePod"));
        api.create(PODS, pod("owner", "owned"));
        fixture.untilCause(object("owner"), NO_ENGINE);
        // Bypasses the scheduler, so that the node has to refuse it.
        api.create(PODS, pod("intruder", "owned", "'nodeName':'" + NODE + "'"));
        JsonNode found = fixture.untilCause(object("intruder"), "Pod default/owner uses the volume.");
        assertThat(found.path("root").toString()).contains("ReadWriteOncePod");
        fixture.apply(found, "kubectl delete pod/owner");
        fixture.untilCause(object("intruder"), NO_ENGINE);
        delete("intruder");
    }

    @Test
    void pod_configMapMissing_mountsItAfterCreation() {
        api.create(PODS, podWith("unconfigured", "'configMap':{'name':'settings'}"));
        JsonNode found = fixture.untilCause(object("unconfigured"), "ConfigMap default/settings does not exist.");
        fixture.apply(found, "kubectl create configmap settings");
        fixture.untilCause(object("unconfigured"), NO_ENGINE);
        delete("unconfigured");
    }

    @Test
    void pod_entryOfSecretMissing_mountsItAfterPatch() {
        api.create(
                SECRETS, "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'login'},'stringData':{'user':'me'}}");
        api.create(
                PODS, podWith("no-entry", "'secret':{'secretName':'login','items':[{'key':'password','path':'p'}]}"));
        JsonNode found = fixture.untilCause(object("no-entry"), "Secret default/login has no entry \"password\".");
        fixture.apply(found, "kubectl patch secrets/login");
        fixture.untilCause(object("no-entry"), NO_ENGINE);
        delete("no-entry");
    }

    @Test
    void pod_hostPathMissing_mountsItAfterMkdir() {
        Path path = directory.resolve("made later");
        api.create(PODS, podWith("no-path", "'hostPath':{'path':'" + path + "','type':'Directory'}"));
        JsonNode found = fixture.untilCause(object("no-path"), path + " is not a directory");
        fixture.applyReads(found);
        assertThat(ExplainFixture.rootCause(found.path("root")).path("reason").asText())
                .isEqualTo("NotFound");
        fixture.apply(found, "mkdir -p");
        fixture.untilCause(object("no-path"), NO_ENGINE);
        delete("no-path");
    }

    @Test
    void pod_hostPathOfOtherType_namesBothTypes() throws IOException {
        Path path = Files.createDirectory(directory.resolve("socket"));
        api.create(PODS, podWith("wrong-type", "'hostPath':{'path':'" + path + "','type':'File'}"));
        JsonNode found = fixture.untilCause(object("wrong-type"), path + " is not a file: found a directory");
        fixture.applyReads(found);

        Files.delete(path);
        Files.createFile(path);
        fixture.untilCause(object("wrong-type"), NO_ENGINE);
        delete("wrong-type");
    }

    @Test
    void pod_pathOfLocalVolumeMissing_mountsItAfterMkdir() {
        Path path = directory.resolve("disk1");
        createVolumeWithClaim("disk", "'local':{'path':'" + path + "'}", onNode());
        api.create(PODS, pod("no-disk", "disk"));
        JsonNode found = fixture.untilCause(object("no-disk"), path + "\" does not exist");
        fixture.apply(found, "mkdir -p");
        fixture.untilCause(object("no-disk"), NO_ENGINE);
        delete("no-disk");
    }

    @Test
    void pod_nfsServerRefusesConnections_namesServerAttemptAndRetry() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        createVolumeWithClaim(
                "nas",
                "'nfs':{'server':'127.0.0.1','path':'/exports/a'}",
                "'mountOptions':['vers=4.2','port=" + closed + "']");
        api.create(PODS, pod("no-server", "nas"));
        JsonNode found = fixture.untilCause(object("no-server"), "erver 127.0.0.1 refused the connection");
        assertThat(step(found, "systemctl")).isEqualTo("systemctl start nfs-server");
        JsonNode attempt = found.at("/root/because/0/because/0");
        assertThat(attempt.path("text").asText()).startsWith("Operation volume_mount failed on node " + NODE);
        assertThat(attempt.path("attempt").asInt()).isPositive();
        assertThat(attempt.path("object").path("kind").asText()).isEqualTo("ActualVolume");
        fixture.applyReads(found);
        String actual = "av/" + attempt.path("object").path("name").asText();
        fixture.untilCause(actual, "refused the connection");
        delete("no-server");
    }

    @Test
    void pod_imageOfBlockVolumeMissing_namesImage() {
        Path image = directory.resolve("lost.img");
        createVolumeWithClaim(
                "lost",
                "'csi':{'driver':'block.mooring.dev','volumeHandle':'lost','volumeAttributes':{'image':'" + image
                        + "'}}",
                onNode());
        api.create(PODS, pod("no-image", "lost"));
        JsonNode found = fixture.untilCause(object("no-image"), image.toString());
        assertThat(step(found, "ls")).isEqualTo("ls -ld " + image);
        delete("no-image");
    }

    @Test
    void pod_volumeModeDiffers_namesBothModes() {
        api.create(CLAIMS, claim("files", "now", "1Gi"));
        api.create(
                PODS,
                pod("raw", "files")
                        .replace(
                                "'volumeMounts':[{'name':'v','mountPath':'/v'}]",
                                "'volumeDevices':[{'name':'v','devicePath':'/dev/v'}]"));
        JsonNode found =
                fixture.untilCause(object("raw"), "has volumeMode Filesystem, but is specified in volumeDevices");
        fixture.applyReads(found);
        delete("raw");
    }

    @Test
    void pod_unknownMountOption_namesNearestOption() {
        createVolumeWithClaim(
                "typo", "'nfs':{'server':'127.0.0.1','path':'/exports/a'}", "'mountOptions':['nfsver=4']");
        api.create(PODS, pod("mistyped", "typo"));
        JsonNode found = fixture.untilCause(object("mistyped"), "did you mean \"nfsvers\"?");
        fixture.applyReads(found);
        delete("mistyped");
    }

    @Test
    void pod_onMissingNode_namesNode() {
        api.create(PODS, plainPod("lost-node", "'nodeName':'ghost'"));
        JsonNode found = fixture.untilCause(object("lost-node"), "Node ghost does not exist.");
        fixture.apply(found, "kubectl get nodes");
        api.http().delete(PODS + "/lost-node?gracePeriodSeconds=0");
    }

    @Test
    void pod_nodeWithoutEngine_namesNode() {
        api.create(PODS, plainPod("idle"));
        JsonNode found = fixture.untilCause(object("idle"), "Node " + NODE + ' ' + NO_ENGINE);
        assertThat(step(found, "mooring")).isEqualTo("mooring server --runtime docker");
        delete("idle");
    }

    @Test
    void pod_terminatingWithFinalizer_isGoneAfterItsRemoval() {
        api.create(
                PODS, plainPod("held").replace("{'name':'held'}", "{'name':'held','finalizers':['example.com/hold']}"));
        fixture.untilCause(object("held"), NO_ENGINE);
        api.delete(PODS, "held");
        JsonNode found = fixture.untilCause(object("held"), "Finalizer example.com/hold");
        assertThat(found.path("state").asText()).isEqualTo("Terminating");
        fixture.applyReads(found);
        api.http().mergePatch(PODS + "/held", "{'metadata':{'finalizers':null}}");
        api.untilGone(PODS, "held");
    }

    @Test
    void configMapVolume_healthy_isExplainedByPodThatNeedsIt() {
        api.create(CONFIG_MAPS, ApiUnderTest.configMap("ready"));
        api.create(PODS, podWith("configured", "'configMap':{'name':'ready'}"));
        fixture.untilCause(object("configured"), NO_ENGINE);
        JsonNode desired =
                api.http().get("/apis/mooring.dev/v1/desiredvolumes").body().path("items");
        for (JsonNode each : desired) {
            if (each.at("/spec/pod/name").asText().equals("configured")) {
                JsonNode found =
                        fixture.untilFine("dv/" + each.at("/metadata/name").asText());
                assertThat(found.path("summary").asText()).contains("needs it for Pod default/configured");
                assertThat(found.path("state").asText()).isEqualTo("Mounted");
            }
        }
        delete("configured");
    }
}
