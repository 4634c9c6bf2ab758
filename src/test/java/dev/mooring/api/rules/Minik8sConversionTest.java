package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests conversion of specs in the format of Minik8s; each line is the given spec, and the converted one. */
class Minik8sConversionTest {
    @TestFactory
    Stream<DynamicTest> convertClaim_spec_isConverted() {
        return specs("""
            # of Minik8s
            {storageClassName: hostPath}                                                  => {storageClassName: hostPath, resources: {requests: {storage: 1Gi}}, accessModes: [ReadWriteOnce]}
            {storageClassName: local}                                                     => {storageClassName: local, resources: {requests: {storage: 1Gi}}, accessModes: [ReadWriteOnce]}
            {storageClassName: block}                                                     => {storageClassName: block, resources: {requests: {storage: 1Gi}}, accessModes: [ReadWriteOnce]}
            {storageClassName: nfs, resources: {requests: {storage: 3Gi}}}                => {storageClassName: nfs, resources: {requests: {storage: 3Gi}}, accessModes: [ReadWriteMany]}
            {storageClassName: nfs, accessModes: [], capacity: 2Gi}                       => {storageClassName: nfs, resources: {requests: {storage: 2Gi}}, accessModes: [ReadWriteMany]}
            {storageClassName: nfs, accessModes: [ReadOnlyMany], capacity: {storage: 2Gi}} => {storageClassName: nfs, accessModes: [ReadOnlyMany], resources: {requests: {storage: 2Gi}}}
            {storageClassName: nfs, capacity: 2Gi, resources: {requests: {storage: 3Gi}}} => {storageClassName: nfs, resources: {requests: {storage: 3Gi}}, accessModes: [ReadWriteMany]}
            {storageClassName: slow, capacity: 1073741824}                                => {storageClassName: slow, resources: {requests: {storage: 1073741824}}}
            {storageClassName: "", capacity: 2Gi}                                         => {storageClassName: "", resources: {requests: {storage: 2Gi}}}
            {capacity: 2Gi}                                                               => {resources: {requests: {storage: 2Gi}}, accessModes: [ReadWriteOnce]}
            {capacity: {storage: 2Gi}, accessModes: [ReadWriteMany]}                      => {accessModes: [ReadWriteMany], resources: {requests: {storage: 2Gi}}}
            # of Kubernetes
            {storageClassName: slow}                                                      => {storageClassName: slow}
            {}                                                                            => {}
            {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}         => {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
            # invalid, left to the schema to refuse
            {storageClassName: 7, capacity: [1Gi]}                                        => {storageClassName: 7, capacity: [1Gi]}
            {storageClassName: nfs, accessModes: x, resources: 1Gi}                       => {storageClassName: nfs, accessModes: x, resources: 1Gi}
            """, Minik8sConversion::convertClaim);
    }

    @TestFactory
    Stream<DynamicTest> convertVolume_spec_isConverted() {
        return specs("""
            # of Minik8s
            {storageClassName: hostPath, hostPath: {path: /a}}                            => {storageClassName: hostPath, hostPath: {path: /a}, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}
            {capacity: 5Gi, hostPath: {path: /a}}                                         => {capacity: {storage: 5Gi}, storageClassName: hostPath, hostPath: {path: /a}, accessModes: [ReadWriteOnce]}
            {capacity: 5Gi, nfs: {server: nas, path: /a}}                                 => {capacity: {storage: 5Gi}, storageClassName: nfs, nfs: {server: nas, path: /a}, accessModes: [ReadWriteMany]}
            {capacity: 5Gi, storageClassName: slow, nfs: {server: nas, path: /a}}         => {capacity: {storage: 5Gi}, storageClassName: slow, nfs: {server: nas, path: /a}}
            {capacity: 5, csi: {}}                                                        => {capacity: {storage: 5}, csi: {}}
            # of Kubernetes
            {hostPath: {path: /a}}                                                        => {hostPath: {path: /a}}
            {capacity: {storage: 1Gi}, nfs: {server: nas, path: /a}}                      => {capacity: {storage: 1Gi}, nfs: {server: nas, path: /a}}
            # invalid, left to the schema to refuse
            {capacity: [1Gi], storageClassName: nfs, accessModes: [ReadWriteOnce]}        => {capacity: [1Gi], storageClassName: nfs, accessModes: [ReadWriteOnce]}
            """, Minik8sConversion::convertVolume);
    }

    private static Stream<DynamicTest> specs(String table, Consumer<ObjectNode> conversion) {
        return table.lines().filter(line -> !line.startsWith("#")).map(line -> {
            String[] parts = line.split("=>", 2);
            return DynamicTest.dynamicTest(line, () -> {
                ObjectNode object = RuleCases.object("spec: " + parts[0]);
                conversion.accept(object);
                assertThat(object).isEqualTo(RuleCases.object("spec: " + parts[1]));
                conversion.accept(object);
                assertThat(object).as("second conversion").isEqualTo(RuleCases.object("spec: " + parts[1]));
            });
        });
    }
}
