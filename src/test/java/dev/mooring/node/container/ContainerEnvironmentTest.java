package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Service;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ContainerEnvironmentTest {
    @TempDir
    Path directory;

    private ContainerSpecFixture fixture;

    @BeforeEach
    void prepare() {
        fixture = new ContainerSpecFixture(directory);
    }

    private String environment(Pod pod, String container) throws InterruptedException {
        JsonNode tree = ContainerSpecFixture.named(container);
        return ContainerSpecFixture.resultOf(() -> describe(ContainerEnvironment.of(
                        pod,
                        tree,
                        ContainerSpecFixture.ADDRESSES,
                        key -> Optional.ofNullable(fixture.objects.get(key)),
                        fixture.networking)
                .values()));
    }

    private static String describe(Map<String, String> values) {
        return values.entrySet().stream()
                .map(each -> each.getKey() + '=' + each.getValue())
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        a value                  | {env: [{name: 'A', value: 'x'}]} | A=x
        no value                 | {env: [{name: 'A'}]} | A=
        in order                 | {env: [{name: 'B', value: '2'}, {name: 'A', value: '1'}]} | B=2, A=1
        used by later variables  | {env: [{name: 'A', value: '1'}, {name: 'B', value: '$(A)$(C)'}, {name: 'C', value: '3'}]} | A=1, B=1$(C), C=3
        escaped                  | {env: [{name: 'A', value: '1'}, {name: 'B', value: '$$(A)'}]} | A=1, B=$(A)
        last duplicate wins      | {env: [{name: 'A', value: '1'}, {name: 'A', value: '$(A)2'}]} | A=12
        value before valueFrom   | {env: [{name: 'A', value: 'x', valueFrom: {configMapKeyRef: {name: 'absent', key: 'a'}}}]} | A=x
        field of the Pod         | {env: [{name: 'A', valueFrom: {fieldRef: {fieldPath: 'metadata.name'}}}, {name: 'B', value: '$(A)!'}]} | A=web, B=web!
        values are not expanded  | {env: [{name: 'A', value: '1'}, {name: 'B', valueFrom: {configMapKeyRef: {name: 'dollar', key: 'd'}}}]} | A=1, B=$(A)
        all keys of a ConfigMap  | {envFrom: [{configMapRef: {name: 'conf'}}]} | a=alpha, b.txt=beta, A=big
        with a prefix            | {envFrom: [{prefix: 'P_', configMapRef: {name: 'conf'}}]} | P_a=alpha, P_b.txt=beta, P_A=big
        all keys of a Secret     | {envFrom: [{secretRef: {name: 'good'}}]} | user=me, pass=s3cret
        later sources win        | {envFrom: [{configMapRef: {name: 'one'}}, {configMapRef: {name: 'two'}}]} | k=2
        env wins over envFrom    | {envFrom: [{configMapRef: {name: 'one'}}], env: [{name: 'k', value: '<$(k)>'}]} | k=<1>
        key of a ConfigMap       | {env: [{name: 'A', valueFrom: {configMapKeyRef: {name: 'conf', key: 'b.txt'}}}]} | A=beta
        key of a Secret          | {env: [{name: 'A', valueFrom: {secretKeyRef: {name: 'sec', key: 'user'}}}]} | A=me
        missing ConfigMap        | {env: [{name: 'A', valueFrom: {configMapKeyRef: {name: 'absent', key: 'a'}}}]} | CreateContainerConfigError: configmap "absent" not found
        missing Secret           | {env: [{name: 'A', valueFrom: {secretKeyRef: {name: 'absent', key: 'a'}}}]} | CreateContainerConfigError: secret "absent" not found
        invalid object name      | {env: [{name: 'A', valueFrom: {secretKeyRef: {name: 'a/b', key: 'a'}}}]} | CreateContainerConfigError: secret "a/b" not found
        no name                  | {envFrom: [{configMapRef: {}}]} | CreateContainerConfigError: configmap "" not found
        missing ConfigMap key    | {env: [{name: 'A', valueFrom: {configMapKeyRef: {name: 'conf', key: 'x'}}}]} | CreateContainerConfigError: couldn't find key x in ConfigMap shop/conf
        key of binaryData        | {env: [{name: 'A', valueFrom: {configMapKeyRef: {name: 'conf', key: 'bin'}}}]} | CreateContainerConfigError: couldn't find key bin in ConfigMap shop/conf
        missing Secret key       | {env: [{name: 'A', valueFrom: {secretKeyRef: {name: 'sec', key: 'x'}}}]} | CreateContainerConfigError: couldn't find key x in Secret shop/sec
        broken Secret            | {env: [{name: 'A', valueFrom: {secretKeyRef: {name: 'sec', key: 'broken'}}}]} | CreateContainerConfigError: entry broken of secret "sec" is not valid base64; correct its value
        optional object          | {env: [{name: 'A', valueFrom: {configMapKeyRef: {name: 'absent', key: 'a', optional: true}}}, {name: 'B', value: 'b'}]} | B=b
        optional key             | {env: [{name: 'A', valueFrom: {secretKeyRef: {name: 'sec', key: 'x', optional: true}}}, {name: 'B', value: 'b'}]} | B=b
        optional keeps envFrom   | {envFrom: [{configMapRef: {name: 'one'}}], env: [{name: 'k', valueFrom: {configMapKeyRef: {name: 'absent', key: 'a', optional: true}}}]} | k=1
        envFrom missing object   | {envFrom: [{configMapRef: {name: 'absent'}}]} | CreateContainerConfigError: configmap "absent" not found
        envFrom optional         | {envFrom: [{configMapRef: {name: 'absent', optional: true}}, {secretRef: {name: 'absent', optional: true}}, {configMapRef: {name: 'one'}}]} | k=1
        unknown source           | {env: [{name: 'A', valueFrom: {fileKeyRef: {key: 'k'}}}]} | CreateContainerConfigError: unsupported valueFrom of an environment variable: [fileKeyRef]; use fieldRef, resourceFieldRef, configMapKeyRef or secretKeyRef
        """)
    void environment_matchesTheKubelets(String description, String container, String expected)
            throws InterruptedException {
        fixture.put("configmaps", "one", "{data: {k: '1'}}");
        fixture.put("configmaps", "two", "{data: {k: '2'}}");
        fixture.put("configmaps", "dollar", "{data: {d: '$(A)'}}");

        assertThat(environment(ContainerSpecFixture.pod("{}"), container))
                .as(description)
                .isEqualTo(expected);
    }

    private static Service service(String namespace, String name, String spec) {
        String object =
                "{kind: Service, metadata: {name: " + name + ", namespace: " + namespace + "}, spec: " + spec + "}";
        return Service.of(
                WorldFixture.of(object).get(Service.key(namespace, name)).orElseThrow());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {enableServiceLinks: false} | KUBERNETES_SERVICE_HOST=10.96.0.1, KUBERNETES_SERVICE_PORT=443, KUBERNETES_SERVICE_PORT_HTTPS=443, KUBERNETES_PORT=tcp://10.96.0.1:443, KUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443, KUBERNETES_PORT_443_TCP_PROTO=tcp, KUBERNETES_PORT_443_TCP_PORT=443, KUBERNETES_PORT_443_TCP_ADDR=10.96.0.1, A=10.96.0.1
        {}                          | MY_WEB_SERVICE_HOST=10.96.0.7, MY_WEB_SERVICE_PORT=80, MY_WEB_PORT=tcp://10.96.0.7:80, MY_WEB_PORT_80_TCP=tcp://10.96.0.7:80, MY_WEB_PORT_80_TCP_PROTO=tcp, MY_WEB_PORT_80_TCP_PORT=80, MY_WEB_PORT_80_TCP_ADDR=10.96.0.7, KUBERNETES_SERVICE_HOST=10.96.0.1, KUBERNETES_SERVICE_PORT=443, KUBERNETES_SERVICE_PORT_HTTPS=443, KUBERNETES_PORT=tcp://10.96.0.1:443, KUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443, KUBERNETES_PORT_443_TCP_PROTO=tcp, KUBERNETES_PORT_443_TCP_PORT=443, KUBERNETES_PORT_443_TCP_ADDR=10.96.0.1, A=10.96.0.1
        """)
    void environment_services_areVariablesThatEnvCanUse(String spec, String expected) throws InterruptedException {
        Service api = service("default", "kubernetes", "{clusterIP: 10.96.0.1, ports: [{name: https, port: 443}]}");
        Service web = service("shop", "my-web", "{clusterIP: 10.96.0.7, ports: [{port: 80}]}");
        Service headless = service("shop", "db", "{clusterIP: None, ports: [{port: 80}]}");
        fixture.networking = new PodNetworking(
                Optional::empty,
                () -> Optional.of(api),
                namespace -> namespace.equals("shop") ? List.of(web, headless) : List.of());

        assertThat(environment(
                        ContainerSpecFixture.pod(spec), "{env: [{name: 'A', value: '$(KUBERNETES_SERVICE_HOST)'}]}"))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        metadata.name                 | A=web
        metadata.namespace            | A=shop
        metadata.uid                  | A=u1
        metadata.labels['app']        | A=front
        metadata.labels['x/y']        | A=z
        metadata.labels['none']       | A=
        metadata.annotations['note']  | A=hello
        spec.nodeName                 | A=n1
        spec.serviceAccountName       | A=robot
        status.podIP                  | A=172.17.0.5
        status.podIPs                 | A=172.17.0.5
        status.hostIP                 | A=10.0.0.1
        status.hostIPs                | A=10.0.0.1
        status.phase                  | CreateContainerConfigError: unsupported fieldPath: status.phase
        """)
    void environment_fieldRef_hasValueOfPodField(String path, String expected) throws InterruptedException {
        Pod pod = ContainerSpecFixture.pod("{serviceAccountName: 'robot'}");
        String container = "{env: [{name: 'A', valueFrom: {fieldRef: {fieldPath: \"" + path + "\"}}}]}";

        assertThat(environment(pod, container)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {resource: 'limits.cpu'}                                          | A=2
        {resource: 'limits.cpu', divisor: '1m'}                           | A=1500
        {resource: 'requests.memory'}                                     | A=67108864
        {resource: 'requests.memory', divisor: '1Mi'}                     | A=64
        {resource: 'requests.cpu'}                                        | A=0
        {resource: 'limits.memory', divisor: '1Gi'}                       | A=7
        {resource: 'limits.memory', containerName: 'other', divisor: '1'} | A=1024
        {resource: 'limits.cpu', containerName: 'other', divisor: '1m'}   | A=3500
        {resource: 'limits.cpu', containerName: 'missing'}                | CreateContainerConfigError: container missing not found
        {resource: 'limits.fun'}                                          | CreateContainerConfigError: unsupported container resource : limits.fun
        """)
    void environment_resourceFieldRefWithoutLimit_hasAllocatableOfNode(String reference, String expected)
            throws InterruptedException {
        String resources = "resources: {limits: {cpu: '1500m'}, requests: {memory: '64Mi'}}";
        Pod pod = ContainerSpecFixture.pod("{containers: [{name: 'c', " + resources
                + "}, {name: 'other', resources: {limits: {memory: '1Ki'}}}]}");

        assertThat(environment(pod, "{env: [{name: 'A', valueFrom: {resourceFieldRef: " + reference + "}}]}"))
                .isEqualTo(expected);
    }

    @Test
    void environment_invalidVariableNames_skipsThemWithWarning() throws Exception {
        fixture.put("configmaps", "odd", "{data: {'x=y': '1', fine: '2', 'a=b': '3'}}");

        ContainerSpecs.PreparedContainer prepared = fixture.container(
                ContainerSpecFixture.pod("{}"), "{envFrom: [{configMapRef: {name: 'odd'}}]}", List.of());

        assertThat(prepared.spec().environment()).containsExactly(Map.entry("fine", "2"));
        assertThat(prepared.warnings())
                .containsExactly(new ContainerSpecs.PreparedContainer.ContainerWarning(
                        "InvalidEnvironmentVariableNames",
                        "Keys [a=b, x=y] from the EnvFrom configMap shop/odd were skipped since they are considered"
                                + " invalid environment variable names."));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {}                                                                        | status.podIP  |  | true
        {}                                                                        | status.podIPs |  | true
        {}                                                                        | status.hostIP |  | false
        {}                                                                        | metadata.name |  | false
        {}                                                                        | status.podIP  | value: 'x', | false
        {hostNetwork: true}                                                       | status.podIP  |  | false
        """)
    void needsAddress_variableRefersToPodIp_isTrueUnlessHostNetwork(
            String spec, String path, String value, boolean needs) {
        JsonNode container = ContainerSpecFixture.named("{env: [{name: 'A', " + (value == null ? "" : value)
                + " valueFrom: {fieldRef: {fieldPath: '" + path + "'}}}]}");

        assertThat(ContainerSpecs.needsAddress(ContainerSpecFixture.pod(spec), container))
                .isEqualTo(needs);
    }
}
