package dev.mooring.api.rules.pod;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class ResourceRulesTest {
    @TestFactory
    Stream<DynamicTest> resources_requestsAndLimits_areChecked() {
        return PodRuleCases.validated("""
            container {resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1000m, memory: 1024Mi}}}
            => ok

            container {resources: {limits: {memory: 1Gi}, requests: {memory: 1025Mi}}}
            => spec.containers[0].resources.requests: Invalid value: "1025Mi": must be less than or equal to memory limit of 1Gi

            container {resources: {limits: {cpu: -1}}}
            => spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0
            => spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0

            container {resources: {requests: {colour: 1}}}
            => spec.containers[0].resources.requests[colour]: Invalid value: "colour": must be a standard resource type or fully qualified
            => spec.containers[0].resources.requests[colour]: Invalid value: "colour": must be a standard resource for containers

            container {resources: {requests: {storage: 1}}}
            => spec.containers[0].resources.requests[storage]: Invalid value: "storage": must be a standard resource for containers

            container {resources: {limits: {example.com/gpu: 2}}}
            => ok

            container {resources: {limits: {example.com/gpu: 2}, requests: {example.com/gpu: 1}}}
            => spec.containers[0].resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2

            container {resources: {requests: {example.com/gpu: 500m}}}
            => spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer
            => spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources

            container {resources: {limits: {hugepages-2Mi: 4Mi, memory: 1Gi}}}
            => ok

            container {resources: {limits: {hugepages-2Mi: 3Mi}, requests: {hugepages-2Mi: 3Mi}}}
            => spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi
            => spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi
            => spec.containers[0].resources: Forbidden: HugePages require cpu or memory
            """);
    }

    @TestFactory
    Stream<DynamicTest> resources_ofPod_areChecked() {
        return PodRuleCases.validated("""
            spec {resources: {limits: {cpu: 2}}, overhead: {cpu: 10m}}
            => ok

            spec {resources: {limits: {ephemeral-storage: 1Gi}, requests: {ephemeral-storage: 1Gi}}}
            => spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"
            => spec.resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"

            spec {overhead: {cpu: -1}}
            => spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0
            """);
    }

    @TestFactory
    Stream<DynamicTest> resources_claims_mustBeDeclaredByPod() {
        return PodRuleCases.validated("""
            spec {resourceClaims: [{name: gpu, resourceClaimName: x}]}
            container {resources: {claims: [{name: gpu}]}}
            => ok

            spec {resourceClaims: [{name: gpu}, {name: gpu, resourceClaimName: x}, {resourceClaimName: x, resourceClaimTemplateName: y}]}
            => spec.resourceClaims[0]: Invalid value: {"name":"gpu"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`
            => spec.resourceClaims[1].name: Duplicate value: "gpu"
            => spec.resourceClaims[2].name: Required value
            => spec.resourceClaims[2]: Invalid value: {"resourceClaimName":"x","resourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified

            spec {resourceClaims: [{name: gpu, resourceClaimName: x}]}
            container {resources: {claims: [{name: gpu}, {name: gpu}, {name: tpu}, {}]}}
            => spec.containers[0].resources.claims[1]: Duplicate value: "gpu"
            => spec.containers[0].resources.claims[2]: Not found: "tpu"
            => spec.containers[0].resources.claims[3]: Required value
            """);
    }
}
