package dev.mooring.conformance;

import static dev.mooring.conformance.HistoryTenantsFixture.in;
import static dev.mooring.conformance.HistoryTenantsFixture.secret;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests explanations over HTTPS with real tokens: their content, errors, past revisions, and I11. */
@Timeout(300)
class ExplainHttpTest {
    private static final String EXPLAIN = "/apis/mooring.dev/v1/explain/";

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static HistoryTenantsFixture tenants;

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(data, Map.of(), new ShiftedClock());
        tenants = new HistoryTenantsFixture(admin);
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    private static String claim(String name, String className) {
        return "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'" + name + "'},'spec':"
                + "{'accessModes':['ReadWriteOnce'],'storageClassName':'" + className
                + "','resources':{'requests':{'storage':'1Gi'}}}}";
    }

    private static String volume(String name, String namespace, String claim) {
        return "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'" + name + "'},'spec':{'capacity':"
                + "{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'storageClassName':'','hostPath':{'path':'/srv/"
                + name + "'},'claimRef':{'namespace':'" + namespace + "','name':'" + claim + "'}}}";
    }

    @Test
    void claim_classMissing_isExplained() {
        tenants.createNamespace("shop");
        assertThat(admin.post(in("shop", "persistentvolumeclaims"), claim("data", "no-such-class"))
                        .code())
                .isEqualTo(201);
        for (String resource : List.of("persistentvolumeclaims", "pvc", "persistentvolumeclaim")) {
            Reply reply = admin.get(EXPLAIN + resource + "/shop/data");
            assertThat(reply.code()).as(reply.text()).isEqualTo(200);
            assertThat(reply.body().path("kind").asText()).isEqualTo("Explanation");
            assertThat(reply.body().path("state").asText()).isEqualTo("Pending");
            assertThat(reply.body().path("problem").asBoolean()).isTrue();
            assertThat(reply.body().path("object").path("namespace").asText()).isEqualTo("shop");
            assertThat(reply.body().at("/root/because/0/text").asText())
                    .isEqualTo("StorageClass no-such-class does not exist.");
            assertThat(reply.body().path("next").isEmpty()).isFalse();
        }
    }

    @Test
    void unknownNames_areNotFoundWithTheNearest() {
        tenants.createNamespace("near");
        admin.post(in("near", "persistentvolumeclaims"), claim("data", ""));
        Reply object = admin.get(EXPLAIN + "pvc/near/date");
        assertThat(object.code()).isEqualTo(404);
        assertThat(object.text()).contains("\\\"date\\\" not found; did you mean \\\"data\\\"?");
        Reply resource = admin.get(EXPLAIN + "pvcs/near/data");
        assertThat(resource.code()).isEqualTo(404);
        assertThat(resource.text()).contains("did you mean \\\"pvc\\\"?");
        assertThat(admin.get(EXPLAIN + "pvc/data").code()).isEqualTo(404);
        assertThat(admin.post(EXPLAIN + "pvc/near/data", "{}").code()).isEqualTo(405);
    }

    @Test
    void deletedAndPastObjects_areExplained() {
        tenants.createNamespace("past");
        long created = admin.post(in("past", "configmaps"), ApiUnderTest.configMap("m", "a", "1"))
                .revision();
        assertThat(admin.delete(in("past", "configmaps") + "/m").code()).isEqualTo(200);
        Reply deleted = admin.get(EXPLAIN + "configmaps/past/m");
        assertThat(deleted.code()).as(deleted.text()).isEqualTo(200);
        assertThat(deleted.body().path("state").asText()).isEqualTo("Deleted");
        assertThat(deleted.body().path("summary").asText())
                .matches("ConfigMap past/m was deleted by .+ at revision \\d+\\.");
        Reply then = admin.get(EXPLAIN + "configmaps/past/m?at=" + created);
        assertThat(then.body().path("state").asText()).isEqualTo("Active");
        assertThat(then.body().path("revision").asLong()).isEqualTo(created);
        assertThat(admin.get(EXPLAIN + "configmaps/past/m?at=" + (created - 1)).code())
                .isEqualTo(404);
        assertThat(admin.get(EXPLAIN + "configmaps/past/m?at=soon").code()).isEqualTo(400);
    }

