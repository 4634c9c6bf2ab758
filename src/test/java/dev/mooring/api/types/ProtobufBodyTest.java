package dev.mooring.api.types;

import static dev.mooring.api.types.WireWriter.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.ProtobufException.Problem;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtobufBodyTest {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .build();

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        create cm x --from-literal=a=b | 6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a017812001a0022002a0032003800420012060a01611201621a002200 | {kind: 'ConfigMap', apiVersion: 'v1', metadata: {name: 'x'}, data: {a: 'b'}}
        create ns foo | 6b3873000a0f0a02763112094e616d657370616365121b0a130a03666f6f12001a0022002a0032003800420012001a020a001a002200 | {kind: 'Namespace', apiVersion: 'v1', metadata: {name: 'foo'}}
        create secret generic s1 | 6b3873000a0c0a0276311206536563726574121e0a120a02733112001a0022002a0032003800420012060a01611201621a001a002200 | {kind: 'Secret', apiVersion: 'v1', metadata: {name: 's1'}, data: {a: 'Yg=='}}
        create serviceaccount sa1 | 6b3873000a140a027631120e536572766963654163636f756e7412150a130a0373613112001a0022002a003200380042001a002200 | {kind: 'ServiceAccount', apiVersion: 'v1', metadata: {name: 'sa1'}}
        auth can-i create pv --subresource=status -n x | 6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374416363657373526576696577123d0a100a0012001a0022002a00320038004200121f0a1d0a017812066372656174651a0022002a02707632067374617475733a001a08080012001a0020001a002200 | {kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec: {resourceAttributes: {namespace: 'x', verb: 'create', resource: 'pv', subresource: 'status'}}}
        auth can-i get /readyz | 6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374416363657373526576696577122e0a100a0012001a0022002a003200380042001210120e0a072f72656164797a12036765741a08080012001a0020001a002200 | {kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec: {nonResourceAttributes: {path: '/readyz', verb: 'get'}}}
        auth can-i --list -n x | 6b3873000a310a17617574686f72697a6174696f6e2e6b38732e696f2f7631121653656c665375626a65637452756c6573526576696577121d0a100a0012001a0022002a0032003800420012030a01781a04180022001a002200 | {kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: {namespace: 'x'}}
        auth whoami | 6b3873000a2d0a1861757468656e7469636174696f6e2e6b38732e696f2f7631121153656c665375626a656374526576696577121a0a100a0012001a0022002a0032003800420012060a040a0012001a002200 | {kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1'}
        drain --disable-eviction | 6b3873000a130a027631120d44656c6574654f7074696f6e7312001a002200 | {kind: 'DeleteOptions', apiVersion: 'v1'}
        drain --disable-eviction --grace-period=0 | 6b3873000a130a027631120d44656c6574654f7074696f6e73120208001a002200 | {kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0}
        create token sa1 | 6b3873000a280a1861757468656e7469636174696f6e2e6b38732e696f2f7631120c546f6b656e52657175657374121a0a100a0012001a0022002a0032003800420012001a040a0012001a002200 | {kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1'}
        """)
    void decode_bodyOfKubectl_givesExpectedObject(String command, String hex, String expected)
            throws ProtobufException {
        assertThat((JsonNode) ProtobufBody.decode(CapturedBodies.bytes(hex)))
                .as(command)
                .isEqualTo(json(expected));
    }

    @Test
    void decode_configMap_readsTextBytesAndEmptyEntries() throws ProtobufException {
        assertThat((JsonNode) ProtobufBody.decode(CapturedBodies.bytes(CapturedBodies.CONFIG_MAP)))
                .isEqualTo(json("{kind: 'ConfigMap', apiVersion: 'v1', metadata: {name: 'x'}, data: {a: 'b', e: ''},"
                        + " binaryData: {bin: 'AP8='}}"));
    }

    @Test
    void decode_secret_readsTypeAndData() throws ProtobufException {
        ObjectNode secret = ProtobufBody.decode(CapturedBodies.bytes(CapturedBodies.SECRET));

        assertThat(secret.path("type").asText()).isEqualTo("kubernetes.io/dockerconfigjson");
        assertThat(secret.path("data").path(".dockerconfigjson").asText()).startsWith("eyJhdXRocyI6");
    }

    @Test
    void decode_tokenRequest_readsSpec() throws ProtobufException {
        assertThat(ProtobufBody.decode(CapturedBodies.bytes(CapturedBodies.TOKEN_REQUEST))
                        .path("spec"))
                .isEqualTo(json("{audiences: ['a1'], expirationSeconds: 600, "
                        + "boundObjectRef: {kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'uid-1'}}"));
    }

    @Test
    void decode_podWithFieldsOfEveryType_givesExpectedObject() throws ProtobufException {
        assertThat((JsonNode) ProtobufBody.decode(CapturedBodies.bytes(CapturedBodies.POD)))
                .isEqualTo(json(CapturedBodies.POD_AS_JSON));
    }

    @Test
    void decode_pod_hasKindAndApiVersionFirst() throws ProtobufException {
        assertThat(ProtobufBody.decode(CapturedBodies.bytes(CapturedBodies.POD)).properties())
                .extracting(Map.Entry::getKey)
                .startsWith("kind", "apiVersion", "metadata");
    }

    @Test
    void decode_metadata_readsAllFields() throws ProtobufException {
        WireWriter metadata = message()
                .text(1, "n")
                .text(2, "n-")
                .text(3, "ns")
                .text(4, "")
                .text(5, "uid")
                .text(6, "12")
                .number(7, 3)
                .message(8, message().number(1, 1_767_323_045))
                .message(9, message().number(1, 1_767_323_046).number(2, 5))
                .number(10, 0)
                .entry(11, "a", "b")
                .entry(11, "c", "")
                .entry(12, "x", "y")
                .message(
                        13,
                        message()
                                .text(1, "Node")
                                .text(3, "n1")
                                .text(4, "u1")
                                .text(5, "v1")
                                .number(6, 1)
                                .number(7, 0))
                .text(14, "f/1")
                .text(14, "f/2")
                .message(
                        17,
                        message()
                                .text(1, "kubectl")
                                .text(2, "Update")
                                .text(3, "v1")
                                .message(4, message().number(1, 1_767_323_045))
                                .text(6, "FieldsV1")
                                .message(7, message().text(1, "{\"f:data\":{\".\":{}}}"))
                                .text(8, "status"));

        assertThat(decode("v1", "ConfigMap", message().message(1, metadata)).path("metadata"))
                .isEqualTo(json("""
                    {name: 'n', generateName: 'n-', namespace: 'ns', uid: 'uid', resourceVersion: '12', generation: 3,
                     creationTimestamp: '2026-01-02T03:04:05Z', deletionTimestamp: '2026-01-02T03:04:06Z', deletionGracePeriodSeconds: 0,
                     labels: {a: 'b', c: ''}, annotations: {x: 'y'},
                     ownerReferences: [{kind: 'Node', name: 'n1', uid: 'u1', apiVersion: 'v1', controller: true, blockOwnerDeletion: false}],
                     finalizers: ['f/1', 'f/2'],
                     managedFields: [{manager: 'kubectl', operation: 'Update', apiVersion: 'v1', time: '2026-01-02T03:04:05Z',
                      fieldsType: 'FieldsV1', fieldsV1: {'f:data': {'.': {}}}, subresource: 'status'}]}\
                    """));
    }

    @Test
    void decode_persistentVolume_readsInlinedSource() throws ProtobufException {
        WireWriter spec = message()
                .entry(1, "storage", message().text(1, "1Gi"))
                .message(
                        2,
                        message()
                                .message(
                                        5,
                                        message().text(1, "srv").text(2, "/p").number(3, 0)))
                .text(3, "ReadWriteOnce")
                .message(
                        4,
                        message()
                                .text(1, "PersistentVolumeClaim")
                                .text(2, "team")
                                .text(3, "data"))
                .text(5, "Retain")
                .text(6, "")
                .text(8, "Block")
                .message(
                        9,
                        message()
                                .message(
                                        1,
                                        message()
                                                .message(
                                                        1,
                                                        message()
                                                                .message(
                                                                        1,
                                                                        message()
                                                                                .text(1, "k")
                                                                                .text(2, "In")
                                                                                .text(3, "v")))));
        WireWriter status = message()
                .text(1, "Bound")
                .text(2, "")
                .text(3, "")
                .message(4, message().number(1, 1_767_323_045));

        assertThat(decode("v1", "PersistentVolume", message().message(2, spec).message(3, status)))
                .isEqualTo(json("""
                    {kind: 'PersistentVolume', apiVersion: 'v1', spec: {capacity: {storage: '1Gi'}, nfs: {server: 'srv', path: '/p'},
                      accessModes: ['ReadWriteOnce'], claimRef: {kind: 'PersistentVolumeClaim', namespace: 'team', name: 'data'},
                      persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Block', nodeAffinity: {required: {nodeSelectorTerms: [
                      {matchExpressions: [{key: 'k', operator: 'In', values: ['v']}]}]}}},
                     status: {phase: 'Bound', lastPhaseTransitionTime: '2026-01-02T03:04:05Z'}}\
                    """));
    }

    @Test
    void decode_emptyStorageClassName_isKept() throws ProtobufException {
        assertThat(decode(
                                "v1",
                                "PersistentVolumeClaim",
                                message().message(2, message().text(3, "").text(5, "")))
                        .path("spec"))
                .isEqualTo(json("{storageClassName: ''}"));
    }

    @Test
    void decode_lease_keepsMicroseconds() throws ProtobufException {
        WireWriter spec = message()
                .text(1, "me")
                .number(2, 40)
                .message(4, message().number(1, 1_767_323_045).number(2, 123_456_789));

        assertThat(decode("coordination.k8s.io/v1", "Lease", message().message(2, spec))
                        .path("spec"))
                .isEqualTo(json(
                        "{holderIdentity: 'me', leaseDurationSeconds: 40, renewTime: '2026-01-02T03:04:05.123456Z'}"));
    }

    @Test
    void decode_eviction_readsDeleteOptions() throws ProtobufException {
        WireWriter options =
                message().number(1, 30).message(2, message().text(1, "uid")).text(5, "All");

        assertThat(decode(
                        "policy/v1",
                        "Eviction",
                        message().message(1, message().text(1, "p")).message(2, options)))
                .isEqualTo(json("{kind: 'Eviction', apiVersion: 'policy/v1', metadata: {name: 'p'}, "
                        + "deleteOptions: {gracePeriodSeconds: 30, preconditions: {uid: 'uid'}, dryRun: ['All']}}"));
    }

    @Test
    void decode_classAttachmentEventAndNode_giveExpectedObjects() throws ProtobufException {
        WireWriter storageClass = message()
                .text(2, "x/y")
                .entry(3, "k", "v")
                .text(4, "Retain")
                .text(5, "ro")
                .number(6, 0)
                .text(7, "Immediate");
        assertThat(decode("storage.k8s.io/v1", "StorageClass", storageClass))
                .isEqualTo(json("{kind: 'StorageClass', apiVersion: 'storage.k8s.io/v1', provisioner: 'x/y',"
                        + " parameters: {k: 'v'}, reclaimPolicy: 'Retain', mountOptions: ['ro'],"
                        + " allowVolumeExpansion: false, volumeBindingMode: 'Immediate'}"));

        WireWriter attachment = message()
                .message(
                        2,
                        message()
                                .text(1, "a")
                                .message(2, message().text(1, "pv1"))
                                .text(3, "n1"));
        assertThat(decode("storage.k8s.io/v1", "VolumeAttachment", attachment).path("spec"))
                .isEqualTo(json("{attacher: 'a', source: {persistentVolumeName: 'pv1'}, nodeName: 'n1'}"));

        WireWriter event = message()
                .message(2, message().text(1, "Pod").text(3, "p"))
                .text(3, "Why")
                .text(4, "what")
                .message(5, message().text(1, "me"))
                .number(8, 2)
                .text(9, "Normal");
        assertThat(decode("v1", "Event", event))
                .isEqualTo(json(
                        "{kind: 'Event', apiVersion: 'v1', involvedObject: {kind: 'Pod', name: 'p'}, reason: 'Why', "
                                + "message: 'what', source: {component: 'me'}, count: 2, type: 'Normal'}"));

        WireWriter node = message()
                .message(2, message().number(4, 1))
                .message(3, message().entry(1, "cpu", message().text(1, "4")));
        assertThat(decode("v1", "Node", node))
                .isEqualTo(json("{kind: 'Node', apiVersion: 'v1', spec: {unschedulable: true}, status: {capacity:"
                        + " {cpu: '4'}}}"));
    }

    @Test
    void decode_accessReview_readsListsInMap() throws ProtobufException {
        WireWriter spec =
                message().text(3, "u").entry(5, "scopes", message().text(1, "a").text(1, "b"));

        assertThat(decode(
                                "authorization.k8s.io/v1",
                                "SubjectAccessReview",
                                message().message(2, spec))
                        .path("spec"))
                .isEqualTo(json("{user: 'u', extra: {scopes: ['a', 'b']}}"));
    }

    @Test
    void decode_packedNumbers_areRead() throws ProtobufException {
        WireWriter security =
                message().bytes(4, message().raw(1, 0x80, 1, 3).bytes()).number(4, 9);

        assertThat(decode("v1", "Pod", message().message(2, message().message(14, security)))
                        .path("spec")
                        .path("securityContext"))
                .isEqualTo(json("{supplementalGroups: [1, 128, 3, 9]}"));
    }

    @Test
    void decode_repeatedMessage_mergesParts() throws ProtobufException {
        WireWriter object = message()
                .message(1, message().text(1, "first").text(3, "ns"))
                .message(1, message().text(1, "second"));

        assertThat(decode("v1", "ConfigMap", object).path("metadata"))
                .isEqualTo(json("{name: 'second', namespace: 'ns'}"));
    }

    @Test
    void decode_deleteOptionsOfAnyGroup_areRead() throws ProtobufException {
        assertThat(decode("storage.k8s.io/v1", "DeleteOptions", message().text(4, "Background"))
                        .path("propagationPolicy")
                        .asText())
                .isEqualTo("Background");
    }

    @Test
    void decode_unknownField_isUnsupported() {
        assertRefused(
                Problem.UNSUPPORTED,
                WireWriter.body(
                        "v1",
                        "PersistentVolumeClaim",
                        message().message(2, message().number(99, 1))),
                "the protobuf message PersistentVolumeClaimSpec has a field number 99 that this server does not know: "
                        + "send it as application/json");
    }

    @Test
    void decode_unknownKind_isUnsupported() {
        assertRefused(
                Problem.UNSUPPORTED,
                WireWriter.body("apps/v1beta1", "Deployment", message()),
                "this server does not read protobuf of the kind Deployment in apps/v1beta1: send it as"
                        + " application/json");
        assertRefused(
                Problem.UNSUPPORTED,
                WireWriter.body("v1", "ObjectMeta", message()),
                "this server does not read protobuf of the kind ObjectMeta in v1: send it as application/json");
    }

    @Test
    void decode_withoutMagicBytes_isMalformed() {
        String expected = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
        byte[] body = CapturedBodies.bytes(CapturedBodies.POD);

        assertRefused(Problem.MALFORMED, new byte[0], expected);
        assertRefused(Problem.MALFORMED, new byte[] {'k', '8', 's'}, expected);
        assertRefused(Problem.MALFORMED, Arrays.copyOfRange(body, 4, body.length), expected);
        assertRefused(
                Problem.MALFORMED, "{\"kind\":\"Pod\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8), expected);
    }

    @Test
    void decode_envelopeWithOtherContent_isRefused() {
        WireWriter type = message().text(1, "v1").text(2, "ConfigMap");

        assertRefused(
                Problem.UNSUPPORTED,
                WireWriter.envelope(message().message(1, type).text(2, "{}").text(4, "application/json")),
                "the protobuf envelope has content of the type application/json, which this server does not read: "
                        + "send it as application/json");
        assertRefused(
                Problem.UNSUPPORTED,
                WireWriter.envelope(message().message(1, type).text(3, "gzip")),
                "the protobuf envelope has content encoded as gzip, which this server does not read: "
                        + "send it as application/json");
        assertRefused(
                Problem.MALFORMED,
                WireWriter.envelope(message().message(1, type).number(9, 1)),
                "invalid protobuf envelope: its message Unknown has a field number 9 of wire type 0");
        assertRefused(
                Problem.MALFORMED,
                WireWriter.envelope(message().message(2, message())),
                "protobuf envelope must have apiVersion and kind, got \"\" and \"\"");
    }

    @Test
    void decode_envelopeWithProtobufContentType_isRead() throws ProtobufException {
        byte[] body = WireWriter.envelope(message()
                .message(1, message().text(1, "v1").text(2, "ConfigMap"))
                .text(4, ProtobufBody.CONTENT_TYPE));

        assertThat((JsonNode) ProtobufBody.decode(body)).isEqualTo(json("{kind: 'ConfigMap', apiVersion: 'v1'}"));
    }

    private static JsonNode decode(String apiVersion, String kind, WireWriter object) throws ProtobufException {
        return ProtobufBody.decode(WireWriter.body(apiVersion, kind, object));
    }

    private static void assertRefused(Problem problem, byte[] body, String message) {
        assertThatExceptionOfType(ProtobufException.class)
                .isThrownBy(() -> ProtobufBody.decode(body))
                .withMessage(message)
                .satisfies(refused -> assertThat(refused.problem()).isEqualTo(problem));
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("invalid JSON: " + text, e);
        }
    }
}
