package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.HistoryTenantsFixture.VALUE;
import static dev.mooring.conformance.HistoryTenantsFixture.assertSeesNothing;
import static dev.mooring.conformance.HistoryTenantsFixture.in;
import static dev.mooring.conformance.HistoryTenantsFixture.names;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests access to history as {@link HistoryAccessTest} does, on a server that keeps few events in memory. */
@Timeout(300)
class HistoryAccessMemoryTest {
    @Test
    void history_eventsNoLongerInMemory_hidesFormerTenant(@TempDir Path data) {
        try (ApiUnderTest admin = ApiUnderTest.start(data, Map.of("watch.bufferEvents", "16"))) {
            HistoryTenantsFixture tenants = new HistoryTenantsFixture(admin);
            tenants.createNamespace("t");
            long former = admin.post(in("t", "configmaps"), configMap("m", "a", VALUE))
                    .revision();
            tenants.removeNamespace("t");
            tenants.createNamespace("t");
            ApiUnderTest user = tenants.editor("small", "t");
            long own = user.post(in("t", "configmaps"), configMap("mine")).revision();
            ApiUnderTest viewer = admin.withToken(admin.createToken("small-viewer", "'role':'view'"));
            for (int i = 0; i < 40; i++) {
                admin.post(in("default", "configmaps"), configMap("filler" + i));
            }
            assertSeesNothing(user, "t", "configmaps", "m", former);
            try (TestWatch watch = user.watch(in("t", "configmaps") + "?resourceVersion=" + (own - 1));
                    TestWatch allNamespaces = viewer.watch("/api/v1/configmaps?resourceVersion=" + own)) {
                assertThat(watch.nextName()).isEqualTo("ADDED mine");
                // Memory no longer shows whether another namespace was removed since.
                assertThat(allNamespaces.code()).isEqualTo(410);
            }
            assertThat(names(user.get(in("t", "configmaps") + "?at=" + own)))
                    .contains("mine")
                    .doesNotContain("m");
            // Now the Namespace is newer than the start of its history, and memory no longer has its creation.
            admin.mergePatch("/api/v1/namespaces/t", "{'metadata':{'labels':{'a':'b'}}}");
            for (int i = 0; i < 40; i++) {
                admin.delete(in("default", "configmaps") + "/filler" + i);
            }
            assertThat(names(user.get(in("t", "configmaps") + "?at=" + own)))
                    .contains("mine")
                    .doesNotContain("m");
            assertSeesNothing(user, "t", "configmaps", "m", former);
        }
    }
}
