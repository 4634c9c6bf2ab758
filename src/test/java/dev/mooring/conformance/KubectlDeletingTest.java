package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@code kubectl delete} in all its forms, and {@code kubectl wait}. */
final class KubectlDeletingTest extends KubectlTestCase {
    private static final int FIRST_WITH_WAIT_FOR_CREATE = 31;

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void delete_byNameLabelOrAll_removesSelectedObjects(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.ok("for name in a b c d e; do $K create secret generic $name && $K label secret $name set=some; done");
        user.ok("$K label secret c d set=other --overwrite");
        assertThat(user.ok("$K delete secret a")).isEqualTo("secret \"a\" deleted");
        assertThat(user.fails("$K delete secret a")).isEqualTo("Error from server (NotFound): secrets \"a\" not found");
        assertThat(user.ok("$K delete secret a --ignore-not-found")).isEmpty();
        assertThat(user.ok("$K delete secret b --dry-run=server")).isEqualTo("secret \"b\" deleted (server dry run)");
        assertThat(user.ok("$K delete secret b --wait=false")).isEqualTo("secret \"b\" deleted");
        assertThat(user.ok("$K delete secret -l set=other")).isEqualTo("secret \"c\" deleted\nsecret \"d\" deleted");
        assertThat(user.ok("$K delete secret --all")).isEqualTo("secret \"e\" deleted");
        assertThat(user.warned("$K get secret").err())
                .isEqualTo("No resources found in " + user.namespace() + " namespace.");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void delete_terminatingPodWithForce_removesIt(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("pod.yaml", """
            apiVersion: v1
            kind: Pod
            metadata: {name: forced}
            spec:
              nodeName: nowhere
              containers: [{name: c, image: 'busybox:1'}]
            """);
        user.ok("$K create -f pod.yaml");
        assertThat(user.ok("$K delete pod forced --wait=false")).isEqualTo("pod \"forced\" deleted");
        assertThat(user.ok("$K get pod forced --no-headers")).isEqualTo("forced 0/1 Terminating 0 <age>");
        KubectlShell.Result forced = user.warned("$K delete pod forced --grace-period=0 --force");
        assertThat(forced.out()).isEqualTo("pod \"forced\" force deleted");
        assertThat(forced.err())
                .isEqualTo("Warning: Immediate deletion does not wait for confirmation that the running resource has"
                        + " been terminated. The resource may continue to run on the cluster indefinitely.");
        assertThat(user.ok("$K get pod forced --ignore-not-found")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void delete_objectWithFinalizer_waitsUntilFinalizerIsRemoved(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.ok("$K create configmap kept");
        user.ok("$K patch cm kept -p '{\"metadata\":{\"finalizers\":[\"tests.mooring.dev/keep\"]}}'");
        KubectlShell.Result early = user.run("$K delete cm kept --timeout=1s");
        assertThat(early.code()).isEqualTo(1);
        assertThat(early.out()).isEqualTo("configmap \"kept\" deleted");
        assertThat(early.err()).isEqualTo("error: timed out waiting for the condition on configmaps/kept");
        assertThat(user.fails("$K patch cm kept --type=merge -p"
                        + " '{\"metadata\":{\"finalizers\":[\"tests.mooring.dev/keep\",\"tests.mooring.dev/more\"]}}'"))
                .contains("metadata.finalizers: Forbidden: no new finalizers can be added if the object is being"
                        + " deleted");
        try (KubectlStream waiting = user.start("$K delete cm kept --timeout=150s && echo gone")) {
            waiting.await("deleted");
            assertThat(user.ok("$K patch cm kept --type=json -p"
                            + " '[{\"op\":\"remove\",\"path\":\"/metadata/finalizers\"}]'"))
                    .isEqualTo("configmap/kept patched");
            waiting.await("^gone$");
        }
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void delete_withCascade_deletesOrOrphansDependents(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        for (String cascade : new String[] {"foreground", "background", "orphan"}) {
            String owner = "owner-" + cascade;
            String owned = "owned-" + cascade;
            user.ok("$K create configmap " + owner + " && $K create configmap " + owned);
            user.ok("$K patch cm " + owned + " -p '{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\","
                    + "\"kind\":\"ConfigMap\",\"name\":\"" + owner + "\",\"blockOwnerDeletion\":true,\"uid\":\"'"
                    + "$($K get cm " + owner + " -o jsonpath='{.metadata.uid}')'\"}]}}'");
            assertThat(user.ok("$K delete cm " + owner + " --timeout=150s --cascade=" + cascade))
                    .isEqualTo("configmap \"" + owner + "\" deleted");
        }
        assertThat(user.ok("$K get cm owned-foreground --ignore-not-found")).isEmpty();
        user.ok("$K wait --for=delete cm/owned-background --timeout=150s");
        assertThat(user.ok("$K get cm owned-orphan -o jsonpath='{.metadata.name}{.metadata.ownerReferences}'"))
                .isEqualTo("owned-orphan");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void delete_namespace_removesItsObjects(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        String full = "full-" + user.namespace();
        user.ok("$K create ns " + full + " && $K -n " + full + " create configmap inside");
        assertThat(user.ok("$K delete ns " + full + " --timeout=150s")).isEqualTo("namespace \"" + full + "\" deleted");
        assertThat(user.ok("$K get cm -A -o jsonpath='{.items[*].metadata.namespace}'"))
                .doesNotContain(full);
        assertThat(user.fails("$K -n " + full + " create configmap late"))
                .isEqualTo("error: failed to create configmap: namespaces \"" + full + "\" not found");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void wait_forConditionOrJsonPath_returnsWhenMet(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.ok("$K run awaited --image=busybox --restart=Never");
        try (KubectlStream ready = user.start("$K wait --for=condition=Ready pod/awaited --timeout=150s");
                KubectlStream running =
                        user.start("$K wait --for=jsonpath='{.status.phase}'=Running pod/awaited --timeout=150s")) {
            user.ok(
                    "$K patch pod awaited --subresource=status --type=merge -p"
                        + " '{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}'");
            ready.await("^pod/awaited condition met$");
            running.await("^pod/awaited condition met$");
        }
        assertThat(user.fails("$K wait --for=condition=Lost pod/awaited --timeout=1s"))
                .isEqualTo("error: timed out waiting for the condition on pods/awaited");
        assertThat(user.fails("$K wait --for=condition=Ready pod/missing --timeout=1s"))
                .isEqualTo("Error from server (NotFound): pods \"missing\" not found");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void wait_forDelete_returnsWhenObjectIsRemoved(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.ok("$K create configmap leaving");
        try (KubectlStream waiting = user.start("$K wait --for=delete cm/leaving --timeout=150s && echo gone")) {
            user.ok("$K delete cm leaving");
            waiting.await("^gone$");
        }
        assertThat(user.ok("$K wait --for=delete cm/leaving --timeout=150s")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void wait_forCreate_returnsWhenObjectExists(KubectlBinary kubectl) {
        assumeTrue(kubectl.minor() >= FIRST_WITH_WAIT_FOR_CREATE, "Older clients do not support --for=create");
        KubectlUser user = user(kubectl);
        // Not wait %1: a job that has ended no longer has a number.
        assertThat(user.ok("$K wait --for=create cm/coming --timeout=150s & $K create configmap coming && wait $!")
                        .lines())
                .containsExactlyInAnyOrder("configmap/coming created", "configmap/coming condition met");
    }
}
