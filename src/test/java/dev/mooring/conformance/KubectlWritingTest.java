package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests kubectl commands that create or change objects. */
final class KubectlWritingTest extends KubectlTestCase {
    private static final String POD = """
        apiVersion: v1
        kind: Pod
        metadata: {name: NAME, labels: {app: web}}
        spec:
          nodeName: nowhere
          containers: [{name: c, image: 'busybox:1'}, {name: d, image: 'busybox:1'}]
        """;

    private static String configMap(String name, String data) {
        return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: " + data + "\n";
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void create_fromFlags_createsObjects(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K create configmap made --from-literal=a=b")).isEqualTo("configmap/made created");
        assertThat(user.ok("$K get cm made -o jsonpath='{.data}'")).isEqualTo("{\"a\":\"b\"}");
        assertThat(user.ok("$K create secret generic made --from-literal=a=b")).isEqualTo("secret/made created");
        assertThat(user.ok("$K get secret made -o jsonpath='{.type} {.data.a}'"))
                .isEqualTo("Opaque Yg==");
        assertThat(user.ok("$K create serviceaccount made")).isEqualTo("serviceaccount/made created");
        assertThat(user.ok("$K run made --image=busybox --restart=Never -- echo hi"))
                .isEqualTo("pod/made created");
        assertThat(user.ok("$K get pod made -o jsonpath='{.spec.restartPolicy} {.spec.containers[0].args}'"))
                .isEqualTo("Never [\"echo\",\"hi\"]");
        assertThat(user.ok("$K create ns made-" + user.namespace() + " --dry-run=server"))
                .isEqualTo("namespace/made-" + user.namespace() + " created (server dry run)");
        assertThat(user.fails("$K create configmap made"))
                .isEqualTo("error: failed to create configmap: configmaps \"made\" already exists");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void apply_manifestWithUnservedKinds_reportsThemAndAppliesRest(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write(
                "set.yaml",
                configMap("before", "{a: b}")
                        + "---\n"
                        + "apiVersion: networking.k8s.io/v1\n"
                        + "kind: Ingress\n"
                        + "metadata: {name: web}\n"
                        + "spec: {}\n"
                        + "---\n"
                        + "apiVersion: v1\n"
                        + "kind: Service\n"
                        + "metadata: {name: web}\n"
                        + "spec: {type: LoadBalancer, ports: [{port: 80}]}\n"
                        + "---\n"
                        + configMap("after", "{a: b}"));
        assertThat(user.fails("$K apply -f set.yaml"))
                .contains("no matches for kind \"Ingress\" in version \"networking.k8s.io/v1\"")
                .contains("Service \"web\" is invalid: spec.type: Forbidden: Mooring offers no load balancers");
        assertThat(user.ok("$K get cm before after -o name")).isEqualTo("configmap/before\nconfigmap/after");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void create_fromFiles_createsObjects(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("two.yaml", configMap("first", "{a: b}") + "---\n" + configMap("second", "{a: b}"));
        assertThat(user.ok("$K create -f two.yaml --dry-run=server"))
                .isEqualTo("configmap/first created (server dry run)\nconfigmap/second created (server dry run)");
        assertThat(user.ok("$K get cm first second --ignore-not-found -o name")).isEmpty();
        assertThat(user.ok("$K create -f two.yaml")).isEqualTo("configmap/first created\nconfigmap/second created");
        assertThat(user.fails("$K create -f two.yaml"))
                .isEqualTo("Error from server (AlreadyExists): error when creating \"two.yaml\": configmaps \"first\""
                        + " already exists\nError from server (AlreadyExists): error when creating \"two.yaml\":"
                        + " configmaps \"second\" already exists");
        user.write("generated.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: gen-}\n");
        assertThat(user.ok("$K create -f generated.yaml -o name")).matches("configmap/gen-[a-z0-9]{5}");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void apply_changedManifest_updatesAndRemovesOnlyItsOwnFields(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("applied.yaml", configMap("applied", "{a: '1', b: '2'}"));
        assertThat(user.ok("$K apply -f applied.yaml")).isEqualTo("configmap/applied created");
        assertThat(user.ok("$K apply -f applied.yaml")).isEqualTo("configmap/applied unchanged");
        assertThat(user.ok("$K diff -f applied.yaml")).isEmpty();
        user.ok("$K patch cm applied --type=merge -p '{\"data\":{\"mine\":\"stays\"}}'");

        user.write("applied.yaml", configMap("applied", "{a: '9'}"));
        KubectlShell.Result diff = user.run("$K diff -f applied.yaml | grep '^[-+] '; exit ${PIPESTATUS[0]}");
        assertThat(diff.code()).isEqualTo(1);
        assertThat(diff.out()).isEqualTo("- a: \"1\"\n- b: \"2\"\n+ a: \"9\"");
        assertThat(user.ok("$K apply -f applied.yaml --dry-run=server"))
                .isEqualTo("configmap/applied configured (server dry run)");
        assertThat(user.ok("$K get cm applied -o jsonpath='{.data.a}'")).isEqualTo("1");
        assertThat(user.ok("$K apply -f applied.yaml")).isEqualTo("configmap/applied configured");
        assertThat(user.ok("$K get cm applied -o jsonpath='{.data}'")).isEqualTo("{\"a\":\"9\",\"mine\":\"stays\"}");
        assertThat(user.ok("$K apply view-last-applied -f applied.yaml -o json"))
                .contains("\"a\": \"9\"");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void apply_listWithKeys_mergesByKey(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("lists.yaml", POD.replace("NAME", "lists"));
        assertThat(user.ok("$K apply -f lists.yaml")).isEqualTo("pod/lists created");
        user.write(
                "lists.yaml",
                POD.replace("NAME", "lists").replace("{name: d, image: 'busybox:1'}", "{name: d, image: 'busybox:2'}"));
        assertThat(user.ok("$K apply -f lists.yaml")).isEqualTo("pod/lists configured");
        assertThat(user.ok("$K set image pod/lists c=busybox:3")).isEqualTo("pod/lists image updated");
        assertThat(user.ok("$K get pod lists -o jsonpath='{.spec.containers[*].image}'"))
                .isEqualTo("busybox:3 busybox:2");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void applyServerSide_otherManager_isConflict(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("ssa.yaml", configMap("ssa", "{a: '1', b: '2'}"));
        assertThat(user.ok("$K apply --server-side -f ssa.yaml")).isEqualTo("configmap/ssa serverside-applied");
        user.write("ssa.yaml", configMap("ssa", "{a: '9'}"));
        assertThat(user.fails("$K apply --server-side --field-manager=other -f ssa.yaml"))
                .startsWith("error: Apply failed with 1 conflict: conflict with \"kubectl\": .data.a\n");
        assertThat(user.ok("$K diff --server-side -f ssa.yaml | grep '^[-+] '"))
                .isEqualTo("- a: \"1\"\n- b: \"2\"\n+ a: \"9\"");
        assertThat(user.ok("$K apply --server-side -f ssa.yaml --dry-run=server"))
                .isEqualTo("configmap/ssa serverside-applied (server dry run)");
        assertThat(user.ok("$K get cm ssa -o jsonpath='{.data}'")).isEqualTo("{\"a\":\"1\",\"b\":\"2\"}");
        assertThat(user.ok("$K apply --server-side -f ssa.yaml")).isEqualTo("configmap/ssa serverside-applied");
        assertThat(user.ok("$K get cm ssa -o jsonpath='{.data}'")).isEqualTo("{\"a\":\"9\"}");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void apply_switchedToServerSide_takesOverManagedFields(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("moved.yaml", configMap("moved", "{a: '1', b: '2'}"));
        user.ok("$K apply -f moved.yaml");
        assertThat(user.ok("$K apply --server-side -f moved.yaml")).isEqualTo("configmap/moved serverside-applied");
        assertThat(user.ok("$K get cm moved --show-managed-fields -o"
                                + " jsonpath='{range .metadata.managedFields[*]}{.manager}={.operation}{\"\\n\"}{end}'")
                        .lines())
                .containsExactlyInAnyOrder("kubectl=Apply", "kubectl-last-applied=Apply");
        user.write("moved.yaml", configMap("moved", "{a: '1'}"));
        user.ok("$K apply --server-side -f moved.yaml");
        assertThat(user.ok("$K get cm moved -o jsonpath='{.data}'")).isEqualTo("{\"a\":\"1\"}");
        user.write("moved.yaml", configMap("moved", "{a: '3'}"));
        assertThat(user.ok("$K apply -f moved.yaml")).isEqualTo("configmap/moved configured");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void patch_eachPatchType_changesPod(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("patched.yaml", POD.replace("NAME", "patched"));
        user.ok("$K create -f patched.yaml");
        assertThat(user.ok(
                        "$K patch pod patched -p '{\"spec\":{\"containers\":[{\"name\":\"d\",\"image\":\"x:2\"}]}}'"))
                .isEqualTo("pod/patched patched");
        assertThat(user.ok("$K get pod patched -o jsonpath='{.spec.containers[*].image}'"))
                .isEqualTo("busybox:1 x:2");
        assertThat(user.ok("$K patch pod patched --type=merge -p"
                        + " '{\"metadata\":{\"labels\":{\"app\":null,\"b\":\"c\"}}}'"))
                .isEqualTo("pod/patched patched");
        assertThat(user.ok("$K patch pod patched --type=json -p"
                        + " '[{\"op\":\"test\",\"path\":\"/metadata/labels/b\",\"value\":\"c\"},"
                        + "{\"op\":\"add\",\"path\":\"/metadata/labels/d\",\"value\":\"e\"}]'"))
                .isEqualTo("pod/patched patched");
        assertThat(user.ok("$K get pod patched -o jsonpath='{.metadata.labels}'"))
                .isEqualTo("{\"b\":\"c\",\"d\":\"e\"}");
        assertThat(user.ok("$K patch pod patched -p '{\"metadata\":{\"labels\":{\"b\":\"c\"}}}'"))
                .isEqualTo("pod/patched patched (no change)");
        assertThat(user.ok("$K patch pod patched --subresource=status --type=merge -p"
                        + " '{\"status\":{\"phase\":\"Running\"}}'"))
                .isEqualTo("pod/patched patched");
        assertThat(user.ok("$K get pod patched --subresource=status -o jsonpath='{.status.phase}'"))
                .isEqualTo("Running");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void labelAndAnnotate_changeMetadata(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.ok("$K create configmap marked");
        assertThat(user.ok("$K label cm marked a=b c=d")).isEqualTo("configmap/marked labeled");
        assertThat(user.ok("$K label cm marked a=b")).isEqualTo("configmap/marked not labeled");
        assertThat(user.fails("$K label cm marked a=x"))
                .isEqualTo("error: 'a' already has a value (b), and --overwrite is false");
        assertThat(user.ok("$K label cm marked a=x c- --overwrite")).isEqualTo("configmap/marked labeled");
        assertThat(user.ok("$K label cm marked --list")).isEqualTo("a=x");
        assertThat(user.ok("$K annotate cm marked note=hello")).isEqualTo("configmap/marked annotated");
        assertThat(user.ok("$K annotate cm marked --list")).isEqualTo("note=hello");
        assertThat(user.ok("$K annotate cm marked note-")).isEqualTo("configmap/marked annotated");
        assertThat(user.fails("$K label cm marked a='x y' --overwrite")).contains("a valid label must be");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void replaceAndEdit_changeObjectUnlessManifestIsStale(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.ok("$K create configmap edited --from-literal=colour=red");
        user.ok("$K get cm edited -o yaml > stale.yaml");
        user.write("replaced.yaml", configMap("edited", "{colour: blue}"));
        assertThat(user.ok("$K replace -f replaced.yaml")).isEqualTo("configmap/edited replaced");
        assertThat(user.fails("$K replace -f stale.yaml"))
                .isEqualTo("Error from server (Conflict): error when replacing \"stale.yaml\": Operation cannot be"
                        + " fulfilled on configmaps \"edited\": the object has been modified; please apply your changes"
                        + " to the latest version and try again");
        assertThat(user.ok("KUBE_EDITOR='sed -i s/blue/green/' $K edit cm edited"))
                .isEqualTo("configmap/edited edited");
        assertThat(user.ok("$K get cm edited -o jsonpath='{.data.colour}'")).isEqualTo("green");
        assertThat(user.warned("KUBE_EDITOR=true $K edit cm edited").err())
                .isEqualTo("Edit cancelled, no changes made.");
        assertThat(user.ok("$K replace --force -f replaced.yaml"))
                .isEqualTo("configmap \"edited\" deleted\nconfigmap/edited replaced");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void apply_manifestsOfRepository_createsThemAndIsIdempotent(KubectlBinary kubectl) throws IOException {
        KubectlUser user = user(kubectl);
        for (Path manifest : manifests()) {
            assertThat(user.ok("$K apply -f " + manifest).lines())
                    .isNotEmpty()
                    .allMatch(line -> line.endsWith(" created"));
            String before = "";
            String after = revisions(user, manifest);
            // Controllers may still change the applied objects; once they are done, only apply could raise a revision.
            for (int i = 0; i < 20 && !before.equals(after); i++) {
                before = revisions(user, manifest);
                // kubectl compares its spelling of values with the server's, and sends a patch that changes nothing.
                String expected = manifest.endsWith("pod-claims-only.yaml") ? " configured" : " unchanged";
                assertThat(user.ok("$K apply -f " + manifest).lines())
                        .isNotEmpty()
                        // The same holds for stringData, which a Secret does not keep, and for defaults in the
                        // volumeClaimTemplates of a StatefulSet, as in Kubernetes.
                        .allMatch(line -> line.endsWith(
                                line.startsWith("secret/") || line.startsWith("statefulset.apps/")
                                        ? " configured"
                                        : expected));
                after = revisions(user, manifest);
            }
            assertThat(after).isEqualTo(before);
        }
        // In reverse order: claims are kept while Pods use them.
        for (int i = manifests().size() - 1; i >= 0; i--) {
            user.ok("$K delete --grace-period=1 -f " + manifests().get(i));
        }
    }

    private static String revisions(KubectlUser user, Path manifest) {
        return user.ok("$K get -o jsonpath='{..metadata.resourceVersion}' -f " + manifest);
    }

    private static List<Path> manifests() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("manifests").toAbsolutePath())) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }
}
