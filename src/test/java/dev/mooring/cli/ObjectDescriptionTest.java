package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.cli.ObjectDescription.RelatedObjects;
import dev.mooring.model.Json;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObjectDescriptionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
    private static final RelatedObjects NOTHING =
            new RelatedObjects(List.of(), List.of(), List.of(), List.of(), List.of());

    private static final String POD =
            "{'metadata':{'name':'web','namespace':'shop','uid':'p1'},'spec':{'nodeName':'n1',"
                    + "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'data'}}]}}";
    private static final String CLAIM_OF_VOLUME = "'claim':{'namespace':'shop','name':'data'}";
    private static final String DESIRED = "{'metadata':{'name':'d'},'spec':{'node':'n1','volume':'nfs/x',"
            + "'volumeName':'v'," + CLAIM_OF_VOLUME + ",'pod':{'namespace':'shop','name':'web','uid':'p1'}}}";
    private static final String FAILING =
            "{'metadata':{'name':'a'},'spec':{'node':'n1','volume':'nfs/x'," + CLAIM_OF_VOLUME
                    + "},'status':{'state':'Failed','mounts':[{'path':'/m','pod':{'namespace':'shop','name':'web','uid':'p1'},'volumeName':'v','state':'Failed','attempts':4,'nextTry':'2026-01-01T01:00:03Z','lastError':{'reason':'ServerUnreachable','message':'connection\\n"
                    + "refused'}}]}}";

    private static ObjectNode json(String text) {
        try {
            return (ObjectNode) Json.MAPPER.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static List<ObjectNode> all(String... texts) {
        return Arrays.stream(texts).map(ObjectDescriptionTest::json).toList();
    }

    private static final String CLAIM = "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'data',"
        + "'namespace':'shop','uid':'c1','labels':{'app':'web','tier':'db'},'annotations':{"
        + "'kubectl.kubernetes.io/last-applied-configuration':'hidden'},'finalizers':['kubernetes.io/pvc-protection']},"
        + "'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'fast','volumeName':'pv1',"
        + "'resources':{'requests':{'storage':'1Gi'}},'volumeMode':'Filesystem'},"
        + "'status':{'phase':'Bound','capacity':{'storage':'2Gi'},'conditions':[{'type':'Bound','status':'True','lastTransitionTime':'2026-01-01T00:50:00Z','reason':'Bound','message':'bound"
        + " to volume pv1'}]}}";

    @Test
    void describe_claim_hasUsersConditionsMountsAndEvents() {
        RelatedObjects related = new RelatedObjects(
                all(POD, POD.replace("web", "other").replace("'data'", "'else'")),
                List.of(),
                all(DESIRED),
                all(FAILING),
                all(
                        "{'type':'Normal','reason':'Later','message':'second','count':3,"
                                + "'lastTimestamp':'2026-01-01T00:59:00Z','source':{'component':'binder'}}",
                        "{'type':'Warning','reason':'Earlier','message':'first\\u001b[2J',"
                                + "'lastTimestamp':'2026-01-01T00:58:00Z','reportingComponent':'binder'}"));

        assertThat(ObjectDescription.of(json(CLAIM), related, NOW)).isEqualTo("""
            Name:          data
            Namespace:     shop
            Labels:        app=web
                           tier=db
            Annotations:   <none>
            Finalizers:    [kubernetes.io/pvc-protection]
            StorageClass:  fast
            Status:        Bound
            Volume:        pv1
            Capacity:      2Gi
            Requested:     1Gi
            Access Modes:  RWO
            VolumeMode:    Filesystem
            Used By:       web
            Conditions:
              Type   Status  Since  Reason  Message
              Bound  True    10m    Bound   bound to volume pv1
            Mounts:
              Pod       Volume  Node  State   Attempts  Next Try  Error                                  Path
              shop/web  v       n1    Failed  4         3s        ServerUnreachable: connection refused  /m
            Events:
              Type     Reason   Age       From    Message
              Warning  Earlier  2m        binder  first [2J
              Normal   Later    60s (x3)  binder  second
            """);
    }

    @Test
    void describe_claimDesiredButNotMounted_saysSo() {
        RelatedObjects desired = new RelatedObjects(List.of(), List.of(), all(DESIRED), List.of(), List.of());
        RelatedObjects waiting = new RelatedObjects(
                List.of(),
                List.of(),
                all(DESIRED.replace(
                        "'spec'", "'status':{'error':{'reason':'NotBound','message':'claim is Pending'}},'spec'")),
                List.of(),
                List.of());

        assertThat(ObjectDescription.of(json(CLAIM), desired, NOW)).contains("  shop/web  v       n1    Desired\n");
        assertThat(ObjectDescription.of(json(CLAIM), waiting, NOW))
                .contains("  shop/web  v       n1    Waiting                      NotBound: claim is Pending\n");
        assertThat(ObjectDescription.of(json(CLAIM), NOTHING, NOW)).contains("Mounts:  <none>\n");
    }

    @Test
    void describe_volume_hasItsSource() {
        assertThat(ObjectDescription.of(
                        json("{'kind':'PersistentVolume','metadata':{'name':'pv1','uid':'u',"
                                + "'deletionTimestamp':'2026-01-01T00:55:00Z'},'spec':{'accessModes':['ReadWriteMany'],"
                                + "'capacity':{'storage':'1Gi'},'claimRef':{'namespace':'shop','name':'data'},"
                                + "'persistentVolumeReclaimPolicy':'Retain','nfs':{'server':'10.0.0.5','path':'/x'}},"
                                + "'status':{'phase':'Bound'}}"),
                        NOTHING,
                        NOW))
                .isEqualTo("""
                    Name:            pv1
                    Labels:          <none>
                    Annotations:     <none>
                    Terminating:     since 2026-01-01T00:55:00Z (lasts 5m)
                    StorageClass:    <none>
                    Status:          Terminating (Bound)
                    Claim:           shop/data
                    Reclaim Policy:  Retain
                    Access Modes:    RWX
                    Capacity:        1Gi
                    Source:
                      Type:    NFS
                      Server:  10.0.0.5
                      Path:    /x
                    Mounts:    <none>
                    Events:    <none>
                    """);
    }

    @Test
    void describe_pod_hasContainersAndVolumes() {
        assertThat(ObjectDescription.of(
                        json(
                                "{'kind':'Pod','metadata':{'name':'web','namespace':'shop','uid':'p1'},'spec':{'nodeName':'n1',"
                                    + "'containers':[{'name':'c','image':'busybox','volumeMounts':[{'name':'v',"
                                    + "'mountPath':'/data','readOnly':true}]}],'volumes':[{'name':'v',"
                                    + "'persistentVolumeClaim':{'claimName':'data'}}]},'status':{'phase':'Running',"
                                    + "'containerStatuses':[{'name':'c','ready':false,'restartCount':2,'state':{'waiting':{"
                                    + "'reason':'CrashLoopBackOff'}},'lastState':{'terminated':{'exitCode':1,'reason':'Error'}}}]}}"),
                        new RelatedObjects(List.of(), List.of(), all(DESIRED), all(FAILING), List.of()),
                        NOW))
                .contains("""
                    Containers:
                      c:
                        Image:          busybox
                        State:          Waiting (CrashLoopBackOff)
                        Last State:     Terminated (Error, exit code 1)
                        Ready:          false
                        Restart Count:  2
                        Mount:          /data from v (ro)
                    Volumes:
                      v:
                        Type:        PersistentVolumeClaim
                        Claim Name:  data
                    Mounts:
                      Pod       Volume  Node  State   Attempts  Next Try  Error                                  Path
                      shop/web  v       n1    Failed  4         3s        ServerUnreachable: connection refused  /m
                    """);
    }

    @Test
    void describe_classNodeAndOtherKinds_listTheirFields() {
        RelatedObjects claims = new RelatedObjects(List.of(), all(CLAIM), List.of(), List.of(), List.of());
        assertThat(ObjectDescription.of(
                        json("{'kind':'StorageClass','metadata':{'name':'fast','annotations':{"
                            + "'storageclass.kubernetes.io/is-default-class':'true'}},'provisioner':'mooring.dev/nfs',"
                            + "'parameters':{'archiveOnDelete':'no'},'reclaimPolicy':'Delete'}"),
                        claims,
                        NOW))
                .contains("IsDefaultClass:  Yes\n", "Provisioner:     mooring.dev/nfs\n", "  archiveOnDelete:  no\n")
                .contains("Used By:            shop/data\n");
        assertThat(ObjectDescription.of(
                        json("{'kind':'Node','metadata':{'name':'n1'},'status':{'capacity':{'cpu':'2'}}}"),
                        new RelatedObjects(all(POD), List.of(), all(DESIRED), List.of(), List.of()),
                        NOW))
                .contains("Taints:       <none>\nCapacity:\n  cpu:  2\nPods:   shop/web\nMounts:\n");
        assertThat(ObjectDescription.of(
                        json(
                                "{'kind':'VolumeOperation','metadata':{'name':'op'},'spec':{'operation':'Provision','node':'n1'},"
                                    + "'status':{'state':'Failed','attempts':2,'lastError':{'reason':'NoSpace','message':'full'}}}"),
                        NOTHING,
                        NOW))
                .contains("Operation:    Provision\n", "State:        Failed\n", "Last Error:\n  Reason:   NoSpace\n");
        assertThat(ObjectDescription.of(
                        json("{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','metadata':{'name':'turn'},"
                                + "'spec':{'holderIdentity':'me','list':[{'a':1},{'a':2}]}}"),
                        NOTHING,
                        NOW))
                .contains("Spec:\n  Holder Identity:  me\n  List:\n    A:   1\n    A:   2\n");
    }

    @Test
    void describe_secret_hidesItsData() {
        String text = ObjectDescription.of(
                json("{'kind':'Secret','metadata':{'name':'s','annotations':{"
                        + "'kubectl.kubernetes.io/last-applied-configuration':'c2VjcmV0'}},'type':'Opaque',"
                        + "'data':{'password':'c2VjcmV0'}}"),
                NOTHING,
                NOW);

        assertThat(text).contains("  password:  6 bytes\n").doesNotContain("c2VjcmV0");
    }
}
