package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.HistoryTenantsFixture.ENCODED;
import static dev.mooring.conformance.HistoryTenantsFixture.VALUE;
import static dev.mooring.conformance.HistoryTenantsFixture.in;
import static dev.mooring.conformance.HistoryTenantsFixture.secret;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.model.Scope;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code GET …/world} and {@code …/diff} over HTTPS: their content, and what each role gets of it. */
@Timeout(300)
class WorldHttpTest {
    private static final String WORLD = "/apis/mooring.dev/v1/world";
    private static final String DIFF = "/apis/mooring.dev/v1/diff";

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static HistoryTenantsFixture tenants;

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(data, Map.of());
        tenants = new HistoryTenantsFixture(admin);
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    private static String claim(String name) {
        return "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'none',"
                + "'resources':{'requests':{'storage':'1Gi'}}}}";
    }

    private static String account(String name) {
        return "{'kind':'ServiceAccount','apiVersion':'v1','metadata':{'name':'" + name + "'}}";
    }

    private static String volume(String name) {
        return "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},'storageClassName':'other',"
                + "'nfs':{'server':'10.0.0.5','path':'/x'}}}";
    }

    /** Keys of a World's objects: {@code kind/namespace/name}. */
    private static List<String> keys(Reply world) {
        assertThat(world.code()).as(world.text()).isEqualTo(200);
        List<String> keys = new ArrayList<>();
        for (JsonNode item : world.body().path("items")) {
            JsonNode metadata = item.path("metadata");
            String namespace = metadata.path("namespace").asText();
            keys.add(item.path("kind").asText()
                    + '/'
                    + (namespace.isEmpty() ? "" : namespace + '/')
                    + metadata.path("name").asText());
        }
        return keys;
    }

    @Test
    void world_atRevision_hasObjectsOfThatRevisionWithoutManagedFields() throws IOException {
        tenants.createNamespace("past");
        long created =
                admin.post(in("past", "persistentvolumeclaims"), claim("data")).revision();
        admin.post("/api/v1/persistentvolumes", volume("past-pv"));
        admin.delete("/api/v1/persistentvolumes/past-pv");
        long before = admin.revision();

        Reply then = admin.get(WORLD + "?at=" + created);

        assertThat(then.body().path("kind").asText()).isEqualTo("World");
        assertThat(then.body().path("apiVersion").asText()).isEqualTo("mooring.dev/v1");
        assertThat(then.body().path("revision").asLong()).isEqualTo(created);
        World world = admin.server().stateStore().history().at(created);
        assertThat(Instant.parse(then.body().path("time").asText()))
                .isEqualTo(admin.server()
                        .stateStore()
                        .history()
                        .timeOf(world.revision())
                        .orElseThrow());
        assertThat(keys(then))
                .contains("PersistentVolumeClaim/past/data", "Namespace/past")
                .doesNotContain("PersistentVolume/past-pv");
        for (JsonNode item : then.body().path("items")) {
            assertThat(item.path("apiVersion").asText()).isNotEmpty();
            assertThat(item.at("/metadata/resourceVersion").asLong()).isPositive();
            assertThat(item.path("metadata").has("managedFields")).isFalse();
            assertThat(item.path("metadata").has("uid")).isTrue();
        }
        assertThat(then.text()).doesNotContain("managedFields");
        assertThat(admin.get(in("past", "persistentvolumeclaims") + "/data").text())
                .contains("managedFields");
        Reply now = admin.get(WORLD);
        assertThat(now.body().path("revision").asLong()).isGreaterThanOrEqualTo(before);
        assertThat(keys(now))
                .contains("Node/"
                        + admin.server()
                                .stateStore()
                                .ledger()
                                .world()
                                .list(Scope.resource("nodes"))
                                .iterator()
                                .next()
                                .key()
                                .name());
    }

