package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which access to the host a Pod may have over HTTPS, by role, namespace, field and kind of request. */
@Timeout(180)
class PodPolicyHttpTest {
    private static final String GRANT_ANNOTATION = "/metadata/annotations/mooring.dev~1host-paths";

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static ApiUnderTest edit;
    private static ApiUnderTest account;

    /** Namespace a has only a host path prefix and an NFS share; namespace b may use privileges. */
    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(
                data,
                Map.of(
                        "policy.privileged", "b",
                        "policy.hostPath", "a=/srv/team-a,*=/srv/shared",
                        "policy.adminPaths", "/var/lib/docker/containers",
                        "policy.nfs", "a=nas:/exports/a",
                        "without", "control,node",
                        "api.requestBurst", "100000"));
        for (String name : List.of("a", "b")) {
            assertThat(admin.post("/api/v1/namespaces", ApiUnderTest.namespace(name))
                            .code())
                    .isEqualTo(201);
        }
        edit = admin.withToken(admin.createToken("edit-ab", "'role':'edit','namespaces':['a','b']"));
        String accounts = "/api/v1/namespaces/a/serviceaccounts";
        admin.post(accounts, "{'metadata':{'name':'sa','annotations':{'mooring.dev/role':'edit'}}}");
        account = admin.withToken(admin.post(accounts + "/sa/token", "{'spec':{'expirationSeconds':3600}}")
                .body()
                .at("/status/token")
                .asText());
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    private static String pods(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/pods";
    }

    private static String pod(String name, String spec) {
        return "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'containers':[{'name':'c','image':'busybox'}]" + (spec.isEmpty() ? "" : "," + spec)
                + "}}";
    }

    private static String hostPath(String path) {
        return "'volumes':[{'name':'v','hostPath':{'path':'" + path + "'}}]";
    }

    private static Reply apply(ApiUnderTest api, String path, String body) {
        return api.send("PATCH", path, body, "Content-Type", "application/apply-patch+yaml");
    }

