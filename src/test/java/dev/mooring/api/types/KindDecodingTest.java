package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Tests decoding with the schemas that Mooring serves. */
class KindDecodingTest {

    @Test
    void decode_podWithFieldsOfEveryType_hasNoFindings() {
        KindDecoder.DecodedBody pod = decode("Pod", """
            apiVersion: v1
            kind: Pod
            metadata:
              name: web
              creationTimestamp: null
              labels: {app: web}
              ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]
            spec:
              terminationGracePeriodSeconds: 5
              containers:
              - name: web
                image: nginx
                ports: [{containerPort: 80}]
                resources: {requests: {cpu: 0.5, memory: 1024Mi}}
                livenessProbe: {httpGet: {port: http, path: /}}
                readinessProbe: {tcpSocket: {port: 80}}
                env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
                volumeMounts: [{name: data, mountPath: /data}]
              volumes:
              - name: data
                persistentVolumeClaim: {claimName: data}
              - name: tmp
                emptyDir: {sizeLimit: 1Gi}
            """);

        assertThat(pod.findings()).isEmpty();
        assertThat(pod.object().at("/spec/containers/0/resources/requests").toString())
                .isEqualTo("{\"cpu\":\"500m\",\"memory\":\"1Gi\"}");
        assertThat(pod.object().at("/metadata").has("creationTimestamp")).isFalse();
    }

    @Test
    void decode_misspelledFields_reportsStrictError() {
        assertThat(decode("PersistentVolumeClaim", "spec: {accessMode: [ReadWriteOnce], volumName: x}")
                        .strictError())
                .contains("strict decoding error: unknown field \"spec.accessMode\", unknown field \"spec.volumName\"");
    }

    @Test
    void decode_stringInsteadOfList_throws() {
        assertThatThrownBy(() -> decode("PersistentVolumeClaim", "spec: {accessModes: ReadWriteOnce}"))
                .hasMessage("PersistentVolumeClaim in version \"v1\" cannot be handled as a PersistentVolumeClaim:"
                        + " json: cannot unmarshal string into Go struct field"
                        + " PersistentVolumeClaimSpec.spec.accessModes of type"
                        + " []v1.PersistentVolumeAccessMode");
    }

    private static KindDecoder.DecodedBody decode(String kind, String yaml) {
        return new KindDecoder("", "v1", Schemas.ofThisProgram().struct(kind))
                .decode(yaml.getBytes(StandardCharsets.UTF_8), KindDecoder.BodyFormat.YAML);
    }
}