    @Test
    void world_resources_restrictKinds() {
        tenants.createNamespace("few");
        admin.post(in("few", "persistentvolumeclaims"), claim("data"));

        assertThat(keys(admin.get(WORLD + "?resources=pvc,namespaces,pvc")))
                .contains("PersistentVolumeClaim/few/data", "Namespace/few")
                .doesNotHaveDuplicates()
                .allMatch(key -> key.startsWith("PersistentVolumeClaim/") || key.startsWith("Namespace/"));
        Reply unknown = admin.get(WORLD + "?resources=persistantvolumes");
        assertThat(unknown.code()).isEqualTo(404);
        assertThat(unknown.message()).contains("persistantvolumes", "did you mean \"persistentvolumes\"?");
        assertThat(admin.get(WORLD + "?at=999999999").code()).isEqualTo(400);
        assertThat(admin.post(WORLD, "{}").code()).isEqualTo(405);
    }

    @Test
    void world_confidentialResources_areRefusedEvenToAdmins() {
        tenants.createNamespace("safe");
        admin.post(in("safe", "secrets"), secret("s"));
        admin.post(in("safe", "configmaps"), configMap("m", "a", VALUE));

        for (String resource : List.of("secrets", "configmaps", "cm", "tokens", "pods,secret")) {
            Reply refused = admin.get(WORLD + "?resources=" + resource);
            assertThat(refused.code()).as(resource).isEqualTo(403);
        }
        assertThat(admin.get(WORLD).text()).doesNotContain(VALUE).doesNotContain(ENCODED);
    }

    @Test
    void world_readerOfOneNamespace_hasOnlyItsObjects() {
        tenants.createNamespace("mine");
        tenants.createNamespace("theirs");
        admin.post(in("mine", "persistentvolumeclaims"), claim("data"));
        admin.post(in("theirs", "persistentvolumeclaims"), claim("data"));
        admin.post("/api/v1/persistentvolumes", volume("shared-pv"));
        ApiUnderTest viewer =
                admin.withToken(admin.createToken("mine-viewer", "'role':'view','namespaces':['mine','absent']"));
        long revision = admin.revision();

        for (String query : List.of("", "?at=" + revision, "?at=" + (revision - 1))) {
            assertThat(keys(viewer.get(WORLD + query)))
                    .contains("PersistentVolumeClaim/mine/data", "Namespace/mine", "PersistentVolume/shared-pv")
                    .allMatch(key -> !key.startsWith("PersistentVolumeClaim/") || key.contains("/mine/"))
                    .allMatch(key -> !key.startsWith("Namespace/") || key.equals("Namespace/mine"))
                    .noneMatch(key -> key.startsWith("DesiredVolume/") || key.startsWith("VolumeAttachment/"));
        }
        assertThat(viewer.get(WORLD + "?resources=desiredvolumes").code()).isEqualTo(403);
        ApiUnderTest stranger = tenants.editor("mine-none", "absent");
        assertThat(keys(stranger.get(WORLD)))
                .allMatch(key -> key.startsWith("PersistentVolume/")
                        || key.startsWith("Node/")
                        || key.startsWith("StorageClass/"));
    }

    @Test
    void world_namespaceOfFormerTenant_isHiddenFromItsSuccessor() {
        tenants.createNamespace("flat");
        admin.post(in("flat", "persistentvolumeclaims"), claim("former"));
        long former = admin.revision();
        tenants.removeNamespace("flat");
        tenants.createNamespace("flat");
        admin.post(in("flat", "persistentvolumeclaims"), claim("current"));
        ApiUnderTest tenant = tenants.editor("flat2", "flat");
        ApiUnderTest viewer = admin.withToken(admin.createToken("flat-viewer", "'role':'view'"));

        for (ApiUnderTest user : List.of(tenant, viewer)) {
            assertThat(keys(user.get(WORLD + "?at=" + former))).noneMatch(key -> key.contains("flat"));
            assertThat(keys(user.get(WORLD))).contains("PersistentVolumeClaim/flat/current", "Namespace/flat");
        }
        assertThat(keys(admin.get(WORLD + "?at=" + former))).contains("PersistentVolumeClaim/flat/former");
    }

    @Test
    void world_nodes_mayNotReadThePast() {
        ApiUnderTest node = admin.withToken(admin.createToken("n7", "'role':'node'"));

        assertThat(node.get(WORLD + "?at=1").code()).isEqualTo(403);
        assertThat(keys(node.get(WORLD))).allMatch(key -> key.startsWith("StorageClass/"));
        assertThat(node.get(WORLD + "?resources=pods,nodes").code()).isEqualTo(403);
    }

