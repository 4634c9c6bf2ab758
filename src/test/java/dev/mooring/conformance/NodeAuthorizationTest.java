package dev.mooring.conformance;

import static dev.mooring.conformance.NodeIdentitiesFixture.A;
import static dev.mooring.conformance.NodeIdentitiesFixture.ATTACHMENTS;
import static dev.mooring.conformance.NodeIdentitiesFixture.MOORING;
import static dev.mooring.conformance.NodeIdentitiesFixture.PV;
import static dev.mooring.conformance.NodeIdentitiesFixture.VALUE;
import static dev.mooring.conformance.NodeIdentitiesFixture.assertDone;
import static dev.mooring.conformance.NodeIdentitiesFixture.assertForbidden;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a node may read with its token, over HTTPS. */
@Timeout(180)
class NodeAuthorizationTest {
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                A + "/secrets/volumeN",
                A + "/secrets/projectedN",
                A + "/secrets/envN",
                A + "/secrets/envfromN",
                A + "/secrets/pullN",
                A + "/configmaps/envN",
                A + "/serviceaccounts/accountN",
                A + "/persistentvolumeclaims/claimN",
                PV + "/pvN",
                A + "/pods/pN",
                MOORING + "/volumeoperations/opN",
                ATTACHMENTS + "/attachN",
                "/api/v1/nodes/nN"
            })
    void node_readsObjectsOfItsPods_forbiddenForOtherNodes(String path) {
        assertThat(n1.get(path.replace("N", "1")).code()).isEqualTo(200);
        assertThat(n2.get(path.replace("N", "2")).code()).isEqualTo(200);
        assertForbidden(n2.get(path.replace("N", "1")), path);
        String collection = path.substring(0, path.lastIndexOf('/'));
        String name = path.substring(path.lastIndexOf('/') + 1);
        String selector = collection + "?fieldSelector=metadata.name%3D" + name;
        assertThat(n1.get(selector.replace("N", "1")).body().path("items")).hasSize(1);
        for (String query : List.of("", "?fieldSelector=metadata.name!%3Dx", "?labelSelector=a")) {
            assertForbidden(n2.get(collection + query), query);
        }
        assertForbidden(n2.get(selector.replace("N", "1")), selector);
        assertForbidden(n2.get(selector.replace("N", "1") + "&watch=true"), selector);
        assertForbidden(n1.get(path.replace("N", "1") + "?at=" + (admin.revision() - 1)), path);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/pods, spec.nodeName",
        A + "/pods, spec.nodeName",
        MOORING + "/volumeoperations, spec.node",
        MOORING + "/desiredvolumes, spec.node",
        MOORING + "/actualvolumes, spec.node",
        ATTACHMENTS + ", spec.nodeName"
    })
    void node_listOrWatchWithoutItsFieldSelector_isForbidden(String path, String field) {
        String own = path + "?fieldSelector=" + field + "%3Dn2";
        Reply listed = n2.get(own);
        assertThat(listed.code()).as(listed.text()).isEqualTo(200);
        assertThat(listed.text()).doesNotContain("\"n1\"");
        try (TestWatch watch = n2.watch(own + "&timeoutSeconds=1")) {
            assertThat(watch.code()).isEqualTo(200);
        }
        for (String query : List.of(
                "", "?fieldSelector=" + field + "%3Dn1", "?fieldSelector=" + field + "!%3Dn1", "?fieldSelector=x")) {
            assertForbidden(n2.get(path + query), query);
            assertForbidden(n2.get(path + (query.isEmpty() ? "?" : query + "&") + "watch=true"), query);
        }
        assertThat(n2.get(path).message()).endsWith("with " + field + " field selector");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/secrets",
                "/api/v1/secrets?fieldSelector=metadata.name%3Dvolume2",
                "/api/v1/namespaces/a/secrets?limit=1",
                A + "/secrets/volume-other",
                A + "/secrets/missing",
                "/api/v1/namespaces",
                "/api/v1/namespaces/a",
                "/api/v1/nodes",
                A + "/events",
                "/apis/coordination.k8s.io/v1/leases",
                MOORING + "/tokens",
                A + "/pods/p2/log",
                A + "/pods/p2/exec"
            })
    void node_readsUnrelatedObject_isForbidden(String path) {
        assertForbidden(n2.get(path), path);
    }

    @Test
    void node_podWithSecretDeleted_losesAccessAndItsWatchEnds() {
        nodes.secret("passing");
        String secret = A + "/secrets/passing";
        assertForbidden(n2.get(secret), secret);
        nodes.create(
                A + "/pods",
                "{'metadata':{'name':'passing'},'spec':{'nodeName':'n2','containers':[{'name':'c','image':'i','envFrom':"
                    + "[{'secretRef':{'name':'passing'}}]}]}}");
        assertThat(n2.get(secret).text()).contains(VALUE);
        assertForbidden(n1.get(secret), secret);
        try (TestWatch watch = n2.watch(A + "/secrets?fieldSelector=metadata.name%3Dpassing")) {
            assertThat(watch.nextName()).isEqualTo("ADDED passing");
            assertDone(n2.delete(A + "/pods/passing?gracePeriodSeconds=0"));
            assertForbidden(n2.get(secret), secret);
            assertThat(watch.next().path("type").asText()).isEqualTo("ERROR");
            assertThat(watch.next().isMissingNode()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        A + "/secrets, get, volume1",
        A + "/secrets, get, volume2",
        A + "/configmaps, get, env1",
        A + "/pods, delete, p1",
        A + "/pods, delete, p2"
    })
    void accessReview_byNode_matchesAuthorizer(String collection, String verb, String name) {
        String resource = collection.substring(collection.lastIndexOf('/') + 1);
        String path = collection + "/" + name;
        Reply attempt = verb.equals("get") ? n2.get(path) : n2.delete(path + "?dryRun=All");
        Reply review = n2.post(
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                "{'spec':{'resourceAttributes':{'verb':'" + verb + "','resource':'" + resource
                        + "','namespace':'a','name':'" + name + "'}}}");
        assertThat(review.body().at("/status/allowed").asBoolean())
                .isEqualTo(attempt.code() == 200)
                .isEqualTo(name.endsWith("2"));
    }
}