    /** Requests that create Pod p in a namespace, all as dry runs. */
    private static Map<String, Function<ApiUnderTest, Reply>> createVariants(String namespace, String body) {
        Map<String, Function<ApiUnderTest, Reply>> variants = new LinkedHashMap<>();
        variants.put("create", api -> api.post(pods(namespace) + "?dryRun=All", body));
        variants.put("apply", api -> apply(api, pods(namespace) + "/p?fieldManager=t&dryRun=All", body));
        return variants;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        'hostNetwork':true                                                        | spec.hostNetwork
        'hostPID':true                                                            | spec.hostPID
        'hostIPC':true                                                            | spec.hostIPC
        'initContainers':[{'name':'i','image':'x','securityContext':{'privileged':true}}] | spec.initContainers[0].securityContext.privileged
        'initContainers':[{'name':'i','image':'x','securityContext':{'capabilities':{'add':['SYS_ADMIN']}}}] | spec.initContainers[0].securityContext.capabilities.add[0]
        'securityContext':{'seccompProfile':{'type':'Unconfined'}}                | spec.securityContext.seccompProfile.type
        'securityContext':{'sysctls':[{'name':'kernel.msgmax','value':'1'}]}      | spec.securityContext.sysctls[0].name
        'initContainers':[{'name':'i','image':'x','restartPolicy':'Always','readinessProbe':{'httpGet':{'host':'127.0.0.1','port':7443}}}] | spec.initContainers[0].readinessProbe.httpGet.host
        'initContainers':[{'name':'i','image':'x','restartPolicy':'Always','livenessProbe':{'tcpSocket':{'host':'10.0.0.1','port':22}}}] | spec.initContainers[0].livenessProbe.tcpSocket.host
        'initContainers':[{'name':'i','image':'x','restartPolicy':'Always','lifecycle':{'preStop':{'httpGet':{'host':'localhost','port':80}}}}] | spec.initContainers[0].lifecycle.preStop.httpGet.host
        """)
    void privilegedPod_byEditor_isForbiddenUnlessNamespaceIsPrivileged(String spec, String field) {
        createVariants("a", pod("p", spec)).forEach((variant, write) -> {
            for (ApiUnderTest api : List.of(edit, account)) {
                Reply refused = write.apply(api);
                assertThat(refused.code()).as(variant + refused.text()).isEqualTo(403);
                assertThat(refused.reason()).isEqualTo("Forbidden");
                assertThat(refused.message())
                        .startsWith("pods \"p\" is forbidden: " + field + ": ")
                        .contains("role edit in namespace \"a\"", "policy.privileged");
                assertThat(refused.body().at("/details/causes/0/field").asText())
                        .isEqualTo(field);
            }
            Reply granted = write.apply(admin);
            assertThat(granted.code()).as(variant + granted.text()).isEqualTo(201);
        });
        createVariants("b", pod("p", spec))
                .forEach((variant, write) ->
                        assertThat(write.apply(edit).code()).as(variant).isEqualTo(201));
    }

    @ParameterizedTest
    @CsvSource({
        "a, /srv/team-a, 201, 201",
        "a, /srv/team-a/x, 201, 201",
        "a, /srv/shared/x, 201, 201",
        "a, /srv/team-ab, 403, 201",
        "a, /srv, 403, 201",
        "a, /etc, 403, 201",
        "b, /srv/team-a, 403, 201",
        "b, /srv/shared, 201, 201",
        "a, /, 403, 403",
        "a, /var/run/docker.sock, 403, 403",
        "a, /var/lib/docker, 403, 403",
        "a, /var/lib/docker/containers, 403, 201",
    })
    void hostPathVolume_byRole_isLimitedToAllowedPaths(String namespace, String path, int editorCode, int adminCode) {
        createVariants(namespace, pod("p", hostPath(path))).forEach((variant, write) -> {
            assertThat(write.apply(edit).code()).as(variant).isEqualTo(editorCode);
            assertThat(write.apply(admin).code()).as(variant).isEqualTo(adminCode);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "a, nas:/exports/a, 201",
        "a, nas:/exports/a/x, 403",
        "a, nas:/exports/b, 403",
        "b, nas:/exports/a, 403",
        "a, localhost:/srv/nfs, 403",
    })
    void nfsVolume_byEditor_isLimitedToSharesOfSetting(String namespace, String share, int editorCode) {
        String[] parts = share.split(":", 2);
        String volume = "'volumes':[{'name':'v','nfs':{'server':'" + parts[0] + "','path':'" + parts[1] + "'}}]";
        createVariants(namespace, pod("p", volume)).forEach((variant, write) -> {
            assertThat(write.apply(edit).code()).as(variant).isEqualTo(editorCode);
            assertThat(write.apply(admin).code()).as(variant).isEqualTo(201);
        });
    }

    @ParameterizedTest
    @CsvSource({"111, 403", "2049, 403", "20048, 403", "2050, 201", "80, 201"})
    void hostPort_ofNfs_isForbiddenForEditor(int port, int editorCode) {
        String body = pod("p", "")
                .replace(
                        "'image':'busybox'",
                        "'image':'busybox','ports':[{'containerPort':9,'hostPort':" + port + ",'hostIP':'127.0.0.1'}]");
        createVariants("a", body).forEach((variant, write) -> {
            assertThat(write.apply(edit).code()).as(variant).isEqualTo(editorCode);
            assertThat(write.apply(admin).code()).as(variant).isEqualTo(201);
        });
    }

    @Test
    void hostPathVolume_withMooringData_isForbiddenForAdmin() {
        Path real = data.toAbsolutePath();
        for (Path each : List.of(real, real.resolve("pki"), real.getParent())) {
            Reply refused = admin.post(pods("a") + "?dryRun=All", pod("p", hostPath(each.toString())));
            assertThat(refused.code()).as(refused.text()).isEqualTo(403);
            assertThat(refused.message())
                    .startsWith("pods \"p\" is forbidden: spec.volumes[0].hostPath.path: \"" + each + "\" ");
        }
    }

    @Test
    void hostPathsAnnotation_changedByUser_keepsValueOfServer() {
        String path = pods("a") + "/stamped";
        String body = pod("stamped", hostPath("/srv/team-a/x"))
                .replace("'name':'stamped'", "'name':'stamped','annotations':{'mooring.dev/host-paths':'admin'}");
        String stamp = "/srv/team-a,/srv/shared";

        Reply created = edit.post(pods("a"), body);
        assertThat(created.body().at(GRANT_ANNOTATION).asText())
                .as(created.text())
                .isEqualTo(stamp);
        for (Reply changed : List.of(
                edit.mergePatch(path, "{'metadata':{'annotations':{'mooring.dev/host-paths':'admin','x':'1'}}}"),
                edit.mergePatch(path, "{'metadata':{'annotations':{'mooring.dev/host-paths':null,'x':'2'}}}"),
                edit.mergePatch(path, "{'metadata':{'annotations':null}}"),
                edit.send(
                        "PATCH",
                        path,
                        "[{'op':'replace','path':'/metadata/annotations','value':{'mooring.dev/host-paths':'/'}}]",
                        "Content-Type",
                        "application/json-patch+json"),
                edit.send(
                        "PATCH",
                        path,
                        "{'metadata':{'annotations':{'mooring.dev/host-paths':'admin'},'labels':{'a':'b'}}}",
                        "Content-Type",
                        "application/strategic-merge-patch+json"),
                apply(
                        edit,
                        path + "?fieldManager=other&force=true",
                        "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'stamped','annotations':{'mooring.dev/host-paths':'admin'}}}"),
                edit.put(path, without(edit.get(path).body(), "annotations")),
                admin.mergePatch(
                        path + "/status", "{'metadata':{'annotations':{'mooring.dev/host-paths':'admin'}}}"))) {
            assertThat(changed.code()).as(changed.text()).isEqualTo(200);
            assertThat(changed.body().at(GRANT_ANNOTATION).asText()).isEqualTo(stamp);
        }
        assertThat(admin.post(pods("a") + "?dryRun=All", pod("p", hostPath("/srv/x")))
                        .body()
                        .at(GRANT_ANNOTATION)
                        .asText())
                .isEqualTo("admin");
        assertThat(edit.post(pods("a") + "?dryRun=All", pod("p", ""))
                        .body()
                        .at(GRANT_ANNOTATION)
                        .isMissingNode())
                .isTrue();
    }

    private static String without(JsonNode pod, String field) {
        JsonNode copy = pod.deepCopy();
        ((ObjectNode) copy.path("metadata")).remove(field);
        return copy.toString();
    }

    @Test
    void podImage_changedByEditorWhoMayNotCreatePod_isForbidden() {
        assertThat(admin.post(pods("a"), pod("strong", "'hostPID':true")).code())
                .isEqualTo(201);
        assertThat(admin.post(pods("a"), pod("mounts", hostPath("/srv/team-a/x")))
                        .code())
                .isEqualTo(201);
        for (String name : List.of("strong", "mounts")) {
            String path = pods("a") + "/" + name;
            String image = "{'spec':{'containers':[{'name':'c','image':'mine'}]}}";
            String whole = edit.get(path).body().toString().replace("\"image\":\"busybox\"", "\"image\":\"mine\"");
            for (Reply refused : List.of(
                    edit.send("PATCH", path, image, "Content-Type", "application/strategic-merge-patch+json"),
                    edit.send(
                            "PATCH",
                            path,
                            "[{'op':'replace','path':'/spec/containers/0/image','value':'mine'}]",
                            "Content-Type",
                            "application/json-patch+json"),
                    edit.put(path, whole),
                    apply(
                            edit,
                            path + "?fieldManager=t&force=true",
                            "{'kind':'Pod','apiVersion':'v1','spec':{'containers':[{'name':'c','image':'mine'}]}}"))) {
                assertThat(refused.code()).as(refused.text()).isEqualTo(403);
                assertThat(refused.message()).startsWith("pods \"" + name + "\" is forbidden: spec");
            }
            assertThat(edit.mergePatch(path, "{'metadata':{'labels':{'a':'b'}}}")
                            .code())
                    .isEqualTo(200);
            assertThat(admin.send("PATCH", path, image, "Content-Type", "application/strategic-merge-patch+json")
                            .code())
                    .isEqualTo(200);
            assertThat(edit.delete(path).code()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'hostUsers':false",
                "'runtimeClassName':'gvisor'",
                "'volumes':[{'name':'v','csi':{'driver':'d.example'}}]",
                "'volumes':[{'name':'v','projected':{'sources':[{'clusterTrustBundle':{'name':'b','path':'t'}}]}}]"
            })
    void podField_unsupportedOnDocker_isInvalidForAdmin(String spec) {
        createVariants("a", pod("p", spec)).forEach((variant, write) -> {
            Reply refused = write.apply(admin);
            assertThat(refused.code()).as(variant + refused.text()).isEqualTo(422);
            assertThat(refused.reason()).isEqualTo("Invalid");
            assertThat(refused.message())
                    .startsWith("Pod \"p\" is invalid: spec.")
                    .contains(": Forbidden: Mooring on Docker cannot ");
        });
    }

    @Test
    void podField_ignoredOnDocker_isAcceptedWithWarning() {
        Reply created = edit.post(pods("a") + "?dryRun=All", pod("p", "'automountServiceAccountToken':true"));

        assertThat(created.code()).isEqualTo(201);
        assertThat(created.header("warning")).contains("spec.automountServiceAccountToken: has no effect");
    }

    @Test
    void volumeAndStorageClass_createdByEditor_areForbidden() {
        assertThat(edit.post(
                                "/api/v1/persistentvolumes",
                                "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],"
                                    + "'hostPath':{'path':'/etc'}}}")
                        .code())
                .isEqualTo(403);
        assertThat(edit.post(
                                "/apis/storage.k8s.io/v1/storageclasses",
                                "{'metadata':{'name':'c'},'provisioner':'mooring.dev/hostpath'}")
                        .code())
                .isEqualTo(403);
    }

    @Test
    void exec_intoPodWithMoreRightsThanEditor_isForbidden() {
        String privileged =
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'strong'},'spec':{'containers':[{'name':'c',"
                        + "'image':'busybox','securityContext':{'privileged':true}}]}}";
        assertThat(admin.post(pods("a"), privileged).code()).isEqualTo(201);
        assertThat(admin.post(pods("a"), pod("weak", "")).code()).isEqualTo(201);

        Reply exec = edit.get(pods("a") + "/strong/exec?command=sh&stdout=true");
        assertThat(exec.code()).isEqualTo(403);
        assertThat(exec.body().path("message").asText())
                .startsWith("pods \"strong\" is forbidden: cannot exec into or attach to a Pod with more rights than");
        assertThat(edit.get(pods("a") + "/strong/attach?stdout=true").code()).isEqualTo(403);

        assertThat(edit.get(pods("a") + "/weak/exec?command=sh&stdout=true").code())
                .isNotEqualTo(403);
        assertThat(admin.get(pods("a") + "/strong/exec?command=sh&stdout=true").code())
                .isNotEqualTo(403);
        assertThat(edit.get(pods("a") + "/strong/log").code()).isNotEqualTo(403);
    }
}
