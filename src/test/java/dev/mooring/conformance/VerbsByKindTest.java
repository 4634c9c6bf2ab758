package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.model.Scope;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests behaviour of the API that only some kinds have. */
class VerbsByKindTest {
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    private static final String EVENTS = "/api/v1/namespaces/default/events";

    @TempDir
    private Path data;

    @Test
    void lease_renewed_isVisibleWithoutNewRevision() {
        // Controllers and node would raise the revision, too.
        try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("without", "control,node"))) {
            assertThat(api.post(LEASES, lease("a", "2026-01-01T00:00:00.000000Z"))
                            .code())
                    .isEqualTo(201);
            long before = api.revision();

            Reply renewed = api.put(LEASES + "/l", lease("a", "2026-01-01T00:00:10.000000Z"));

            assertThat(renewed.code()).isEqualTo(200);
            assertThat(api.revision()).isEqualTo(before);
            assertThat(renewTime(api.get(LEASES + "/l"))).isEqualTo("2026-01-01T00:00:10.000000Z");
            assertThat(api.get(LEASES).body().at("/items/0/spec/renewTime").asText())
                    .isEqualTo("2026-01-01T00:00:10.000000Z");

            assertThat(api.put(LEASES + "/l", lease("b", "2026-01-01T00:00:20.000000Z"))
                            .revision())
                    .as("revision of a new holder")
                    .isGreaterThan(before);
            assertThat(renewTime(api.get(LEASES + "/l"))).isEqualTo("2026-01-01T00:00:20.000000Z");
        }
    }

    @Test
    void namespace_finalizedWithoutControllers_isDeleted() {
        try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("without", "control"))) {
            api.post("/api/v1/namespaces", ApiUnderTest.namespace("stuck"));
            api.delete("/api/v1/namespaces/stuck");
            Reply stuck = api.get("/api/v1/namespaces/stuck");
            assertThat(stuck.body().at("/status/phase").asText()).isEqualTo("Terminating");

            Reply updated = api.put("/api/v1/namespaces/stuck", withoutFinalizers(stuck));
            assertThat(updated.code()).isEqualTo(200);
            assertThat(api.get("/api/v1/namespaces/stuck").code())
                    .as("an ordinary update does not remove finalizers")
                    .isEqualTo(200);

            assertThat(api.put("/api/v1/namespaces/stuck/finalize", withoutFinalizers(stuck))
                            .code())
                    .isEqualTo(200);
            assertThat(api.get("/api/v1/namespaces/stuck").code()).isEqualTo(404);
        }
    }

    @Test
    void event_afterItsTtl_isDeletedAndStaysInHistory() throws IOException {
        try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("events.ttl", "1s"))) {
            Reply created = api.post(
                    EVENTS,
                    "{'metadata':{'name':'e'},'involvedObject':{'kind':'Pod','namespace':'default','name':'p'},"
                            + "'reason':'Tested','message':'m','type':'Normal'}");
            assertThat(created.code()).isEqualTo(201);
            long deadline = System.nanoTime() + 90_000_000_000L;
            while (api.get(EVENTS + "/e").code() != 404) {
                assertThat(System.nanoTime()).as("deleted in time").isLessThan(deadline);
            }

            assertThat(api.get(EVENTS + "/e?at=" + created.revision()).code()).isEqualTo(200);
        }
    }

    @Test
    void serverStarts_areCountedInOneEvent() {
        for (int start = 1; start <= 2; start++) {
            try (ApiUnderTest api = ApiUnderTest.start(data, Map.of("without", "control,node"))) {
                long deadline = System.nanoTime() + 90_000_000_000L;
                while (count(api) != start) {
                    assertThat(System.nanoTime()).as("counted in time").isLessThan(deadline);
                }
                assertThat(api.server().stateStore().ledger().world().count(Scope.resource("events")))
                        .isEqualTo(1);
            }
        }
    }

    private static int count(ApiUnderTest api) {
        return api.get(EVENTS).body().at("/items/0/count").asInt(0);
    }

    @Test
    void builtInClass_deletedByUser_isNotRecreatedAtNextStart() {
        String nfs = "/apis/storage.k8s.io/v1/storageclasses/nfs";
        try (ApiUnderTest api = ApiUnderTest.start(data)) {
            assertThat(api.delete(nfs).code()).isEqualTo(200);
        }
        try (ApiUnderTest api = ApiUnderTest.start(data)) {
            assertThat(api.get(nfs).code()).isEqualTo(404);
            assertThat(api.get("/apis/storage.k8s.io/v1/storageclasses/hostPath")
                            .code())
                    .isEqualTo(200);
        }
    }

    private static String lease(String holder, String renewed) {
        return "{'metadata':{'name':'l'},'spec':{'holderIdentity':'" + holder
                + "','leaseDurationSeconds':15,'renewTime':'" + renewed + "'}}";
    }

    private static String renewTime(Reply lease) {
        return lease.body().at("/spec/renewTime").asText();
    }

    private static String withoutFinalizers(Reply namespace) {
        return namespace.text().replace("\"finalizers\":[\"kubernetes\"]", "\"finalizers\":[]");
    }
}
