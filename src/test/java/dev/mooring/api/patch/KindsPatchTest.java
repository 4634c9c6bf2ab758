package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.Schemas;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests strategic merge patches of served kinds, as kubectl sends them. */
class KindsPatchTest {
    private static Stream<DynamicTest> cases(String kind, String table) {
        return PatchCases.of(
                table,
                (before, patch) -> StrategicMergePatch.apply(
                        (ObjectNode) before,
                        (ObjectNode) patch,
                        Schemas.ofThisProgram().struct(kind)));
    }

    @TestFactory
    Stream<DynamicTest> apply_podPatch_givesListedResult() {
        return cases("Pod", """
            - case: changed image
              before: {spec: {containers: [{name: a, image: busybox}, {name: b, image: busybox}]}}
              patch: {spec: {containers: [{name: b, image: busybox:2}]}}
              after: {spec: {containers: [{name: a, image: busybox}, {name: b, image: busybox:2}]}}
            - case: lists of a container
              before: {spec: {containers: [{name: a, command: [x, y], env: [{name: A, value: 1}], volumeMounts: [{mountPath: /a, name: v}], ports: [{containerPort: 80}]}]}}
              patch: {spec: {containers: [{name: a, command: [z], env: [{name: A, value: 2}, {name: B, value: 3}], volumeMounts: [{mountPath: /a, readOnly: true}], ports: [{containerPort: 80, name: web}]}]}}
              after: {spec: {containers: [{name: a, command: [z], env: [{name: A, value: 2}, {name: B, value: 3}], volumeMounts: [{mountPath: /a, name: v, readOnly: true}], ports: [{containerPort: 80, name: web}]}]}}
            - case: as kubectl apply does
              before: {spec: {containers: [{name: a, image: x}, {name: b, image: y}]}}
              patch: {spec: {$setElementOrder/containers: [{name: b}, {name: c}], containers: [{name: c, image: z}, {$patch: delete, name: a}]}}
              after: {spec: {containers: [{name: b, image: y}, {name: c, image: z}]}}
            - case: changed source of a volume
              before: {spec: {volumes: [{name: v, emptyDir: {}}, {name: w, emptyDir: {}}]}}
              patch: {spec: {$setElementOrder/volumes: [{name: v}, {name: w}], volumes: [{$retainKeys: [name, persistentVolumeClaim], name: v, persistentVolumeClaim: {claimName: c}}]}}
              after: {spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: c}}, {name: w, emptyDir: {}}]}}
            - case: tolerations are replaced
              before: {spec: {tolerations: [{key: a}]}}
              patch: {spec: {tolerations: [{key: b}]}}
              after: {spec: {tolerations: [{key: b}]}}
            - case: a condition of the status
              before: {status: {phase: Pending, conditions: [{type: PodScheduled, status: 'True'}, {type: Ready, status: 'False'}]}}
              patch: {status: {conditions: [{type: Ready, status: 'True'}]}}
              after: {status: {phase: Pending, conditions: [{type: PodScheduled, status: 'True'}, {type: Ready, status: 'True'}]}}
            - case: a container without name
              before: {spec: {containers: [{name: a}]}}
              patch: {spec: {containers: [{image: nginx}]}}
              refused: 'map: map[image:nginx] does not contain declared merge key: name'
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_claimPatch_givesListedResult() {
        return cases("PersistentVolumeClaim", """
            - case: labels
              before: {metadata: {name: data, labels: {a: b}}}
              patch: {metadata: {labels: {tier: gold, a: null}}}
              after: {metadata: {name: data, labels: {tier: gold}}}
            - case: finalizer added
              before: {metadata: {finalizers: [kubernetes.io/pvc-protection]}}
              patch: {metadata: {finalizers: [x/y]}}
              after: {metadata: {finalizers: [x/y, kubernetes.io/pvc-protection]}}
            - case: finalizer removed
              before: {metadata: {finalizers: [kubernetes.io/pvc-protection, x/y]}}
              patch: {metadata: {$deleteFromPrimitiveList/finalizers: [x/y], $setElementOrder/finalizers: [kubernetes.io/pvc-protection]}}
              after: {metadata: {finalizers: [kubernetes.io/pvc-protection]}}
            - case: no finalizers
              before: {metadata: {name: data, finalizers: [a/b]}}
              patch: {metadata: {finalizers: null}}
              after: {metadata: {name: data}}
            - case: owners by uid
              before: {metadata: {ownerReferences: [{uid: u1, name: a}, {uid: u2, name: b}]}}
              patch: {metadata: {ownerReferences: [{$patch: delete, uid: u1}]}}
              after: {metadata: {ownerReferences: [{uid: u2, name: b}]}}
            - case: a larger request
              before: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
              patch: {spec: {resources: {requests: {storage: 2Gi}}}}
              after: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_volumePatch_givesListedResult() {
        return cases("PersistentVolume", """
            - case: access modes are replaced
              before: {spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}}
              patch: {spec: {accessModes: [ReadWriteMany]}}
              after: {spec: {accessModes: [ReadWriteMany], capacity: {storage: 1Gi}}}
            - case: released for another claim
              before: {spec: {claimRef: {name: data, uid: u1}, persistentVolumeReclaimPolicy: Retain}}
              patch: {spec: {claimRef: null}}
              after: {spec: {persistentVolumeReclaimPolicy: Retain}}
            """);
    }
}
