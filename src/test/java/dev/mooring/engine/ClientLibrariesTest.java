package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that client libraries of Kubernetes work on a server with a real engine: create, read, replace, patch, delete,
 * watch, logs and exec. {@code conformance.Fabric8ClientTest} tests more of fabric8 without containers.
 */
@Timeout(300)
class ClientLibrariesTest {
    private static final Path CLIENTS = Path.of("src/test/clients");
    private static final Path PYTHON = Path.of("/usr/bin/python3");

    @TempDir
    private static Path directory;

    private static MooringServerFixture server;

    @BeforeAll
    static void start() {
        server = MooringServerFixture.start(directory.resolve("data"));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static Path kubeconfig() {
        return directory.resolve("data/kubeconfig");
    }

    @Test
    void python_session_succeeds() throws Exception {
        assumeTrue(
                Files.isExecutable(PYTHON) && exitCode(PYTHON.toString(), "-c", "import kubernetes") == 0,
                "the Python client is missing (Debian package python3-kubernetes)");

        assertSession(
                PYTHON.toString(),
                CLIENTS.resolve("session.py").toString(),
                kubeconfig().toString());
    }

    @Test
    void node_session_succeeds() throws Exception {
        Path installed = Path.of("build/clients").toAbsolutePath();
        Files.createDirectories(installed);
        Files.copy(
                CLIENTS.resolve("package.json"),
                installed.resolve("package.json"),
                StandardCopyOption.REPLACE_EXISTING);
        assumeTrue(
                exitCode(
                                "npm",
                                "install",
                                "--prefix",
                                installed.toString(),
                                "--no-package-lock",
                                "--no-audit",
                                "--no-fund",
                                "--ignore-scripts",
                                "--prefer-offline")
                        == 0,
                "npm cannot install @kubernetes/client-node");

        assertSession(
                "node", CLIENTS.resolve("session.mjs").toString(), kubeconfig().toString(), installed.toString());
    }

    @Test
    void fabric8_informerPatchLogsAndExec_succeed() throws Exception {
        Config config = Config.fromKubeconfig(kubeconfig().toFile());
        try (KubernetesClient client =
                        new KubernetesClientBuilder().withConfig(config).build();
                SharedIndexInformer<Pod> informer =
                        client.pods().inNamespace("default").inform()) {
            client.pods().inNamespace("default").resource(pod()).create();
            client.pods()
                    .inNamespace("default")
                    .withName("fabric8")
                    .waitUntilCondition(
                            each -> each != null
                                    && each.getStatus() != null
                                    && "Running".equals(each.getStatus().getPhase()),
                            4,
                            TimeUnit.MINUTES);
            client.pods()
                    .inNamespace("default")
                    .withName("fabric8")
                    .edit(each -> new PodBuilder(each)
                            .editMetadata()
                            .addToLabels("color", "blue")
                            .endMetadata()
                            .build());
            Eventually.await(
                    "label in the informer's store",
                    () -> informer.getIndexer().getByKey("default/fabric8"),
                    each -> each != null
                            && "blue".equals(each.getMetadata().getLabels().get("color")));
            assertThat(Eventually.await(
                            "log",
                            () -> client.pods()
                                    .inNamespace("default")
                                    .withName("fabric8")
                                    .getLog(),
                            log -> !log.isEmpty()))
                    .isEqualTo("hello\n");

            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (ExecWatch exec = client.pods()
                    .inNamespace("default")
                    .withName("fabric8")
                    .writingOutput(out)
                    .exec("sh", "-c", "echo out; exit 3")) {
                assertThat(exec.exitCode().get()).isEqualTo(3);
            }
            assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("out\n");

            client.pods().inNamespace("default").withName("fabric8").delete();
            Eventually.await(
                    "removal from the informer's store",
                    () -> informer.getIndexer().listKeys(),
                    List::isEmpty);
        }
    }

    private static Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withName("fabric8")
                .endMetadata()
                .withNewSpec()
                .withTerminationGracePeriodSeconds(1L)
                .addNewContainer()
                .withName("c")
                .withImage("busybox:latest")
                .withImagePullPolicy("IfNotPresent")
                .withCommand("sh", "-c", "echo hello; exec sleep 3600")
                .endContainer()
                .endSpec()
                .build();
    }

    private static void assertSession(String... command) throws IOException, InterruptedException {
        Path output = directory.resolve(command[0].replace('/', '-') + ".out");
        Process process = started(output, command);
        try {
            int code = process.waitFor();
            assertThat(code).as(Files.readString(output)).isZero();
            assertThat(Files.readString(output))
                    .contains("ok read", "ok watch", "ok logs", "ok exec exit code", "done");
        } finally {
            process.destroyForcibly();
        }
        Eventually.await(
                "removal of the session's namespace with its containers",
                () -> server.api().list("/api/v1/pods?limit=500"),
                List::isEmpty);
    }

    private static int exitCode(String... command) throws InterruptedException {
        try {
            return started(directory.resolve("output"), command).waitFor();
        } catch (IOException e) {
            return -1;
        }
    }

    private static Process started(Path output, String... command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }
}
