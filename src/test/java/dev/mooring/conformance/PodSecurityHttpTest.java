package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests Pod Security levels of namespaces, and defaults for the Pods of namespaces, over HTTPS. */
@Timeout(180)
class PodSecurityHttpTest {
    private static final String NAMESPACES = "/api/v1/namespaces";
    private static final String STRICT = "'securityContext':{'allowPrivilegeEscalation':false,'runAsNonRoot':true,"
            + "'capabilities':{'drop':['ALL']},'seccompProfile':{'type':'RuntimeDefault'}}";

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static ApiUnderTest edit;

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(
                data,
                Map.of(
                        "policy.podSecurity", "baseline",
                        "policy.noNewPrivileges", "defaults",
                        "policy.defaultMemory", "defaults=64Mi",
                        "policy.alwaysPullImages", "true",
                        "without", "control,node",
                        "api.requestBurst", "100000"));
        createNamespace("restricted", "'pod-security.kubernetes.io/enforce':'restricted'");
        createNamespace(
                "warned",
                "'pod-security.kubernetes.io/enforce':'privileged','pod-security.kubernetes.io/warn':'restricted',"
                        + "'pod-security.kubernetes.io/warn-version':'v1.25'");
        createNamespace("defaults", "");
        edit = admin.withToken(
                admin.createToken("edit", "'role':'edit','namespaces':['restricted','warned','defaults']"));
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    private static void createNamespace(String name, String labels) {
        Reply created = admin.post(NAMESPACES, "{'metadata':{'name':'" + name + "','labels':{" + labels + "}}}");
        assertThat(created.code()).as(created.text()).isEqualTo(201);
    }

    private static String pods(String namespace) {
        return NAMESPACES + '/' + namespace + "/pods";
    }

    private static String pod(String name, String container, String spec) {
        return "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'containers':[{'name':'c','image':'busybox'"
                + (container.isEmpty() ? "" : "," + container)
                + "}]" + (spec.isEmpty() ? "" : "," + spec) + "}}";
    }

    @Test
    void pod_violatesEnforcedLevel_isForbiddenForAdminAndEditor() {
        for (ApiUnderTest api : List.of(admin, edit)) {
            for (Reply refused : List.of(
                    api.post(pods("restricted"), pod("p", "", "")),
                    api.post(pods("restricted") + "?dryRun=All", pod("p", "", "")),
                    api.send(
                            "PATCH",
                            pods("restricted") + "/p?fieldManager=t",
                            pod("p", "", ""),
                            "Content-Type",
                            "application/apply-patch+yaml"))) {
                assertThat(refused.code()).as(refused.text()).isEqualTo(403);
                assertThat(refused.reason()).isEqualTo("Forbidden");
                assertThat(refused.message())
                        .isEqualTo("pods \"p\" is forbidden: violates PodSecurity \"restricted:latest\":"
                                + " allowPrivilegeEscalation != false (container \"c\" must set"
                                + " securityContext.allowPrivilegeEscalation=false), unrestricted capabilities"
                                + " (container \"c\" must set securityContext.capabilities.drop=[\"ALL\"]),"
                                + " runAsNonRoot != true (pod or container \"c\" must set"
                                + " securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\""
                                + " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or"
                                + " \"Localhost\")");
            }
            assertThat(api.post(pods("restricted") + "?dryRun=All", pod("p", STRICT, ""))
                            .code())
                    .isEqualTo(201);
        }
    }

