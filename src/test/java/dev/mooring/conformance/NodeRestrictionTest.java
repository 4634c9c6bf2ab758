package dev.mooring.conformance;

import static dev.mooring.conformance.NodeIdentitiesFixture.A;
import static dev.mooring.conformance.NodeIdentitiesFixture.ATTACHMENTS;
import static dev.mooring.conformance.NodeIdentitiesFixture.MOORING;
import static dev.mooring.conformance.NodeIdentitiesFixture.PV;
import static dev.mooring.conformance.NodeIdentitiesFixture.assertDone;
import static dev.mooring.conformance.NodeIdentitiesFixture.assertForbidden;
import static dev.mooring.conformance.NodeIdentitiesFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what a node may write with its token, over HTTPS. */
@Timeout(180)
class NodeRestrictionTest {
    @TempDir
    private static Path data;

    private static NodeIdentitiesFixture nodes;
    private static ApiUnderTest admin;
    private static ApiUnderTest n1;
    private static ApiUnderTest n2;

    @BeforeAll
    static void start() {
        nodes = new NodeIdentitiesFixture(data);
        admin = nodes.admin();
        n1 = nodes.n1();
        n2 = nodes.n2();
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    @Test
    void operationStatus_writtenByOtherNode_isForbidden() {
        String attack = "{'status':{'state':'Succeeded','lastError':null,'source':{'hostPath':{'path':'/etc'}}}}";
        nodes.assertNotWritten(n2, MOORING + "/volumeoperations/op1/status", attack);
        nodes.assertNotWritten(n1, MOORING + "/volumeoperations/op1", "{'spec':{'node':'n1'}}");
        nodes.operation("op3", "n1");
        String status = MOORING + "/volumeoperations/op3/status";
        assertThat(n1.mergePatch(status, attack).code())
                .as("before it is Running")
                .isEqualTo(422);
        assertDone(n1.mergePatch(status, "{'status':{'state':'Running'}}"));
        Reply kept =
                n1.mergePatch(status, "{'metadata':{'annotations':{'a':'b'},'labels':{'a':'b'},'finalizers':['a/b']}}");
        assertThat(kept.text()).contains("Running").doesNotContain("\"a\"", "a/b");
        assertDone(
                n1.mergePatch(
                        status,
                        "{'metadata':{'annotations':{'mooring.dev/tried-spec':'x'}},'status':{'state':'Succeeded','source':{'hostPath':{'path':'/v/a'}}}}"));
        assertThat(n1.mergePatch(status, attack).code())
                .as("after it has Succeeded")
                .isEqualTo(422);
        assertForbidden(n1.delete(MOORING + "/volumeoperations/op3"), "delete");
        assertForbidden(
                n1.post(MOORING + "/volumeoperations", "{'metadata':{'name':'x'},'spec':{'node':'n1'}}"), "create");
    }

    @Test
    void node_writesOnlyStatusOfItsPods() {
        assertDone(n1.mergePatch(A + "/pods/p1/status", "{'status':{'phase':'Running'}}"));
        nodes.assertNotWritten(n2, A + "/pods/p1/status", "{'status':{'phase':'Failed'}}");
        for (String change : List.of(
                "'labels':{'a':'b'}",
                "'annotations':{'a':'b'}",
                "'finalizers':['a/b']",
                "'ownerReferences':[{'apiVersion':'v1','kind':'Node','name':'n1','uid':'u'}]")) {
            nodes.assertNotWritten(n1, A + "/pods/p1/status", "{'metadata':{" + change + "}}");
            nodes.assertNotWritten(n1, A + "/pods/p1", "{'metadata':{" + change + "}}");
        }
        nodes.assertNotWritten(n1, A + "/pods/p1", "{'spec':{'nodeName':'n2'}}");
        assertForbidden(n1.post(A + "/pods", pod("1").replace("'p1'", "'made'")), "create");
        assertForbidden(n1.put(A + "/pods/p1", pod("1")), "update");
        assertForbidden(n2.put(A + "/pods/p1/status", pod("1")), "update of the status");
        assertForbidden(n2.delete(A + "/pods/p1"), "delete");
        assertForbidden(n2.delete(A + "/pods?fieldSelector=spec.nodeName%3Dn2"), "deletecollection");
        assertForbidden(n2.post(A + "/pods/p1/eviction", "{'metadata':{'name':'p1'}}"), "eviction");
        assertThat(n1.post(A + "/pods/p1/eviction?dryRun=All", "{'metadata':{'name':'p1'}}")
                        .code())
                .isEqualTo(201);
        assertThat(admin.get(A + "/pods/p1")
                        .body()
                        .at("/metadata/deletionTimestamp")
                        .isMissingNode())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'metadata':{'labels':{'node-restriction.kubernetes.io/x':'y'}}} | node \"n1\" is not allowed to"
                        + " modify labels: node-restriction.kubernetes.io/x",
                "{'metadata':{'labels':{'kubernetes.io/hostname':'n2'}}} | node \"n1\" is not allowed to modify"
                        + " labels: kubernetes.io/hostname",
                "{'metadata':{'labels':{'x.k8s.io/y':'z'}}} | node \"n1\" is not allowed to modify labels: x.k8s.io/y",
                "{'spec':{'taints':[{'key':'a','effect':'NoSchedule'}]}} | node \"n1\" is not allowed to modify taints",
                "{'spec':{'unschedulable':true}} | node \"n1\" is not allowed to modify spec",
                "{'metadata':{'finalizers':['a/b']}} | node \"n1\" is not allowed to modify metadata.finalizers",
                "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'a','uid':'u'}]}} | node"
                        + " \"n1\" is not allowed to modify metadata.ownerReferences"
            })
    void node_changesItsSchedulingFields_isForbidden(String patch, String message) {
        assertThat(n1.mergePatch("/api/v1/nodes/n1", patch).message())
                .isEqualTo("nodes \"n1\" is forbidden: " + message.trim());
    }

    @Test
    void node_writesOnlyItsOwnNodeAndLease() {
        assertDone(
                n1.mergePatch(
                        "/api/v1/nodes/n1",
                        "{'metadata':{'labels':{'kubernetes.io/os':'linux','example.com/a':'b'},'annotations':{'mooring.dev/free-bytes.local':'1'}}}"));
        assertDone(n1.mergePatch("/api/v1/nodes/n1/status", "{'status':{'capacity':{'pods':'110'}}}"));
        nodes.assertNotWritten(n2, "/api/v1/nodes/n1", "{'metadata':{'labels':{'a':'b'}}}");
        nodes.assertNotWritten(n2, "/api/v1/nodes/n1/status", "{'status':{'capacity':{'pods':'1'}}}");
        assertForbidden(n1.delete("/api/v1/nodes/n1"), "delete");
        assertForbidden(n1.post("/api/v1/nodes", "{'metadata':{'name':'n3'}}"), "another Node");
        assertForbidden(n1.post("/api/v1/nodes", "{'metadata':{'generateName':'n1'}}"), "a Node of any name");
        ApiUnderTest n9 = admin.withToken(admin.createToken("n9", "'role':'node'"));
        assertForbidden(
                n9.post(
                        "/api/v1/nodes",
                        "{'metadata':{'name':'n9','labels':{'node-restriction.kubernetes.io/x':'y'}}}"),
                "reserved label of a new Node");
        assertForbidden(
                n9.send(
                        "PATCH",
                        "/api/v1/nodes/n9?fieldManager=x",
                        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'n9','labels':{'kubernetes.io/hostname':'n1'}}}",
                        "Content-Type",
                        "application/apply-patch+yaml"),
                "hostname of another in an applied new Node");
        String leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
        String owner = "'ownerReferences':[{'apiVersion':'v1','kind':'Node','name':'n1','uid':'u'}]";
        String lease = "{'metadata':{'name':'n1'," + owner + "},'spec':{'holderIdentity':'n1'}}";
        assertDone(n1.post(leases, lease));
        assertDone(n1.mergePatch(leases + "/n1", "{'spec':{'renewTime':'2026-01-01T00:00:00.000000Z'}}"));
        assertThat(n1.get(leases + "/n1").code()).isEqualTo(200);
        nodes.assertNotWritten(n2, leases + "/n1", "{'spec':{'holderIdentity':'n2'}}");
        assertForbidden(n2.post(leases, lease.replace("'name':'n1',", "'name':'n3',")), "another lease");
        assertForbidden(n2.post(leases, lease.replace("{'name':'n1',", "{'name':'n2',")), "owner of another");
        assertForbidden(n2.post(leases.replace("kube-node-lease", "a"), "{'metadata':{'name':'n2'}}"), "namespace");
    }

    private static String event(String name, String involved, String reporter) {
        return "{'metadata':{'name':'" + name + "'},'involvedObject':{" + involved + "},'reason':'R','message':'m',"
                + reporter + "}";
    }

    @Test
    void node_writesEventsOnlyAsItselfAboutItsObjects() {
        String host2 = "'source':{'component':'kubelet','host':'n2'}";
        String pod2 = "'kind':'Pod','apiVersion':'v1','namespace':'a','name':'p2'";
        String events = A + "/events";
        assertDone(n2.post(events, event("own", pod2, host2)));
        assertDone(n2.mergePatch(events + "/own", "{'count':2}"));
        assertDone(n2.post(
                events, event("modern", pod2, "'reportingComponent':'mooring.dev/agent','reportingInstance':'n2'")));
        for (String involved : List.of(
                "'kind':'PersistentVolumeClaim','apiVersion':'v1','namespace':'a','name':'claim2'",
                "'kind':'PersistentVolume','apiVersion':'v1','name':'pv2'",
                "'kind':'VolumeOperation','apiVersion':'mooring.dev/v1','name':'op2'",
                "'kind':'Node','apiVersion':'v1','name':'n2'")) {
            String path = involved.contains("namespace") ? events : "/api/v1/namespaces/default/events";
            assertDone(
                    n2.post(path + "?dryRun=All", event("own", involved, host2).replace("'own'", "'dry'")));
            assertForbidden(n2.post(path, event("forged", involved.replace("2'", "1'"), host2)), involved);
        }
        assertForbidden(n2.post(events, event("forged", pod2.replace("p2", "p1"), host2)), "another's Pod");
        assertForbidden(n2.post(events, event("forged", pod2.replace("p2", "none"), host2)), "no Pod");
        assertForbidden(n2.post(events, event("forged", pod2, host2.replace("'n2'", "'n1'"))), "another's host");
        assertForbidden(n2.post(events, event("forged", pod2, "'source':{'component':'scheduler'}")), "no host");
        assertForbidden(
                n2.post(events, event("forged", pod2, host2 + ",'reportingComponent':'persistentvolume-controller'")),
                "reporter without instance");
        assertForbidden(
                n2.post(
                        "/api/v1/namespaces/b/events",
                        event("forged", "'kind':'Node','apiVersion':'v1','namespace':'b','name':'n2'", host2)),
                "another namespace");
        assertForbidden(
                n2.post(
                        events,
                        event("forged", pod2, host2)
                                .replace("'name':'forged'", "'name':'forged','finalizers':['a/b']")),
                "finalizer");
        assertForbidden(
                n2.send(
                        "PATCH",
                        events + "/forged?fieldManager=x",
                        "{'apiVersion':'v1','kind':'Event',"
                                + event("forged", pod2.replace("p2", "p1"), host2)
                                        .substring(1),
                        "Content-Type",
                        "application/apply-patch+yaml"),
                "applied new Event");
        nodes.create(events, event("admins", pod2, "'source':{'component':'scheduler'}"));
        nodes.assertNotWritten(n2, events + "/admins", "{" + host2 + "}");
        nodes.assertNotWritten(n1, events + "/own", "{'source':{'host':'n1'}}");
        assertForbidden(n2.mergePatch(events + "/own", "{'source':{'host':'n1'}}"), "source changed to another node");
        assertForbidden(n2.delete(events + "/own"), "delete");
    }

    private static String actualVolume(String node, String name, String persistentVolume) {
        return "{'metadata':{'name':'" + name + "'},'spec':{'node':'" + node
                + "','volume':'v','plugin':'kubernetes.io/nfs','persistentVolume':'" + persistentVolume
                + "'},'status':{'state':'Mounted'}}";
    }

    @Test
    void node_writesOnlyItsOwnActualVolumes() {
        String volumes = MOORING + "/actualvolumes";
        String name1 = ActualVolume.key("n1", "v", "pv1").name();
        String name2 = ActualVolume.key("n2", "v", "pv2").name();
        assertDone(n1.post(volumes, actualVolume("n1", name1, "pv1")));
        assertThat(n1.get(volumes + "/" + name1).code()).isEqualTo(200);
        assertDone(n1.mergePatch(volumes + "/" + name1 + "/status", "{'status':{'state':'Unmounting'}}"));
        assertForbidden(n2.post(volumes, actualVolume("n1", name2, "")), "of another node");
        assertForbidden(n2.post(volumes, actualVolume("n2", "squatted." + "0".repeat(10), "")), "any name");
        assertForbidden(
                n2.post(
                        volumes,
                        actualVolume("n2", ActualVolume.key("n1", "v", "x").name(), "")),
                "n1's name");
        assertForbidden(n2.post(volumes, actualVolume("n2", name2, "pv1")), "volume of another node's Pod");
        assertForbidden(n2.get(volumes + "/" + name1), "read");
        nodes.assertNotWritten(n2, volumes + "/" + name1, "{'spec':{'persistentVolume':''}}");
        nodes.assertNotWritten(n2, volumes + "/" + name1 + "/status", "{'status':{'state':'Mounted'}}");
        assertForbidden(n2.delete(volumes + "/" + name1), "delete");
        assertForbidden(n1.mergePatch(volumes + "/" + name1, "{'spec':{'persistentVolume':'pv2'}}"), "another volume");

        String mountedBy = "{'metadata':{'annotations':{'mooring.dev/last-mounted-by':'" + name1 + " u'}}}";
        assertDone(n1.mergePatch(PV + "/pv1/status", mountedBy));
        assertForbidden(n2.mergePatch(PV + "/pv2/status", mountedBy), "mount of another node");
        assertForbidden(n1.mergePatch(PV + "/pv1/status", "{'status':{'phase':'Released'}}"), "phase");
        assertForbidden(n1.mergePatch(PV + "/pv1/status", "{'metadata':{'annotations':{'a':'b'}}}"), "annotation");
        assertForbidden(n1.mergePatch(PV + "/pv1", mountedBy), "the volume itself");
        nodes.assertNotWritten(n2, PV + "/pv1/status", mountedBy);
        assertDone(n1.delete(volumes + "/" + name1));
    }

    @Test
    void node_writesOnlyDesiredVolumesOfItsPods() {
        String volumes = MOORING + "/desiredvolumes";
        Pod p1 = Pod.of(admin.server()
                .stateStore()
                .ledger()
                .world()
                .get(Pod.key("a", "p1"))
                .orElseThrow());
        String name = DesiredVolume.key(p1, "d").name();
        String desired = "{'metadata':{'name':'" + name
                + "'},'spec':{'node':'n1','volumeName':'d','persistentVolume':'pv1','pod':{'namespace':'a','name':'p1','uid':'"
                + p1.uid() + "'}}}";
        assertForbidden(n2.post(volumes, desired), "of another node");
        assertForbidden(n2.post(volumes, desired.replace("'n1'", "'n2'").replace("pv1", "")), "of another node's Pod");
        assertForbidden(n1.post(volumes, desired.replace(name, "d.0000000000")), "any name");
        assertForbidden(n1.post(volumes, desired.replace("pv1", "pv2")), "another volume");
        assertForbidden(n1.post(volumes, desired.replace(p1.uid(), "former")), "a former Pod");
        assertDone(n1.post(volumes, desired));
        assertDone(n1.mergePatch(volumes + "/" + name, "{'spec':{'readOnly':true}}"));
        nodes.assertNotWritten(n2, volumes + "/" + name, "{'spec':{'readOnly':false}}");
        assertForbidden(n2.delete(volumes + "/" + name), "delete");
        assertDone(n1.delete(volumes + "/" + name));
    }

    @Test
    void node_writesOnlyResizeOfItsClaimsAndStateOfItsAttachments() {
        String claim = A + "/persistentvolumeclaims/claim1";
        assertDone(n1.mergePatch(claim + "/status", "{'status':{'capacity':{'storage':'2Gi'}}}"));
        assertForbidden(n1.mergePatch(claim + "/status", "{'status':{'phase':'Lost'}}"), "phase");
        assertForbidden(n1.mergePatch(claim + "/status", "{'metadata':{'annotations':{'a':'b'}}}"), "annotation");
        nodes.assertNotWritten(n1, claim, "{'metadata':{'labels':{'a':'b'}}}");
        nodes.assertNotWritten(n2, claim + "/status", "{'status':{'capacity':{'storage':'9Gi'}}}");
        String attachment = ATTACHMENTS + "/attach1";
        String kept = "{'metadata':{'finalizers':['external-attacher/block-mooring-dev']}}";
        assertDone(n1.mergePatch(attachment, kept));
        assertDone(n1.mergePatch(attachment + "/status", "{'status':{'attached':true}}"));
        assertForbidden(n1.mergePatch(attachment, "{'metadata':{'finalizers':['a/b']}}"), "another finalizer");
        nodes.assertNotWritten(n2, attachment, "{'metadata':{'finalizers':[]}}");
        nodes.assertNotWritten(n2, attachment + "/status", "{'status':{'attached':false}}");
        assertForbidden(n1.delete(attachment), "delete");
        nodes.create(
                ATTACHMENTS,
                "{'metadata':{'name':'foreign'},'spec':{'attacher':'csi.example.com','nodeName':'n1','source':{'persistentVolumeName':'pv1'}}}");
        assertForbidden(
                n1.mergePatch(ATTACHMENTS + "/foreign/status", "{'status':{'attached':true}}"), "foreign attacher");
    }
}
