package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the generation and the ephemeral containers of Pods over HTTPS, on a server without controllers. */
@Timeout(180)
class PodSubresourcesTest {
    private static final String PODS = ApiUnderTest.DEFAULT + "/pods";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        api = ApiUnderTest.start(data, Map.of("without", "control"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static void create(String name) {
        Reply created = api.post(
                PODS,
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" + name
                        + "','generation':7},'spec':{'nodeName':'n9','containers':[{'name':'c','image':'a'}]}}");
        assertThat(created.code()).as(created.text()).isEqualTo(201);
        assertThat(created.body().at("/metadata/generation").asInt()).isEqualTo(1);
    }

    private static Reply patch(String path, String patch) {
        return api.send("PATCH", PODS + path, patch, "Content-Type", "application/strategic-merge-patch+json");
    }

    private static String debugger(String more) {
        return "{'spec':{'ephemeralContainers':[{'name':'d','image':'b'" + more + "}]}}";
    }

    private static int generation(Reply reply) {
        assertThat(reply.code()).as(reply.text()).isEqualTo(200);
        return reply.body().at("/metadata/generation").asInt();
    }

    @Test
    void generation_countsChangesOfTheSpecAndTheDeletion() {
        create("g");
        assertThat(generation(patch("/g", "{'metadata':{'labels':{'a':'b'},'generation':9}}")))
                .isEqualTo(1);
        assertThat(generation(patch("/g", "{'spec':{'containers':[{'name':'c','image':'z'}]}}")))
                .isEqualTo(2);
        assertThat(generation(patch("/g/status", "{'status':{'phase':'Running'}}")))
                .isEqualTo(2);
        assertThat(generation(api.send("DELETE", PODS + "/g", ""))).isEqualTo(3);
    }

    @Test
    void ephemeralContainers_areOnlyAddedAndOnlyThroughTheSubresource() {
        create("e");
        assertThat(patch("/e", debugger("")).code()).isEqualTo(422);
        Reply added = patch("/e/ephemeralcontainers", debugger(",'targetContainerName':'c'"));
        assertThat(generation(added)).isEqualTo(2);
        assertThat(added.body()
                        .at("/spec/ephemeralContainers/0/imagePullPolicy")
                        .asText())
                .isEqualTo("Always");

        Reply changed = patch("/e/ephemeralcontainers", debugger(",'tty':true"));
        assertThat(changed.code()).isEqualTo(422);
        assertThat(changed.text()).contains("existing ephemeral containers \\\"d\\\" may not be changed");
        Reply ignored = patch("/e/ephemeralcontainers", "{'spec':{'containers':[{'name':'c','image':'evil'}]}}");
        assertThat(generation(ignored)).isEqualTo(2);
        assertThat(ignored.body().at("/spec/containers/0/image").asText()).isEqualTo("a");
        assertThat(api.get(PODS + "/e/ephemeralcontainers")
                        .body()
                        .at("/spec/ephemeralContainers/0/name")
                        .asText())
                .isEqualTo("d");
    }

    @Test
    void ephemeralContainers_forbiddenFields_areRejected() {
        create("f");
        for (String field : new String[] {
            "'ports':[{'containerPort':80}]", "'resources':{'limits':{'cpu':'1'}}",
            "'livenessProbe':{'exec':{'command':['true']}}", "'lifecycle':{'preStop':{'exec':{'command':['true']}}}"
        }) {
            Reply reply = patch("/f/ephemeralcontainers", debugger("," + field));
            assertThat(reply.code()).as(field).isEqualTo(422);
            assertThat(reply.text()).contains("cannot be set for an Ephemeral Container");
        }
        Reply missing = patch("/f/ephemeralcontainers", debugger(",'targetContainerName':'x'"));
        assertThat(missing.text()).contains("spec.ephemeralContainers[0].targetContainerName: Not found");
    }
}
