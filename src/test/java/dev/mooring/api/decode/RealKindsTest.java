package dev.mooring.api.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.schema.Schemas;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The schemas of this program, as users meet them. */
class RealKindsTest {

    @Test
    void readsAPodWithEverySortOfField() {
        Decoded pod = decode("Pod", """
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
    void findsTypos() {
        assertThat(decode("PersistentVolumeClaim", "spec: {accessMode: [ReadWriteOnce], volumName: x}")
                        .strictError())
                .contains("strict decoding error: unknown field \"spec.accessMode\", unknown field \"spec.volumName\"");
    }

    @Test
    void refusesAListThatIsNone() {
        assertThatThrownBy(() -> decode("PersistentVolumeClaim", "spec: {accessModes: ReadWriteOnce}"))
                .hasMessage("PersistentVolumeClaim in version \"v1\" cannot be handled as a PersistentVolumeClaim:"
                        + " json: cannot unmarshal string into Go struct field"
                        + " PersistentVolumeClaimSpec.spec.accessModes of type"
                        + " []v1.PersistentVolumeAccessMode");
    }

    private static Decoded decode(String kind, String yaml) {
        return new Decoder("", "v1", Schemas.ofThisProgram().struct(kind))
                .decode(yaml.getBytes(StandardCharsets.UTF_8), BodyFormat.YAML);
    }
}
