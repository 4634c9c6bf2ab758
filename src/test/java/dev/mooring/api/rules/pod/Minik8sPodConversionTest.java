package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class Minik8sPodConversionTest {
    /** Each line: fields added to a Pod, a JSON pointer, and the value there after conversion. */
    @TestFactory
    Stream<DynamicTest> normalize_fieldsOfMinik8s_areConverted() {
        return """
            spec {volumes: [{name: v, type: pvc, claimName: x}]} => /spec/volumes/0 => {"name":"v","persistentVolumeClaim":{"claimName":"x"}}
            spec {volumes: [{name: v, type: pvc, claimName: x, readOnly: true}]} => /spec/volumes/0 => {"name":"v","persistentVolumeClaim":{"claimName":"x","readOnly":true}}
            spec {volumes: [{name: v, type: pvc}]} => /spec/volumes/0 => {"name":"v","persistentVolumeClaim":{}}
            spec {volumes: [{name: v, type: hostPath, path: /d}]} => /spec/volumes/0 => {"name":"v","hostPath":{"path":"/d"}}
            spec {volumes: [{name: v, type: nfs, server: s, path: /d}]} => /spec/volumes/0 => {"name":"v","nfs":{"server":"s","path":"/d"}}
            spec {volumes: [{name: v, type: emptyDir}]} => /spec/volumes/0 => {"name":"v","emptyDir":{}}
            spec {volumes: [{name: v, hostPath: /d}]} => /spec/volumes/0 => {"name":"v","hostPath":{"path":"/d"}}
            spec {volumes: [{name: v, persistentVolumeClaim: x}]} => /spec/volumes/0 => {"name":"v","persistentVolumeClaim":{"claimName":"x"}}
            spec {volumes: [{name: v, type: odd, path: /d}]} => /spec/volumes/0 => {"name":"v","type":"odd","path":"/d"}
            spec {volumes: [{name: v, type: pvc, claimName: x, emptyDir: {}}]} => /spec/volumes/0 => {"name":"v","type":"pvc","claimName":"x","emptyDir":{}}
            spec {volumes: [{name: v, type: 7}, 8, null]} => /spec/volumes => [{"name":"v","type":7},8,null]
            spec {volumes: pvc} => /spec/volumes => "pvc"
            container {volumeMounts: [{name: v, bind: /d, mode: ro}]} => /spec/containers/0/volumeMounts/0 => {"name":"v","mountPath":"/d","readOnly":true}
            init {volumeMounts: [{name: v, bind: /d, mode: rw}]} => /spec/initContainers/0/volumeMounts/0 => {"name":"v","mountPath":"/d","readOnly":false}
            container {volumeMounts: [{name: v, bind: /d, mode: odd}]} => /spec/containers/0/volumeMounts/0 => {"name":"v","mode":"odd","mountPath":"/d"}
            container {volumeMounts: [{name: v, mountPath: /e, bind: /d}]} => /spec/containers/0/volumeMounts/0 => {"name":"v","mountPath":"/e","bind":"/d"}
            pod {spec: 5} => /spec => 5
            """.lines().map(line -> line.split(" => ", -1)).map(parts -> DynamicTest.dynamicTest(parts[0], () -> {
            ObjectNode pod = PodRuleCases.pod(parts[0]);
            new PodRules().normalize(pod);
            assertThat(pod.at(parts[1]).toString()).isEqualTo(parts[2]);
        }));
    }
}