    @Test
    void tenant_readsOnlyItsOwnObjects() {
        tenants.createNamespace("mine");
        tenants.createNamespace("theirs");
        ApiUnderTest user = tenants.editor("mine1", "mine");
        user.post(in("mine", "persistentvolumeclaims"), claim("data", ""));
        admin.post(in("theirs", "persistentvolumeclaims"), claim("hidden", ""));
        assertThat(user.get(EXPLAIN + "pvc/mine/data").code()).isEqualTo(200);
        for (String name : List.of("hidden", "no-such-claim")) {
            assertThat(user.get(EXPLAIN + "pvc/theirs/" + name).code()).isEqualTo(403);
        }
        assertThat(user.get(EXPLAIN + "vop/x").code()).isEqualTo(403);
        assertThat(admin.withToken("wrong").get(EXPLAIN + "pvc/mine/data").code())
                .isEqualTo(401);
    }

    @Test
    void tenant_explainsAVolume_learnsNothingAboutClaimsOfOthers() {
        tenants.createNamespace("open");
        tenants.createNamespace("closed");
        ApiUnderTest user = tenants.editor("open1", "open");
        admin.post("/api/v1/persistentvolumes", volume("pv-closed", "closed", "wanted"));
        admin.post(in("closed", "persistentvolumeclaims"), claim("wanted", "a-class-of-others"));
        assertThat(admin.get(EXPLAIN + "pv/pv-closed").text()).contains("closed/wanted");
        Reply reply = user.get(EXPLAIN + "pv/pv-closed");
        assertThat(reply.code()).isEqualTo(200);
        assertThat(reply.text())
                .contains("Depends on a PersistentVolumeClaim that you may not read.")
                .doesNotContain("wanted")
                .doesNotContain("a-class-of-others");
    }

    @Test
    void nextTenantOfNamespace_learnsNothingAboutTheFormerOne() {
        tenants.createNamespace("again");
        ApiUnderTest first = tenants.editor("again1", "again");
        long map = first.post(in("again", "configmaps"), ApiUnderTest.configMap("m", "a", "1"))
                .revision();
        tenants.removeNamespace("again");
        ApiUnderTest second = tenants.editor("again2", "again");
        assertThat(second.get(EXPLAIN + "configmaps/again/m").code()).isEqualTo(404);
        assertThat(second.get(EXPLAIN + "configmaps/again/m?at=" + map).code()).isEqualTo(403);
        tenants.createNamespace("again");
        assertThat(second.get(EXPLAIN + "configmaps/again/m").code()).isEqualTo(404);
        assertThat(second.get(EXPLAIN + "configmaps/again/m?at=" + map).code()).isEqualTo(403);
        assertThat(admin.get(EXPLAIN + "configmaps/again/m")
                        .body()
                        .path("state")
                        .asText())
                .isEqualTo("Deleted");
    }

    @Test
    void tenant_pastSecrets_areNotExplained() {
        tenants.createNamespace("quiet");
        ApiUnderTest user = tenants.editor("quiet1", "quiet");
        long secret = user.post(in("quiet", "secrets"), secret("s")).revision();
        assertThat(user.get(EXPLAIN + "secrets/quiet/s").text())
                .doesNotContain(HistoryTenantsFixture.VALUE)
                .doesNotContain(HistoryTenantsFixture.ENCODED);
        user.delete(in("quiet", "secrets") + "/s");
        assertThat(user.get(EXPLAIN + "secrets/quiet/s").code()).isEqualTo(404);
        assertThat(user.get(EXPLAIN + "secrets/quiet/s?at=" + secret).code()).isEqualTo(403);
    }
}
