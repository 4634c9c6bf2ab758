package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the files in {@code manifests} with kubectl, on a new server that is also the NFS server. */
@Timeout(600)
class StorageManifestsKubectlTest {
    private static final String MINIK8S =
            Path.of("manifests/minik8s").toAbsolutePath().toString();

    @TempDir
    private Path directory;

    private Server server;
    private Path share;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(KubectlBinary.inPath("bash").isPresent(), "Needs bash in the PATH");
        share = Files.createDirectory(directory.resolve("export"));
        server = ServerFixture.start(
                directory.resolve("data"), Map.of("nfs.isServer", "true", "nfs.share", share.toString()));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private KubectlShell shell(KubectlBinary kubectl) throws IOException {
        Path home = Files.createDirectory(directory.resolve("home"));
        return new KubectlShell(home, kubectl, List.of("--kubeconfig=" + server.kubeconfig()));
    }

    /** Runs a line that must succeed, and returns its output with single spaces. */
    private static String ok(KubectlShell shell, String line) {
        KubectlShell.Result result = shell.run(line);
        assertThat(result.code()).as("%s: %s", line, result.err()).isZero();
        return result.out().replaceAll(" +", " ").strip();
    }

    @ParameterizedTest
    @MethodSource("dev.mooring.conformance.KubectlBinary#oldestAndNewest")
    void minik8sManifests_appliedAndDeleted_areBoundAndLeaveNothing(KubectlBinary kubectl) throws IOException {
        KubectlShell shell = shell(kubectl);
        ok(shell, "$K apply -f " + MINIK8S);
        ok(shell, "$K wait --for=jsonpath='{.status.phase}'=Bound pvc --all --timeout=150s");
        ok(shell, "$K wait --for=condition=PodScheduled pod/pod-pvc-only-test --timeout=150s");

        assertThat(ok(shell, "$K get pvc --no-headers | sed 's/pvc-[0-9a-f-]\\{36\\}/made/; s/[0-9]*[ms]*s$/AGE/'"))
                .isEqualTo("""
                    pvc-dynamic-test Bound made 500Mi RWO hostPath <unset> AGE
                    pvc-specific-nfs-test Bound my-specific-nfs-pv 3Gi RWX nfs <unset> AGE
                    pvc-specific-test Bound my-specific-pv 2Gi RWO hostPath <unset> AGE\
                    """);
        assertThat(ok(shell, "$K get pvc pvc-specific-test -o jsonpath='{.spec.volumeName} {.status.volumeName}'"))
                .isEqualTo("my-specific-pv my-specific-pv");
        assertThat(ok(shell, "$K get pod pod-pvc-only-test -o jsonpath='{.spec.nodeName}'"))
                .isEqualTo("testhost");
        // kubectl compares the older spelling with the stored one and sends a patch, which changes nothing.
        String revision = ok(shell, "$K get pod pod-pvc-only-test -o jsonpath='{.metadata.resourceVersion}'");
        assertThat(ok(shell, "$K apply -f " + MINIK8S).lines().filter(line -> !line.startsWith("pod/")))
                .hasSize(3)
                .allMatch(line -> line.endsWith(" unchanged"));
        assertThat(ok(shell, "$K get pod pod-pvc-only-test -o jsonpath='{.metadata.resourceVersion}'"))
                .isEqualTo(revision);
        assertThat(share.resolve("my-specific-nfs-pv")).isEmptyDirectory();

        ok(shell, "$K delete pod pod-pvc-only-test --grace-period=0 --force 2>/dev/null");
        ok(shell, "$K delete --ignore-not-found --timeout=150s -f " + MINIK8S);
        ok(shell, "$K wait --for=delete pv --all --timeout=150s");
        assertThat(ok(shell, "$K get pvc,pv,vop -o name")).isEmpty();
        assertThat(remainingVolumes(share)).isEmpty();
        assertThat(remainingVolumes(directory.resolve("data/volumes/hostpath"))).isEmpty();
    }

    private static List<String> remainingVolumes(Path base) throws IOException {
        try (Stream<Path> files = Files.list(base)) {
            return files.map(each -> each.getFileName().toString())
                    .filter(name -> !name.equals(".mooring"))
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.mooring.conformance.KubectlBinary#oldestAndNewest")
    void namedClaim_volumeOfOtherClass_reportsReasonAndRecovers(KubectlBinary kubectl) throws IOException {
        KubectlShell shell = shell(kubectl);
        shell.write("wrong.yaml", """
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: my-specific-pv}
            spec:
              storageClassName: nfs
              capacity: {storage: 5Gi}
              accessModes: [ReadWriteOnce]
              hostPath: {path: /srv/wrong}
            """);
        ok(shell, "$K create -f wrong.yaml");
        ok(shell, "$K apply -f " + MINIK8S + "/claim-named.yaml");
        ok(shell, "$K wait --for=jsonpath='{.status.phase}'=Failed pvc/pvc-specific-test --timeout=150s");
        assertThat(ok(shell, "$K get pvc --no-headers")).startsWith("pvc-specific-test Failed my-specific-pv 0 ");
        assertThat(ok(shell, "$K describe pvc pvc-specific-test"))
                .containsPattern("Warning VolumeMismatch \\S+( \\(.*\\))? persistentvolume-controller Cannot bind to"
                        + " requested volume \"my-specific-pv\": storageClassName does not match");

        ok(shell, "$K patch pv my-specific-pv -p '{\"spec\":{\"storageClassName\":\"hostPath\"}}'");
        ok(shell, "$K wait --for=jsonpath='{.status.phase}'=Bound pvc/pvc-specific-test --timeout=150s");
        assertThat(ok(shell, "$K get pv my-specific-pv -o jsonpath='{.status.phase} {.spec.claimRef.name}'"))
                .isEqualTo("Bound pvc-specific-test");
    }

    @ParameterizedTest
    @MethodSource("dev.mooring.conformance.KubectlBinary#oldestAndNewest")
    void quickStart_applied_isBoundAndClaimIsKeptWhileUsed(KubectlBinary kubectl) throws IOException {
        KubectlShell shell = shell(kubectl);
        ok(shell, "$K apply -f " + Path.of("manifests/quick-start.yaml").toAbsolutePath());
        ok(shell, "$K wait --for=jsonpath='{.status.phase}'=Bound pvc/data --timeout=150s");
        ok(shell, "$K wait --for=condition=PodScheduled pod/writer --timeout=150s");
        assertThat(ok(shell, "$K describe pvc data"))
                .contains("Used By: writer")
                .contains("ProvisioningSucceeded");

        ok(shell, "$K delete pvc data --wait=false");
        assertThat(ok(
                        shell,
                        "$K wait --for=condition=Terminating pvc/data --timeout=150s && $K get pvc data -o"
                                + " jsonpath='{.status.conditions[?(@.type==\"Terminating\")].message}'"))
                .contains("kept by kubernetes.io/pvc-protection: used by Pod")
                .contains("writer");
        ok(shell, "$K delete pod writer --grace-period=0 --force 2>/dev/null");
        ok(shell, "$K wait --for=delete pvc/data --timeout=150s && $K wait --for=delete pv --all --timeout=150s");
        assertThat(ok(shell, "$K get pv -o name")).isEmpty();
    }
}
