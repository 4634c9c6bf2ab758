package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;

class ResourceQuotaControllerTest {
    private static final String QUOTA = "resourcequotas/team/q";
    private static final String WORLD = """
        {kind: ResourceQuota, metadata: {name: q, namespace: team},
         spec: {hard: {requests.storage: 10Gi, persistentvolumeclaims: 3, count/widgets.example.com: 1, secrets: 4}}}
        ---
        {kind: PersistentVolumeClaim, metadata: {name: a, namespace: team}, spec: {resources: {requests: {storage: 1Gi}}}}
        ---
        {kind: PersistentVolumeClaim, metadata: {name: b, namespace: other}, spec: {resources: {requests: {storage: 1Gi}}}}
        """;

    private final ControllerFixture run = new ControllerFixture(new ResourceQuotaController(), WORLD).settle();

    private String status() {
        return WorldFixture.tree(run.world(), QUOTA).path("status").toString();
    }

    @Test
    void status_hasLimitsAndUse_withoutNamesThatCannotBeMeasured() {
        assertThat(run.takeEvents()).containsExactly("ResourceQuotaStatusUpdated " + QUOTA);
        assertThat(status())
                .isEqualTo(
                        "{\"hard\":{\"count/widgets.example.com\":\"1\",\"persistentvolumeclaims\":\"3\","
                            + "\"requests.storage\":\"10Gi\",\"secrets\":\"4\"},"
                            + "\"used\":{\"persistentvolumeclaims\":\"1\",\"requests.storage\":\"1Gi\",\"secrets\":\"0\"}}");
    }

    @Test
    void objectsOfNamespaceChange_statusFollows() {
        run.takeEvents();
        run.put("{kind: PersistentVolumeClaim, metadata: {name: c, namespace: team},"
                        + " spec: {resources: {requests: {storage: 512Mi}}}}")
                .settle();
        assertThat(status()).contains("\"persistentvolumeclaims\":\"2\",\"requests.storage\":\"1536Mi\"");
        run.remove("persistentvolumeclaims/team/a").settle();
        assertThat(status()).contains("\"persistentvolumeclaims\":\"1\",\"requests.storage\":\"512Mi\"");
        assertThat(run.takeEvents()).hasSize(2);
    }

    @Test
    void objectOfOtherNamespace_costsNoReconcile() {
        int before = run.reconciles();
        run.put("{kind: PersistentVolumeClaim, metadata: {name: c, namespace: other}}")
                .settle();
        assertThat(run.reconciles()).isEqualTo(before);
    }
}