    @Test
    void world_gzip_hasSameContent() throws Exception {
        tenants.createNamespace("many");
        String padding = "x".repeat(2000);
        for (int i = 0; i < 100; i++) {
            admin.post(
                    in("many", "persistentvolumeclaims"),
                    claim("c" + i).replace("'name'", "'annotations':{'padding':'" + padding + "'},'name'"));
        }
        String path = WORLD + "?resources=pvc&at=" + admin.revision();

        HttpResponse<InputStream> packed = admin.client()
                .send(
                        admin.request("GET", path, "", "Accept-Encoding", "gzip"),
                        HttpResponse.BodyHandlers.ofInputStream());

        assertThat(packed.headers().firstValue("Content-Encoding")).contains("gzip");
        try (InputStream body = new GZIPInputStream(packed.body())) {
            assertThat(ApiUnderTest.JSON.readTree(body))
                    .isEqualTo(admin.get(path).body());
        }
    }

    /** Differences as {@code change kind/namespace/name}. */
    private static List<String> changes(Reply diff) {
        assertThat(diff.code()).as(diff.text()).isEqualTo(200);
        List<String> changes = new ArrayList<>();
        for (JsonNode item : diff.body().path("items")) {
            String namespace = item.path("namespace").asText();
            changes.add(item.path("change").asText()
                    + ' '
                    + item.path("kind").asText()
                    + '/'
                    + (namespace.isEmpty() ? "" : namespace + '/')
                    + item.path("name").asText());
        }
        return changes;
    }

    @Test
    void diff_namesCreatedUpdatedAndDeletedObjects() {
        tenants.createNamespace("shop");
        // No controller changes ServiceAccounts, so that the test makes all changes.
        String accounts = in("shop", "serviceaccounts");
        admin.post(accounts, account("kept"));
        admin.post(accounts, account("gone"));
        long from = admin.revision();
        admin.mergePatch(accounts + "/kept", "{'metadata':{'labels':{'tier':'gold'}}}");
        admin.delete(accounts + "/gone");
        admin.post(accounts, account("made"));
        admin.post(in("shop", "secrets"), secret("s"));
        admin.post(in("shop", "configmaps"), configMap("m", "a", VALUE));
        long to = admin.revision();
        admin.mergePatch(accounts + "/kept", "{'metadata':{'labels':{'tier':'iron'}}}");

        Reply diff = admin.get(DIFF + "?from=" + from + "&to=" + to + "&namespace=shop&resources=sa");

        assertThat(diff.body().path("kind").asText()).isEqualTo("WorldDiff");
        assertThat(diff.body().at("/from/revision").asLong()).isEqualTo(from);
        assertThat(diff.body().at("/to/revision").asLong()).isEqualTo(to);
        assertThat(Instant.parse(diff.body().at("/from/time").asText()))
                .isBeforeOrEqualTo(Instant.parse(diff.body().at("/to/time").asText()));
        assertThat(changes(diff))
                .containsExactly(
                        "deleted ServiceAccount/shop/gone",
                        "updated ServiceAccount/shop/kept",
                        "created ServiceAccount/shop/made");
        JsonNode kept = diff.body().path("items").get(1);
        assertThat(kept.path("resource").asText()).isEqualTo("serviceaccounts");
        assertThat(kept.path("uid").asText()).isNotEmpty();
        assertThat(kept.path("summary").asText()).contains("tier", "gold");
        assertThat(kept.path("fields").toString()).contains("{\"path\":\"metadata.labels.tier\",\"to\":\"gold\"}");
        assertThat(kept.path("patch").toString())
                .isEqualTo("[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"tier\":\"gold\"}}]");
        assertThat(kept.has("before")).isFalse();
        Reply full = admin.get(DIFF + "?view=full&resources=sa&from=" + from + "&to=" + to);
        assertThat(full.text()).contains("\"before\":{", "\"after\":{").doesNotContain("managedFields");
        for (Reply each : List.of(diff, full)) {
            assertThat(each.text()).doesNotContain(VALUE).doesNotContain(ENCODED);
        }
        assertThat(changes(admin.get(DIFF + "?from=" + to + "&to=" + from + "&resources=sa")))
                .contains("created ServiceAccount/shop/gone", "deleted ServiceAccount/shop/made");
        assertThat(changes(admin.get(DIFF + "?from=" + to + "&to=" + to))).isEmpty();
        assertThat(changes(admin.get(DIFF + "?from=" + to + "&namespace=shop&resources=sa")))
                .containsExactly("updated ServiceAccount/shop/kept");
    }

