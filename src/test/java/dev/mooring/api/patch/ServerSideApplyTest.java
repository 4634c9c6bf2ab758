package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.Schemas;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests server-side apply to kinds that Mooring serves, as kubectl uses it. */
class ServerSideApplyTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final FieldManager CONFIG_MAPS =
            new FieldManager(Schemas.ofThisProgram().struct("ConfigMap"), "v1");
    private static final FieldManager CLAIMS =
            new FieldManager(Schemas.ofThisProgram().struct("PersistentVolumeClaim"), "v1");
    private static final FieldManager CLASSES =
            new FieldManager(Schemas.ofThisProgram().struct("StorageClass"), "storage.k8s.io/v1");

    private static ObjectNode configMap(String data) {
        return SampleKind.json(
                "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'ssa', namespace: 'team'}, data: " + data
                        + "}");
    }

    private static ApplyResult apply(
            ObjectNode live, ObjectNode configuration, String managerName, FieldManager.Force force) {
        return CONFIG_MAPS.apply(
                Optional.ofNullable(live), configuration, Manager.of(managerName, "v1"), force, NOON.plusSeconds(60));
    }

    private static ObjectNode merged(ApplyResult applied) {
        assertThat(applied).isInstanceOf(ApplyResult.Merged.class);
        return ((ApplyResult.Merged) applied).object();
    }

    private static JsonNode managed(ObjectNode object) {
        return object.path("metadata").path("managedFields");
    }

    @Test
    void apply_fieldOfAnotherManager_conflictsUnlessForced() {
        ObjectNode live = merged(apply(null, configMap("{a: '1'}"), "kubectl", FieldManager.Force.NO));
        ApplyResult applied = apply(live, configMap("{a: '2'}"), "other", FieldManager.Force.NO);
        assertThat(applied).isInstanceOfSatisfying(ApplyResult.Conflicted.class, conflicted -> {
            assertThat(conflicted.message())
                    .isEqualTo("Apply failed with 1 conflict: conflict with \"kubectl\": .data.a");
            assertThat(conflicted.conflicts()).containsExactly(new ApplyResult.FieldConflict("\"kubectl\"", ".data.a"));
            assertThat(conflicted.conflicts().get(0).message()).isEqualTo("conflict with \"kubectl\"");
        });
        ObjectNode forced = merged(apply(live, configMap("{a: '2'}"), "other", FieldManager.Force.YES));
        assertThat(forced.at("/data/a").asText()).isEqualTo("2");
        assertThat(managed(forced)).hasSize(1);
        assertThat(managed(forced).get(0).path("manager").asText()).isEqualTo("other");
    }

    @Test
    void apply_objectDoesNotExist_createsIt() {
        ObjectNode created = merged(apply(null, configMap("{a: '1'}"), "kubectl", FieldManager.Force.NO));
        assertThat(created).hasToString(SampleKind.json("""
            {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'ssa', namespace: 'team', managedFields: [
              {manager: 'kubectl', operation: 'Apply', apiVersion: 'v1', time: '2026-01-31T12:01:00Z', fieldsType: 'FieldsV1',
               fieldsV1: {'f:data': {'f:a': {}}}}]}, data: {a: '1'}}\
            """).toString());
    }

    @Test
    void apply_configurationWithManagedFields_isRejected() {
        ObjectNode configuration = configMap("{a: '1'}");
        configuration.withObject("/metadata").putArray("managedFields");
        assertThat(apply(null, configuration, "kubectl", FieldManager.Force.NO))
                .isEqualTo(new ApplyResult.Rejected(400, "metadata.managedFields must be nil"));
    }

    @Test
    void apply_otherKindOrVersion_isRejected() {
        ObjectNode configuration = configMap("{a: '1'}").put("kind", "Secret");
        assertThat(apply(null, configuration, "kubectl", FieldManager.Force.NO))
                .isEqualTo(new ApplyResult.Rejected(400, "invalid object type: /v1, Kind=Secret"));
        ApplyResult applied = CLASSES.apply(
                Optional.empty(),
                SampleKind.json("{apiVersion: 'storage.k8s.io/v1beta1', kind: 'StorageClass', metadata: {name: 'x'}}"),
                Manager.of("kubectl", "storage.k8s.io/v1"),
                FieldManager.Force.NO,
                NOON);
        assertThat(applied)
                .isEqualTo(new ApplyResult.Rejected(
                        400, "invalid object type: storage.k8s.io/v1beta1, Kind=StorageClass"));
    }

    @Test
    void apply_undecodableStoredManagedFields_isRejectedWithReason() {
        ObjectNode live = configMap("{a: '1'}");
        live.withObject("/metadata").setAll(SampleKind.json("{managedFields: [{operation: 'Apply'}]}"));
        assertThat(apply(live, configMap("{a: '1'}"), "kubectl", FieldManager.Force.NO))
                .isEqualTo(
                        new ApplyResult.Rejected(500, "failed to decode managed fields: apiVersion must not be empty"));
    }

    @Test
    void apply_undeclaredField_isOwnedAsAWhole() {
        ObjectNode configuration = configMap("{a: '1'}");
        configuration.set("strange", SampleKind.json("{x: {y: 1}}"));
        ObjectNode live = merged(apply(null, configuration, "one", FieldManager.Force.NO));
        assertThat(managed(live).get(0).path("fieldsV1"))
                .hasToString(SampleKind.json("{'f:data': {'f:a': {}}, 'f:strange': {}}")
                        .toString());
        configuration.set("strange", SampleKind.json("{x: {z: 1}}"));
        assertThat(apply(live, configuration, "two", FieldManager.Force.NO))
                .isEqualTo(new ApplyResult.Conflicted(List.of(new ApplyResult.FieldConflict("\"one\"", ".strange"))));
    }

    @Test
    void apply_configurationWithStatus_changesStatusOnlyThroughSubresource() {
        ObjectNode live = SampleKind.json("""
            {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data', creationTimestamp: '2026-01-31T12:00:00Z'},
             spec: {accessModes: ['ReadWriteOnce']}, status: {phase: 'Bound'}}\
            """);
        CLAIMS.recordCreate(live, Manager.of("kubectl-create", "v1"), NOON);
        ObjectNode configuration = SampleKind.json("""
            {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data', creationTimestamp: null},
             spec: {accessModes: ['ReadWriteOnce']}, status: {phase: 'Lost'}}\
            """);
        ObjectNode applied = merged(CLAIMS.apply(
                Optional.of(live), configuration, Manager.of("kubectl", "v1"), FieldManager.Force.NO, NOON));
        assertThat(applied.path("status")).isEqualTo(live.path("status"));
        assertThat(applied.at("/metadata/creationTimestamp")).isEqualTo(live.at("/metadata/creationTimestamp"));
        assertThat(managed(applied).get(0).path("fieldsV1")).hasToString("{\"f:spec\":{\"f:accessModes\":{}}}");
        ApplyResult ofStatus = CLAIMS.apply(
                Optional.of(live), configuration, new Manager("one", "status", "v1"), FieldManager.Force.NO, NOON);
        assertThat(merged(ofStatus).at("/status/phase").asText()).isEqualTo("Lost");
    }

    @Test
    void applyStatus_conditionOfAnotherManager_conflictsByType() {
        ObjectNode live = SampleKind.json("""
            {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data'},
             status: {conditions: [{type: 'Resizing', status: 'True'}]}}\
            """);
        Manager controller = new Manager("mooring", "status", "v1");
        CLAIMS.recordCreate(live, controller, NOON);
        ObjectNode configuration = SampleKind.json("""
            {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data'},
             status: {conditions: [{type: 'Resizing', status: 'False'}, {type: 'Ready', status: 'True'}]}}\
            """);
        ApplyResult applied = CLAIMS.apply(
                Optional.of(live), configuration, new Manager("one", "status", "v1"), FieldManager.Force.NO, NOON);
        assertThat(((ApplyResult.Conflicted) applied).message())
                .isEqualTo(
                        "Apply failed with 1 conflict: conflict with \"mooring\" with subresource \"status\" using v1:"
                                + " .status.conditions[type=\"Resizing\"].status");
    }

    @Test
    void apply_objectOfClientSideApply_takesOverItsFields() {
        ObjectNode live = configMap("{a: '1', b: '2'}");
        live.withObject("/metadata/annotations")
                .put(
                        LAST_APPLIED,
                        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"a\":\"1\",\"b\":\"old\"}}");
        CONFIG_MAPS.recordCreate(live, Manager.of("kubectl-client-side-apply", "v1"), NOON);

        ObjectNode applied = merged(apply(live, configMap("{a: '<3>'}"), "kubectl", FieldManager.Force.NO));
        assertThat(applied.at("/data/a").asText()).isEqualTo("<3>");
        assertThat(applied.path("metadata")
                        .path("annotations")
                        .path(LAST_APPLIED)
                        .asText())
                .isEqualTo("{\"apiVersion\":\"v1\",\"data\":{\"a\":\"\\u003c3\\u003e\"},\"kind\":\"ConfigMap\","
                        + "\"metadata\":{\"name\":\"ssa\",\"namespace\":\"team\"}}\n");

        assertThat(apply(live, configMap("{a: '3', b: '3'}"), "kubectl", FieldManager.Force.NO))
                .isEqualTo(new ApplyResult.Conflicted(
                        List.of(new ApplyResult.FieldConflict("\"kubectl-client-side-apply\" using v1", ".data.b"))));
        assertThat(apply(live, configMap("{a: '3'}"), "other", FieldManager.Force.NO))
                .isInstanceOf(ApplyResult.Conflicted.class);
    }

    @Test
    void apply_doesNotModifyItsArguments() {
        ObjectNode live = merged(apply(null, configMap("{a: '1', b: '2'}"), "one", FieldManager.Force.NO));
        ObjectNode configuration = configMap("{a: '2'}");
        String before = live + " " + configuration;
        ObjectNode applied = merged(apply(live, configuration, "one", FieldManager.Force.NO));
        applied.withObject("/data").put("c", "3");
        assertThat(live + " " + configuration).isEqualTo(before);
    }

    @Test
    void apply_sameValueAsAnotherManager_addsOwnerOnly() {
        ObjectNode live = merged(apply(null, configMap("{a: '1'}"), "one", FieldManager.Force.NO));
        ApplyResult applied = CONFIG_MAPS.apply(
                Optional.of(live),
                configMap("{a: '1'}"),
                Manager.of("two", "v1"),
                FieldManager.Force.NO,
                NOON.plusSeconds(120));
        assertThat(((ApplyResult.Merged) applied).changed()).isTrue();
        assertThat(managed(merged(applied))).hasSize(2);
        assertThat(managed(merged(applied)).get(0)).isEqualTo(managed(live).get(0));
        assertThat(managed(merged(applied)).get(1).path("time").asText()).isEqualTo("2026-01-31T12:02:00Z");
    }
}
