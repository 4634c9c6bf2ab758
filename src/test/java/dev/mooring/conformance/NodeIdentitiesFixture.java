package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Server with two nodes that exist only as tokens. Node n1 has Pod p1 and node n2 has Pod p2 in namespace a; each Pod
 * refers to objects whose names end with the same digit. Controllers and node are off, so that only requests change
 * objects.
 */
final class NodeIdentitiesFixture implements AutoCloseable {
    static final String A = "/api/v1/namespaces/a";
    static final String PV = "/api/v1/persistentvolumes";
    static final String MOORING = "/apis/mooring.dev/v1";
    static final String ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments";
    static final String VALUE = "eHl6enk=";

    private final ApiUnderTest admin;
    private final ApiUnderTest n1;
    private final ApiUnderTest n2;

    NodeIdentitiesFixture(Path data) {
        admin = ApiUnderTest.start(
                data, Map.of("without", "control,node", "api.requestBurst", "100000", "api.watchTick", "1s"));
        for (String name : List.of("a", "b", "kube-node-lease")) {
            admin.post("/api/v1/namespaces", ApiUnderTest.namespace(name));
        }
        n1 = node("n1");
        n2 = node("n2");
        secret("volume-other");
        for (String n : List.of("1", "2")) {
            for (String use : List.of("volume", "projected", "env", "envfrom", "pull")) {
                secret(use + n);
            }
            create(A + "/configmaps", ApiUnderTest.configMap("env" + n));
            create(A + "/serviceaccounts", "{'metadata':{'name':'account" + n + "'}}");
            claimWithVolume("claim" + n, "pv" + n);
            create(A + "/pods", pod(n));
            operation("op" + n, "n" + n);
            create(
                    ATTACHMENTS,
                    "{'metadata':{'name':'attach" + n + "'},'spec':{'attacher':'block.mooring.dev','nodeName':'n" + n
                            + "','source':{'persistentVolumeName':'pv" + n + "'}}}");
        }
    }

    ApiUnderTest admin() {
        return admin;
    }

    ApiUnderTest n1() {
        return n1;
    }

    ApiUnderTest n2() {
        return n2;
    }

    @Override
    public void close() {
        admin.close();
    }

    private ApiUnderTest node(String name) {
        ApiUnderTest node = admin.withToken(admin.createToken(name, "'role':'node'"));
        Reply reply = node.post(
                "/api/v1/nodes",
                "{'metadata':{'name':'" + name + "','labels':{'kubernetes.io/hostname':'" + name + "'}}}");
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return node;
    }

    Reply create(String path, String body) {
        Reply reply = admin.post(path, body);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        return reply;
    }

    void secret(String name) {
        create(A + "/secrets", "{'metadata':{'name':'" + name + "'},'data':{'password':'" + VALUE + "'}}");
    }

    private void claimWithVolume(String claim, String volume) {
        String spec = "'accessModes':['ReadWriteOnce'],'storageClassName':''";
        String uid = create(
                        A + "/persistentvolumeclaims",
                        "{'metadata':{'name':'" + claim + "'},'spec':{" + spec + ",'volumeName':'" + volume
                                + "','resources':{'requests':{'storage':'1Gi'}}}}")
                .body()
                .at("/metadata/uid")
                .asText();
        create(
                PV,
                "{'metadata':{'name':'" + volume + "'},'spec':{" + spec
                        + ",'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'},'claimRef':{'namespace':'a','name':'"
                        + claim + "','uid':'" + uid + "'}}}");
    }

    static String pod(String n) {
        return """
            {'metadata':{'name':'pN'},'spec':{'nodeName':'nN','serviceAccountName':'accountN',
              'imagePullSecrets':[{'name':'pullN'}],
              'containers':[{'name':'c','image':'i','envFrom':[{'secretRef':{'name':'envfromN'}}],
                'env':[{'name':'A','valueFrom':{'configMapKeyRef':{'name':'envN','key':'a'}}},
                       {'name':'B','valueFrom':{'secretKeyRef':{'name':'envN','key':'a'}}}]}],
              'volumes':[{'name':'s','secret':{'secretName':'volumeN'}},
                {'name':'p','projected':{'sources':[{'secret':{'name':'projectedN'}}]}},
                {'name':'d','persistentVolumeClaim':{'claimName':'claimN'}}]}}\
            """.replace("N'", n + "'");
    }

    void operation(String name, String node) {
        create(
                MOORING + "/volumeoperations",
                "{'metadata':{'name':'" + name + "'},'spec':{'operation':'Provision','node':'" + node
                        + "','provisioner':'mooring.dev/hostpath','persistentVolume':'pvc-" + name
                        + "','persistentVolumeUID':'u'}}");
    }

    static void assertForbidden(Reply reply, String request) {
        assertThat(reply.code()).as(request + ": " + reply.text()).isEqualTo(403);
        assertThat(reply.reason()).isEqualTo("Forbidden");
        assertThat(reply.text()).as(request).doesNotContain(VALUE);
    }

    static void assertDone(Reply reply) {
        assertThat(reply.code()).as(reply.text()).isIn(200, 201);
    }

    /** Asserts that every kind of request that writes this change is forbidden and changes nothing. */
    void assertNotWritten(ApiUnderTest user, String path, String patch) {
        String object = path.endsWith("/status") ? path.substring(0, path.length() - "/status".length()) : path;
        JsonNode before = admin.get(object).body();
        assertForbidden(user.mergePatch(path, patch), "merge patch of " + path);
        assertForbidden(
                user.send("PATCH", path, patch, "Content-Type", "application/strategic-merge-patch+json"),
                "strategic merge patch of " + path);
        assertForbidden(
                user.send("PATCH", path, jsonPatch(before, patch), "Content-Type", "application/json-patch+json"),
                "JSON patch of " + path);
        ObjectNode head = ((ObjectNode) before.deepCopy()).retain("apiVersion", "kind");
        head.putObject("metadata").put("name", before.at("/metadata/name").asText());
        assertForbidden(
                user.send(
                        "PATCH",
                        path + "?fieldManager=x&force=true",
                        merged(head, patch).toString(),
                        "Content-Type",
                        "application/apply-patch+yaml"),
                "apply of " + path);
        assertForbidden(user.put(path, merged(before.deepCopy(), patch).toString()), "update of " + path);
        assertThat(admin.get(object).body()).isEqualTo(before);
    }

    private static JsonNode merged(JsonNode object, String patch) {
        try {
            return ApiUnderTest.JSON.readerForUpdating(object).readTree(patch.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Converts a merge patch to a JSON patch: sets a missing top-level field, or the members of an existing one. */
    private static String jsonPatch(JsonNode before, String patch) {
        ArrayNode operations = ApiUnderTest.JSON.createArrayNode();
        merged(ApiUnderTest.JSON.createObjectNode(), patch).properties().forEach(part -> {
            if (before.path(part.getKey()).isObject()) {
                part.getValue()
                        .properties()
                        .forEach(field -> operations
                                .addObject()
                                .put("op", "add")
                                .put("path", "/" + part.getKey() + "/" + field.getKey())
                                .set("value", field.getValue()));
            } else {
                operations
                        .addObject()
                        .put("op", "add")
                        .put("path", "/" + part.getKey())
                        .set("value", part.getValue());
            }
        });
        return operations.toString();
    }
}