    @Test
    void diff_ofNamespace_hasItsVolumes() {
        tenants.createNamespace("bound");
        long from = admin.revision();
        admin.post(
                "/api/v1/persistentvolumes",
                volume("bound-pv").replace("'nfs'", "'claimRef':{'namespace':'bound','name':'x'},'nfs'"));
        admin.post("/api/v1/persistentvolumes", volume("other-pv"));

        assertThat(changes(admin.get(DIFF + "?from=" + from + "&namespace=bound&to=" + admin.revision())))
                .containsExactly("created PersistentVolume/bound-pv");
    }

    @Test
    void diff_invalidParameters_areRefusedWithTheNearestName() {
        tenants.createNamespace("warehouse");

        assertThat(admin.get(DIFF).message()).contains("from");
        assertThat(admin.get(DIFF).code()).isEqualTo(400);
        assertThat(admin.get(DIFF + "?from=1&to=99999999").code()).isEqualTo(400);
        assertThat(admin.get(DIFF + "?from=1&resources=secrets").code()).isEqualTo(403);
        Reply unknown = admin.get(DIFF + "?from=1&namespace=warehoose");
        assertThat(unknown.code()).isEqualTo(404);
        assertThat(unknown.message()).contains("did you mean \"warehouse\"?");
        ApiUnderTest tenant = tenants.editor("warehouse-other", "default");
        Reply hidden = tenant.get(DIFF + "?from=" + admin.revision() + "&namespace=warehouse");
        assertThat(hidden.code()).isEqualTo(404);
        assertThat(hidden.message()).doesNotContain("did you mean");
    }

    @Test
    void diff_tenant_seesNeitherOthersNorItsPredecessor() {
        tenants.createNamespace("room");
        tenants.createNamespace("next-door");
        admin.post(in("room", "persistentvolumeclaims"), claim("same"));
        admin.post(in("room", "persistentvolumeclaims"), claim("former"));
        long former = admin.revision();
        tenants.removeNamespace("room");
        tenants.createNamespace("room");
        long moved = admin.revision();
        admin.post(in("room", "persistentvolumeclaims"), claim("same"));
        admin.post(in("next-door", "persistentvolumeclaims"), claim("theirs"));
        ApiUnderTest tenant = tenants.editor("room2", "room");
        long now = admin.revision();

        for (String query : List.of("from=" + former, "from=" + former + "&to=" + now, "from=" + moved)) {
            Reply diff = tenant.get(DIFF + "?view=full&" + query);
            assertThat(changes(diff))
                    .as(query)
                    .contains("created PersistentVolumeClaim/room/same")
                    .noneMatch(change -> change.contains("next-door"));
            assertThat(diff.text()).doesNotContain("former").doesNotContain("theirs");
        }
        assertThat(changes(tenant.get(DIFF + "?from=" + now + "&to=" + former)))
                .contains("deleted PersistentVolumeClaim/room/same")
                .noneMatch(change -> change.contains("former"));
        ApiUnderTest viewer = admin.withToken(admin.createToken("room-viewer", "'role':'view'"));
        assertThat(changes(viewer.get(DIFF + "?from=" + former)))
                .contains("created PersistentVolumeClaim/next-door/theirs", "created Namespace/room")
                .noneMatch(change -> change.contains("former"));
        assertThat(changes(admin.get(DIFF + "?from=" + former)))
                .contains("deleted PersistentVolumeClaim/room/former", "updated PersistentVolumeClaim/room/same");
        ApiUnderTest node = admin.withToken(admin.createToken("n8", "'role':'node'"));
        assertThat(node.get(DIFF + "?from=" + former).code()).isEqualTo(403);
    }
}
