package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.Schemas;
import dev.mooring.model.JsonValues;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests managedFields of the kinds that Mooring serves. */
class FieldManagerTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00.123Z");
    private static final FieldManager CLAIMS = of("PersistentVolumeClaim");
    private static final FieldManager VOLUMES = of("PersistentVolume");
    private static final FieldManager CONFIG_MAPS = of("ConfigMap");
    private static final FieldManager PODS = of("Pod");

    private static FieldManager of(String kind) {
        return new FieldManager(Schemas.ofThisProgram().struct(kind), "v1");
    }

    private static Manager by(String name) {
        return Manager.of(name, "v1");
    }

    private static Instant minutes(int after) {
        return NOON.plusSeconds(60L * after);
    }

    private static ObjectNode claim() {
        return SampleKind.json("""
            {apiVersion: 'v1', kind: 'PersistentVolumeClaim',
             metadata: {name: 'data', namespace: 'team', uid: 'u-1', creationTimestamp: '2026-01-31T12:00:00Z',
                        labels: {app: 'web'}, finalizers: ['kubernetes.io/pvc-protection']},
             spec: {volumeMode: 'Filesystem', accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
             status: {phase: 'Pending'}}\
            """);
    }

    private static ObjectNode configMap(String data) {
        return SampleKind.json(
                "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'ssa', namespace: 'team'}, data: " + data
                        + "}");
    }

    private static JsonNode managed(ObjectNode object) {
        return object.path("metadata").path("managedFields");
    }

    /** Formats managedFields, one entry per line: manager, operation, minute, fields. */
    private static String format(ObjectNode object) {
        StringBuilder text = new StringBuilder();
        for (JsonNode entry : managed(object)) {
            text.append(entry.path("manager").asText())
                    .append(' ')
                    .append(entry.path("operation").asText())
                    .append(
                            entry.has("subresource")
                                    ? "/" + entry.path("subresource").asText()
                                    : "")
                    .append(' ')
                    .append(entry.path("time").asText("never").replaceAll("2026-01-31T(.*):00Z", "$1"))
                    .append(' ')
                    .append(entry.path("fieldsV1"))
                    .append('\n');
        }
        return text.toString().replace('"', '\'');
    }

    private static ObjectNode merged(ApplyResult applied) {
        assertThat(applied).isInstanceOf(ApplyResult.Merged.class);
        return ((ApplyResult.Merged) applied).object();
    }

    @Test
    void recordCreate_claim_writesEntryLikeKubernetes() {
        ObjectNode claim = claim();
        CLAIMS.recordCreate(claim, by("kubectl-create"), NOON);
        assertThat(managed(claim)).hasToString(SampleKind.json("""
            {m: [{manager: 'kubectl-create', operation: 'Update', apiVersion: 'v1', time: '2026-01-31T12:00:00Z',
              fieldsType: 'FieldsV1', fieldsV1: {
                'f:metadata': {'f:finalizers': {'.': {}, 'v:"kubernetes.io/pvc-protection"': {}}, 'f:labels': {'.': {}, 'f:app': {}}},
                'f:spec': {'f:accessModes': {}, 'f:resources': {'f:requests': {'.': {}, 'f:storage': {}}}, 'f:volumeMode': {}}}}]}
            """).get("m").toString());
    }

    @Test
    void recordCreate_optionalObjects_areOwnedThemselves() {
        ObjectNode volume = SampleKind.json("""
            {apiVersion: 'v1', kind: 'PersistentVolume', metadata: {name: 'pv1'},
             spec: {capacity: {storage: '1Gi'}, hostPath: {path: '/x', type: ''}, claimRef: {name: 'data', namespace: 'team'},
                    nodeAffinity: {required: {nodeSelectorTerms: [{}]}}}}\
            """);
        VOLUMES.recordCreate(volume, by("kubectl-create"), NOON);
        assertThat(managed(volume).get(0).path("fieldsV1"))
                .hasToString(SampleKind.json("""
                    {'f:spec': {'f:capacity': {'.': {}, 'f:storage': {}}, 'f:claimRef': {'.': {}, 'f:name': {}, 'f:namespace': {}},
                                'f:hostPath': {'.': {}, 'f:path': {}, 'f:type': {}}, 'f:nodeAffinity': {'.': {}, 'f:required': {}}}}
                    """).toString());
    }

    @Test
    void recordCreate_podLists_areWrittenByKey() {
        ObjectNode pod = SampleKind.json("""
            {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web', ownerReferences: [{uid: 'u', name: 'x'}]},
             spec: {containers: [{name: 'c', image: 'i', resources: {}, ports: [{containerPort: 80, protocol: 'TCP'}],
                                  volumeMounts: [{mountPath: '/data', name: 'v'}]}],
                    volumes: [{name: 'v', emptyDir: {}}], securityContext: {}}}\
            """);
        PODS.recordCreate(pod, by("kubectl-create"), NOON);
        assertThat(managed(pod).get(0).path("fieldsV1"))
                .hasToString(SampleKind.json("""
                    {'f:metadata': {'f:ownerReferences': {'.': {}, 'k:{"uid":"u"}': {}}},
                     'f:spec': {'f:containers': {'k:{"name":"c"}': {'.': {}, 'f:image': {}, 'f:name': {},
                         'f:ports': {'.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': {'.': {}, 'f:containerPort': {}, 'f:protocol': {}}},
                         'f:resources': {}, 'f:volumeMounts': {'.': {}, 'k:{"mountPath":"/data"}': {'.': {}, 'f:mountPath': {}, 'f:name': {}}}}},
                       'f:securityContext': {},
                       'f:volumes': {'.': {}, 'k:{"name":"v"}': {'.': {}, 'f:emptyDir': {}, 'f:name': {}}}}}
                    """).toString());
    }

    /** Both must agree on which objects are always present. */
    @Test
    void createdFields_pod_equalComparisonWithEmptyObject() {
        ObjectNode pod = SampleKind.json("""
            {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web'},
             spec: {containers: [{name: 'c', resources: {}}, {name: 'd', resources: {limits: {cpu: '1'}}}]}, status: {}}\
            """);
        SchemaType.Struct type = Schemas.ofThisProgram().struct("Pod");
        Comparison comparison = Comparison.of(type, JsonValues.EMPTY_OBJECT, pod, UnownedFields.serverManagedOnly());
        assertThat(FieldManager.CreatedFields.of(type, pod, UnownedFields.serverManagedOnly()))
                .hasToString(FieldsV1.encode(comparison.changed()).toString());
        assertThat(comparison.changed().has(List.of("f:spec", "f:containers"))).isFalse();
        assertThat(Comparison.of(type, pod, JsonValues.EMPTY_OBJECT, UnownedFields.serverManagedOnly())
                        .removed())
                .isEqualTo(comparison.changed());
    }

    @Test
    void recordUpdate_statusSubresource_ownsStatusFieldsOnly() {
        ObjectNode claim = claim();
        CLAIMS.recordCreate(claim, by("kubectl-create"), NOON);
        ObjectNode bound = claim.deepCopy();
        bound.withObject("/status").put("phase", "Bound");
        bound.withObject("/spec").put("volumeName", "sneaked in");
        CLAIMS.recordUpdate(claim, bound, new Manager("mooring", "status", "v1"), minutes(1));
        assertThat(format(bound)).endsWith("mooring Update/status 12:01 {'f:status':{'f:phase':{}}}\n");
        assertThat(format(bound)).startsWith("kubectl-create Update 12:00");
    }

    @Test
    void recordUpdate_statusWriteClearsManagedFields_keepsStoredOnes() {
        ObjectNode claim = claim();
        CLAIMS.recordCreate(claim, by("kubectl-create"), NOON);
        ObjectNode next = claim.deepCopy();
        next.withObject("/metadata").putArray("managedFields");
        CLAIMS.recordUpdate(claim, next, new Manager("mooring", "status", "v1"), minutes(1));
        assertThat(next).hasToString(claim.toString());
    }

    @Test
    void recordUpdate_severalManagers_refreshesTimeOfChangingManagerOnly() {
        ObjectNode first = configMap("{a: '1'}");
        CONFIG_MAPS.recordCreate(first, by("one"), NOON);
        ObjectNode second = configMap("{a: '1', b: '2'}");
        CONFIG_MAPS.recordUpdate(first, second, by("two"), minutes(1));
        ObjectNode third = configMap("{a: '3', b: '2'}");
        CONFIG_MAPS.recordUpdate(second, third, by("one"), minutes(2));
        assertThat(format(third)).isEqualTo("""
            two Update 12:01 {'f:data':{'f:b':{}}}
            one Update 12:02 {'f:data':{'.':{},'f:a':{}}}
            """);
        ObjectNode fourth = configMap("{b: '2'}");
        CONFIG_MAPS.recordUpdate(third, fourth, by("three"), minutes(3));
        assertThat(format(fourth)).isEqualTo("""
            two Update 12:01 {'f:data':{'f:b':{}}}
            one Update 12:02 {'f:data':{}}
            """);
    }

    @Test
    void recordUpdate_tooManyUpdaters_mergesTheOldest() {
        ObjectNode live = configMap("{k0: 'x'}");
        CONFIG_MAPS.recordCreate(live, by("m0"), NOON);
        for (int i = 1; i <= 11; i++) {
            ObjectNode next = live.deepCopy();
            next.withObject("/data").put("k" + i, "x");
            CONFIG_MAPS.recordUpdate(live, next, by("m" + i), minutes(i));
            live = next;
        }
        assertThat(managed(live)).hasSize(ManagedFields.MAX_UPDATERS);
        assertThat(format(live)).startsWith("""
            ancient-changes Update 12:02 {'f:data':{'.':{},'f:k0':{},'f:k1':{},'f:k2':{}}}
            m3 Update 12:03 {'f:data':{'f:k3':{}}}
            """).endsWith("m11 Update 12:11 {'f:data':{'f:k11':{}}}\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[{}]"})
    void recordUpdate_emptyManagedFieldsSent_givesUpAllFields(String sent) {
        ObjectNode live = configMap("{a: '1'}");
        CONFIG_MAPS.recordCreate(live, by("one"), NOON);
        ObjectNode next = configMap("{a: '1'}");
        next.withObject("/metadata").setAll(SampleKind.json("{managedFields: " + sent + "}"));
        CONFIG_MAPS.recordUpdate(live, next, by("one"), minutes(1));
        assertThat(next.path("metadata").has("managedFields")).isFalse();

        ObjectNode later = configMap("{a: '2'}");
        CONFIG_MAPS.recordUpdate(next, later, by("one"), minutes(2));
        assertThat(later.path("metadata").has("managedFields")).isFalse();

        ObjectNode applied = merged(CONFIG_MAPS.apply(
                Optional.of(later), configMap("{b: '3'}"), by("two"), FieldManager.Force.NO, minutes(3)));
        assertThat(format(applied)).isEqualTo("""
            two Apply 12:03 {'f:data':{'f:b':{}}}
            before-first-apply Update 12:03 {'f:data':{'.':{},'f:a':{}}}
            """);
    }

    @Test
    void recordUpdate_editedManagedFieldsSent_keepsTheEdit() {
        ObjectNode live = configMap("{a: '1'}");
        CONFIG_MAPS.recordCreate(live, by("kubectl-client-side-apply"), NOON);
        ObjectNode next = live.deepCopy();
        next.withObject("/metadata").setAll(SampleKind.json("""
            {managedFields: [{manager: 'kubectl', operation: 'Apply', apiVersion: 'v1', time: '2026-01-31T14:00:00+01:00',
              fieldsType: 'FieldsV1', fieldsV1: {'f:data': {'f:a': {}, '.': {}}}}]}\
            """));
        CONFIG_MAPS.recordUpdate(live, next, by("kubectl"), minutes(1));
        assertThat(format(next)).isEqualTo("kubectl Apply 13:00 {'f:data':{'.':{},'f:a':{}}}\n");

        ObjectNode applied = merged(CONFIG_MAPS.apply(
                Optional.of(next), configMap("{a: '2'}"), by("kubectl"), FieldManager.Force.NO, minutes(2)));
        assertThat(applied.at("/data/a").asText()).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {'x': {}}}",
                "{operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {'k:{': {}}}",
                "{operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: 'f'}",
                "{operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', time: 'noon'}",
                "{operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2'}",
                "{operation: 'Update', apiVersion: 'v1'}",
                "{operation: 'Update', fieldsType: 'FieldsV1'}",
                "{operation: 'Create', apiVersion: 'v1', fieldsType: 'FieldsV1'}"
            })
    void recordUpdate_undecodableManagedFieldsSent_keepsStoredOnes(String entry) {
        ObjectNode live = configMap("{a: '1'}");
        CONFIG_MAPS.recordCreate(live, by("one"), NOON);
        ObjectNode next = live.deepCopy();
        next.withObject("/metadata").setAll(SampleKind.json("{managedFields: [" + entry + "]}"));
        CONFIG_MAPS.recordUpdate(live, next, by("two"), minutes(1));
        assertThat(next).hasToString(live.toString());
    }

    @Test
    void recordUpdate_entryOfUnservedVersion_dropsIt() {
        ObjectNode live = configMap("{a: '1'}");
        live.withObject("/metadata").setAll(SampleKind.json("""
            {managedFields: [
              {manager: 'old', operation: 'Update', apiVersion: 'v1beta1', fieldsType: 'FieldsV1', fieldsV1: {'f:data': {'f:a': {}}}},
              {manager: 'one', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {'f:data': {'f:a': {}}}}]}\
            """));
        ObjectNode next = configMap("{a: '1', b: '2'}");
        CONFIG_MAPS.recordUpdate(live, next, by("two"), NOON);
        assertThat(format(next)).isEqualTo("""
            one Update never {'f:data':{'f:a':{}}}
            two Update 12:00 {'f:data':{'f:b':{}}}
            """);
    }

    @Test
    void recordCreate_managedFieldsSent_ignoresThem() {
        ObjectNode object = configMap("{a: '1'}");
        object.withObject("/metadata").setAll(SampleKind.json("""
            {managedFields: [{manager: 'other', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1',
              fieldsV1: {'f:data': {'f:a': {}}}}]}\
            """));
        CONFIG_MAPS.recordCreate(object, by("one"), NOON);
        assertThat(format(object)).isEqualTo("one Update 12:00 {'f:data':{'.':{},'f:a':{}}}\n");
    }

    @Test
    void managerName_notGiven_isTakenFromUserAgent() {
        assertThat(Manager.nameOf(Optional.empty(), "kubectl/v1.35.0 (linux/amd64)"))
                .isEqualTo("kubectl");
        assertThat(Manager.nameOf(Optional.of("me"), "kubectl/v1.35.0")).isEqualTo("me");
        assertThat(by("").name()).isEqualTo("unknown");
    }

    @Test
    void keepTimes_nothingElseChanged_restoresTimes() {
        ObjectNode live = configMap("{a: '1'}");
        CONFIG_MAPS.recordCreate(live, by("one"), NOON);
        ObjectNode later = configMap("{a: '1'}");
        CONFIG_MAPS.recordCreate(later, by("one"), minutes(5));
        FieldManager.keepTimesIfNothingElseChanged(live, later);
        assertThat(later).hasToString(live.toString());

        ObjectNode other = configMap("{a: '2'}");
        CONFIG_MAPS.recordCreate(other, by("one"), minutes(5));
        FieldManager.keepTimesIfNothingElseChanged(live, other);
        assertThat(format(other)).contains("12:05");
    }
}
