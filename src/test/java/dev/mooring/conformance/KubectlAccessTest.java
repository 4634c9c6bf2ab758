package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@code kubectl auth}, tokens of ServiceAccounts, and the commands that administer nodes. */
final class KubectlAccessTest extends KubectlTestCase {
    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void auth_asAdmin_allowsEverything(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K auth whoami"))
                .startsWith("ATTRIBUTE VALUE\nUsername admin\n")
                .contains("system:masters");
        assertThat(user.ok("$K auth can-i delete pods")).isEqualTo("yes");
        assertThat(user.ok("$K auth can-i '*' '*'")).isEqualTo("yes");
        assertThat(user.warned("$K auth can-i create pv"))
                .isEqualTo(new KubectlShell.Result(
                        0, "yes", "Warning: resource 'persistentvolumes' is not namespace scoped"));
        assertThat(user.ok("$K auth can-i --list"))
                .startsWith("Resources Non-Resource URLs Resource Names Verbs\n*.* [] [] [*]\n");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void serviceAccount_withCreatedToken_isAuthenticated(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.ok("$K create serviceaccount robot");
        user.ok("$K create token robot --duration=10m > token");
        assertThat(user.ok("$K --token=$(cat token) auth whoami"))
                .contains("Username system:serviceaccount:" + user.namespace() + ":robot\n")
                .contains("system:serviceaccounts:" + user.namespace());
        assertThat(user.fails("$K create token missing"))
                .isEqualTo("error: failed to create token: serviceaccounts \"missing\" not found");
        assertThat(user.fails("$K --token=wrong get pods"))
                .isEqualTo("error: You must be logged in to the server (Unauthorized)");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void node_cordonedAndDrained_losesItsPods(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        String node = "node-" + user.namespace();
        user.write("node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: node-@}\n");
        user.write("pod.yaml", """
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              nodeName: node-@
              terminationGracePeriodSeconds: 0
              containers: [{name: c, image: 'busybox:1'}]
            """);
        assertThat(user.ok("$K create -f node.yaml")).isEqualTo("node/" + node + " created");
        assertThat(user.ok("$K cordon " + node)).isEqualTo("node/" + node + " cordoned");
        assertThat(user.ok("$K cordon " + node)).isEqualTo("node/" + node + " already cordoned");
        assertThat(user.ok("$K get node " + node + " --no-headers"))
                .isEqualTo(node + " Unknown,SchedulingDisabled <none> <age>");
        assertThat(user.ok("$K get node -o name --field-selector spec.unschedulable=true"))
                .isEqualTo("node/" + node);
        assertThat(user.ok("$K uncordon " + node)).isEqualTo("node/" + node + " uncordoned");
        assertThat(user.ok("$K taint node " + node + " a=b:NoSchedule")).isEqualTo("node/" + node + " tainted");

        user.ok("sed s/NAME/one/ pod.yaml | $K create -f -");
        KubectlShell.Result drained = user.warned("$K drain --force --timeout=150s " + node);
        assertThat(drained.out())
                .isEqualTo("node/@ cordoned\nevicting pod #/one\npod/one evicted\nnode/@ drained"
                        .replace("@", node)
                        .replace("#", user.namespace()));
        assertThat(drained.err())
                .isEqualTo("Warning: deleting Pods that declare no controller: " + user.namespace() + "/one");

        user.ok("sed s/NAME/two/ pod.yaml | $K create -f -");
        assertThat(user.warned("$K drain --force --disable-eviction --timeout=150s " + node)
                        .out())
                .contains("pod/two deleted");
        user.ok("$K delete node " + node);
    }
}
