package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs workloads on a real engine, operated with kubectl as users do. */
@Timeout(300)
class WorkloadsOnEngineTest {
    private static final Path KUBECTL = Path.of("/usr/bin/kubectl");

    @TempDir
    private static Path directory;

    private static MooringServerFixture server;

    @BeforeAll
    static void start() {
        assumeTrue(Files.isExecutable(KUBECTL), "kubectl is missing");
        server = MooringServerFixture.start(directory.resolve("data"));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** Runs kubectl, which must succeed; returns its output. */
    private static String kubectl(String... arguments) {
        try {
            List<String> command = new ArrayList<>(List.of(KUBECTL.toString()));
            command.add("--kubeconfig=" + directory.resolve("data/kubeconfig"));
            command.add("--cache-dir=" + directory.resolve("cache"));
            command.addAll(List.of(arguments));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor())
                    .as(String.join(" ", arguments) + ": " + output)
                    .isZero();
            return output;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void apply(String name, String yaml) throws IOException {
        Path file = directory.resolve(name + ".yaml");
        Files.writeString(file, yaml);
        kubectl("apply", "-f", file.toString());
    }

    private static String template(String app) {
        return """
              selector: {matchLabels: {app: %s}}
              template:
                metadata: {labels: {app: %s}}
                spec:
                  terminationGracePeriodSeconds: 1
                  containers:
                  - {name: c, image: "busybox:latest", imagePullPolicy: IfNotPresent, command: [sh, -c, "exec sleep 3600"]}
            """.formatted(app, app);
    }

    @Test
    void deployment_isRolledOutScaledUndoneAndDeleted() throws Exception {
        apply("web", """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              replicas: 2
            """ + template("web"));
        assertThat(kubectl("rollout", "status", "deployment/web", "--timeout=120s"))
                .contains("deployment \"web\" successfully rolled out");
        assertThat(kubectl("get", "deploy", "web")).containsPattern("web +2/2 +2 +2 ");
        kubectl("scale", "deployment/web", "--replicas=3");
        kubectl("rollout", "status", "deployment/web", "--timeout=120s");
        assertThat(kubectl("get", "all"))
                .contains("pod/web-")
                .contains("deployment.apps/web")
                .contains("replicaset.apps/");
        kubectl("set", "env", "deployment/web", "VERSION=2");
        kubectl("rollout", "status", "deployment/web", "--timeout=120s");
        assertThat(kubectl("rollout", "history", "deployment/web"))
                .containsPattern("(?m)^1 ")
                .containsPattern("(?m)^2 ");
        assertThat(kubectl("rollout", "undo", "deployment/web")).contains("rolled back");
        kubectl("rollout", "status", "deployment/web", "--timeout=120s");
        assertThat(kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.template.spec.containers[0].env}"))
                .isEmpty();
        kubectl("rollout", "pause", "deployment/web");
        kubectl("rollout", "resume", "deployment/web");
        kubectl("rollout", "restart", "deployment/web");
        kubectl("rollout", "status", "deployment/web", "--timeout=120s");
        kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=60s");
        assertThat(kubectl("describe", "deployment/web")).contains("Scaled up replica set web-");
        kubectl("delete", "deployment/web", "--cascade=foreground", "--timeout=120s");
        assertThat(kubectl("get", "all", "-l", "app=web")).contains("No resources found");
    }

    @Test
    void statefulSet_keepsClaimsAndRollsBack() throws Exception {
        apply(
                "db",
                """
                        apiVersion: apps/v1
                        kind: StatefulSet
                        metadata: {name: db}
                        spec:
                          replicas: 2
                          serviceName: db
                          persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}
                          volumeClaimTemplates:
                          - metadata: {name: data}
                            spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
                        """
                        + template("db")
                                .replace(
                                        "imagePullPolicy",
                                        "volumeMounts: [{name: data, mountPath: /data}], imagePullPolicy"));
        kubectl("rollout", "status", "statefulset/db", "--timeout=120s");
        assertThat(kubectl("get", "pvc", "-o", "name")).contains("data-db-0").contains("data-db-1");
        kubectl("exec", "db-1", "--", "sh", "-c", "echo kept > /data/file");
        kubectl("set", "env", "statefulset/db", "VERSION=2");
        kubectl("rollout", "status", "statefulset/db", "--timeout=120s");
        assertThat(kubectl("exec", "db-1", "--", "cat", "/data/file")).contains("kept");
        assertThat(kubectl("rollout", "undo", "statefulset/db")).contains("rolled back");
        kubectl("rollout", "status", "statefulset/db", "--timeout=120s");
        assertThat(kubectl("exec", "db-0", "--", "hostname")).contains("db-0");
        kubectl("scale", "statefulset/db", "--replicas=1");
        kubectl("wait", "--for=delete", "pod/db-1", "--timeout=60s");
        kubectl("delete", "statefulset/db", "--cascade=foreground", "--timeout=120s");
        kubectl("wait", "--for=delete", "pvc/data-db-0", "--timeout=60s");
    }

    @Test
    void daemonSet_runsOnTheNode() throws Exception {
        apply("agent", """
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: agent}
            spec:
            """ + template("agent"));
        kubectl("rollout", "status", "daemonset/agent", "--timeout=120s");
        assertThat(kubectl("get", "ds", "agent")).containsPattern("agent +1 +1 +1 +1 +1 ");
        assertThat(kubectl("rollout", "history", "daemonset/agent")).containsPattern("(?m)^1 ");
        kubectl("delete", "daemonset/agent", "--timeout=120s");
    }
}