    @Test
    void namespace_withoutLabel_hasLevelOfSetting() {
        Reply refused = admin.post(pods("default") + "?dryRun=All", pod("p", "", "'hostPID':true"));

        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.message())
                .isEqualTo(
                        "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces (hostPID)");
        assertThat(admin.post(pods("default") + "?dryRun=All", pod("p", "", "")).code())
                .isEqualTo(201);
    }

    @Test
    void pod_violatesWarnLevel_isWarnedAndEditorGetsNoPrivileges() {
        Reply warned = edit.post(pods("warned") + "?dryRun=All", pod("p", "", ""));

        assertThat(warned.code()).isEqualTo(201);
        assertThat(warned.header("warning"))
                .contains("would violate PodSecurity \\\"restricted:latest\\\": allowPrivilegeEscalation != false");
        assertThat(edit.post(pods("warned") + "?dryRun=All", pod("p", STRICT, ""))
                        .header("warning"))
                .isEmpty();
        assertThat(admin.post(pods("warned") + "?dryRun=All", pod("p", "", "'hostPID':true"))
                        .code())
                .isEqualTo(201);
        assertThat(edit.post(pods("warned") + "?dryRun=All", pod("p", "", "'hostPID':true"))
                        .code())
                .isEqualTo(403);
    }

    @Test
    void namespace_stricterLevel_warnsOfExistingPodsAndAppliesToUpdates() {
        createNamespace("later", "'pod-security.kubernetes.io/enforce':'privileged'");
        for (String name : List.of("b", "a")) {
            assertThat(admin.post(pods("later"), pod(name, "", "'hostPID':true"))
                            .code())
                    .isEqualTo(201);
        }
        Reply labelled = admin.mergePatch(
                NAMESPACES + "/later", "{'metadata':{'labels':{'pod-security.kubernetes.io/enforce':'baseline'}}}");

        assertThat(labelled.code()).isEqualTo(200);
        assertThat(labelled.headers().allValues("warning").toString())
                .contains(
                        "existing pods in namespace \\\"later\\\" violate the new PodSecurity enforce level"
                                + " \\\"baseline:latest\\\"",
                        "a (and 1 other pod): host namespaces");
        assertThat(admin.mergePatch(pods("later") + "/a", "{'metadata':{'labels':{'x':'y'}}}")
                        .code())
                .isEqualTo(200);
        Reply changed = admin.send(
                "PATCH",
                pods("later") + "/a",
                "{'spec':{'containers':[{'name':'c','image':'other'}]}}",
                "Content-Type",
                "application/strategic-merge-patch+json");
        assertThat(changed.code()).isEqualTo(403);
        assertThat(changed.message()).contains("violates PodSecurity \"baseline:latest\": host namespaces (hostPID)");
        assertThat(admin.delete(pods("later") + "/a").code()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        enforce         | strict  | must be one of privileged, baseline, restricted
        audit           | ''      | must be one of privileged, baseline, restricted
        warn-version    | 1.25    | must be "latest" or "v1.x"
        """)
    void namespaceLabel_withUnknownLevel_isInvalid(String label, String value, String expectedMessage) {
        Reply refused = admin.mergePatch(
                NAMESPACES + "/warned",
                "{'metadata':{'labels':{'pod-security.kubernetes.io/" + label + "':'" + value + "'}}}");

        assertThat(refused.code()).as(refused.text()).isEqualTo(422);
        assertThat(refused.message())
                .isEqualTo("Namespace \"warned\" is invalid: metadata.labels[pod-security.kubernetes.io/" + label
                        + "]: Invalid value: \"" + value + "\": " + expectedMessage);
    }

    @Test
    void namespaceLabel_changedByEditor_isForbidden() {
        assertThat(edit.mergePatch(
                                NAMESPACES + "/restricted",
                                "{'metadata':{'labels':{'pod-security.kubernetes.io/enforce':null}}}")
                        .code())
                .isEqualTo(403);
    }

    @Test
    void pod_inNamespaceWithDefaults_getsThem() {
        JsonNode created = edit.post(pods("defaults") + "?dryRun=All", pod("p", "'imagePullPolicy':'Never'", ""))
                .body();

        assertThat(created.at("/spec/containers/0/resources").toString())
                .isEqualTo("{\"limits\":{\"memory\":\"64Mi\"},\"requests\":{\"memory\":\"64Mi\"}}");
        assertThat(created.at("/status/qosClass").asText()).isEqualTo("Burstable");
        assertThat(created.at("/spec/containers/0/securityContext/allowPrivilegeEscalation"))
                .hasToString("false");
        assertThat(created.at("/spec/containers/0/imagePullPolicy").asText()).isEqualTo("Always");
        String escalates = pod("p", "'securityContext':{'allowPrivilegeEscalation':true}", "");
        assertThat(edit.post(pods("defaults") + "?dryRun=All", escalates).message())
                .isEqualTo(
                        "pods \"p\" is forbidden: spec.containers[0].securityContext.allowPrivilegeEscalation: true is"
                                + " not allowed for role edit in namespace \"defaults\": the setting"
                                + " policy.noNewPrivileges names the namespace");
        assertThat(admin.post(pods("defaults") + "?dryRun=All", escalates).code())
                .isEqualTo(201);
        JsonNode other =
                edit.post(pods("warned") + "?dryRun=All", pod("p", "", "")).body();
        assertThat(other.at("/spec/containers/0/resources").toString()).isEqualTo("{}");
        assertThat(other.at("/spec/containers/0").has("securityContext")).isFalse();
    }
}
