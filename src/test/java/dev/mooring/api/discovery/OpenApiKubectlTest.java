package dev.mooring.api.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs installed versions of kubectl against a server that has only discovery and OpenAPI documents. */
class OpenApiKubectlTest {
    private static final String APPLIED_POD = """
        {"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{},"name":"p","namespace":"default"},\
        "spec":{"containers":[{"image":"a:1","name":"a"},{"image":"b:1","name":"b"}],\
        "volumes":[{"emptyDir":{},"name":"v"}]}}
        """;

    @TempDir
    Path directory;

    private DiscoveryServerFixture server;

    @BeforeEach
    void start() throws Exception {
        assumeFalse(Kubectl.installed().isEmpty(), "kubectl.1.NN is not installed");
        server = new DiscoveryServerFixture(SampleDescribedKinds.all());
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void explain_openApiV3AndV2_listsFieldsWithTypes() throws Exception {
        for (Path program : Kubectl.installed()) {
            assertThat(typeLines(kubectl(program).run("explain", "pv.spec.nfs", "--recursive")))
                    .as(program.toString())
                    .containsExactlyInAnyOrder(
                            "FIELD: nfs <NFSVolumeSource>",
                            "path <string> -required-",
                            "readOnly <boolean>",
                            "server <string> -required-");
        }
        for (Path program : Kubectl.oldestAndNewest()) {
            assertThat(typeLines(kubectl(program).run("explain", "pv.spec.nfs", "--output=plaintext-openapiv2")))
                    .as("version 2, " + program)
                    .containsExactlyInAnyOrder(
                            "RESOURCE: nfs <Object>",
                            "path <string> -required-",
                            "readOnly <boolean>",
                            "server <string> -required-");
        }
    }

    @Test
    void apiResources_listsKindsWithShortNames() throws Exception {
        for (Path program : Kubectl.oldestAndNewest()) {
            assertThat(kubectl(program)
                            .run("api-resources", "--no-headers")
                            .lines()
                            .map(OpenApiKubectlTest::collapseSpaces))
                    .as(program.toString())
                    .contains(
                            "persistentvolumes pv v1 false PersistentVolume",
                            "persistentvolumeclaims pvc v1 true PersistentVolumeClaim",
                            "storageclasses sc storage.k8s.io/v1 false StorageClass",
                            "actualvolumes mooring.dev/v1 false ActualVolume")
                    .hasSize(9);
        }
    }

    @Test
    void create_unknownField_leavesValidationToServer() throws Exception {
        Files.writeString(directory.resolve("sc.yaml"), """
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: fast}
            provisioner: example.com/x
            typo: true
            """);
        for (Path program : Kubectl.oldestAndNewest()) {
            server.writes().clear();

            assertThat(kubectl(program).run("create", "-f", "sc.yaml"))
                    .as(program.toString())
                    .isEqualTo("storageclass.storage.k8s.io/fast created\n");
            assertThat(server.writes())
                    .singleElement()
                    .asString()
                    .startsWith("POST /apis/storage.k8s.io/v1/storageclasses?")
                    .contains("fieldValidation=Strict", "\"typo\":true");
        }
    }

    @Test
    void apply_podLists_sendsPatchMergedByKey() throws Exception {
        String live = APPLIED_POD
                .strip()
                .replace(
                        "\"annotations\":{}",
                        "\"uid\":\"u\",\"annotations\":"
                                + "{\"kubectl.kubernetes.io/last-applied-configuration\":\""
                                + APPLIED_POD.strip().replace("\"", "\\\"") + "\\n\"}");
        server.put("/api/v1/namespaces/default/pods/p", live);
        Files.writeString(directory.resolve("pod.yaml"), """
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: default}
            spec:
              containers: [{name: a, image: "a:1"}, {name: b, image: "b:2"}]
              volumes: [{name: v, hostPath: {path: /v}}]
            """);
        for (Path program : Kubectl.oldestAndNewest()) {
            server.writes().clear();

            assertThat(kubectl(program).run("apply", "-f", "pod.yaml"))
                    .as(program.toString())
                    .isEqualTo("pod/p configured\n");
            assertThat(server.writes())
                    .singleElement()
                    .asString()
                    .startsWith("PATCH /api/v1/namespaces/default/pods/p?")
                    .contains(
                            "application/strategic-merge-patch+json",
                            "\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
                                    + "\"$setElementOrder/volumes\":[{\"name\":\"v\"}],"
                                    + "\"containers\":[{\"image\":\"b:2\",\"name\":\"b\"}],"
                                    + "\"volumes\":[{\"$retainKeys\":[\"hostPath\",\"name\"],\"emptyDir\":null,"
                                    + "\"hostPath\":{\"path\":\"/v\"},\"name\":\"v\"}]}");
        }
    }

    private Kubectl kubectl(Path program) {
        return new Kubectl(program, server.url(), directory);
    }

    /** Returns the lines that contain a type. */
    private static List<String> typeLines(String explained) {
        return explained
                .lines()
                .filter(line -> line.contains("<") && line.contains(">"))
                .map(OpenApiKubectlTest::collapseSpaces)
                .toList();
    }

    private static String collapseSpaces(String line) {
        return line.strip().replaceAll("\\s+", " ");
    }
}
