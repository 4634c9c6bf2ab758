package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests ResourceQuotas, RuntimeClasses and PriorityClasses with kubectl. */
final class KubectlQuotaTest extends KubectlTestCase {
    private static final String CLAIM = """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: NAME}
        spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 2Gi}}}
        """;

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void quota_createUseAndExceed_printsWhatKubernetesPrints(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("a.yaml", CLAIM.replace("NAME", "a"));
        user.write("b.yaml", CLAIM.replace("NAME", "b"));
        assertThat(user.ok("$K create quota disk --hard=requests.storage=3Gi,count/secrets=1,limits.cpu=4"))
                .isEqualTo("resourcequota/disk created");
        user.ok("$K wait --for=jsonpath='{.status.used.requests\\.storage}'=0 quota/disk");
        user.ok("$K apply -f a.yaml");
        String refused = "exceeded quota: disk, requested: requests.storage=2Gi, used: requests.storage=2Gi, limited:"
                + " requests.storage=3Gi";
        assertThat(user.fails("$K create -f b.yaml")).contains("persistentvolumeclaims \"b\" is forbidden: " + refused);
        assertThat(user.fails("$K create -f b.yaml --dry-run=server")).contains(refused);
        user.ok("$K wait --for=jsonpath='{.status.used.requests\\.storage}'=2Gi quota/disk");
        assertThat(user.ok("$K get quota"))
                .contains(
                        "NAME REQUEST LIMIT AGE", "disk count/secrets: 0/1, requests.storage: 2Gi/3Gi limits.cpu: 0/4");
        assertThat(user.ok("$K describe quota disk"))
                .contains("Resource Used Hard", "count/secrets 0 1", "requests.storage 2Gi 3Gi");
        assertThat(user.ok("$K describe ns " + user.namespace()))
                .contains("Resource Quotas", "requests.storage 2Gi 3Gi");
        user.ok("$K delete -f a.yaml");
        user.ok("$K create -f b.yaml");
        user.ok("$K delete quota disk");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void classes_areStoredAndListed(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write(
                "runtime.yaml", "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: rc-@}\nhandler: x\n");
        user.ok("$K apply -f runtime.yaml");
        assertThat(user.ok("$K get runtimeclass rc-" + user.namespace())).startsWith("NAME HANDLER AGE\nrc-");
        user.ok("$K create priorityclass high-" + user.namespace() + " --value=100 --description=x");
        assertThat(user.ok("$K get pc high-" + user.namespace()))
                .startsWith("NAME VALUE GLOBAL-DEFAULT AGE PREEMPTIONPOLICY\nhigh-")
                .contains(" 100 false ", " PreemptLowerPriority");
        user.ok("$K delete priorityclass high-" + user.namespace());
        user.ok("$K delete -f runtime.yaml");
    }
}
