package dev.mooring.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamespaceDefaultsTest {
    private final NamespaceDefaults defaults = new NamespaceDefaults(
            PodSecurity.PodSecurityLevel.PRIVILEGED, Set.of("a"), Map.of("a", "64Mi", "*", "1Gi"), false);

    private static ObjectNode container(String container) {
        return WorldFixture.objects(
                        "{kind: Pod, spec: {containers: [" + container + "], initContainers: [" + container + "]}}")
                .get(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        a | {name: c}                                              | {name: c, securityContext: {allowPrivilegeEscalation: false}, resources: {limits: {memory: 64Mi}}}
        b | {name: c}                                              | {name: c, resources: {limits: {memory: 1Gi}}}
        a | {securityContext: {allowPrivilegeEscalation: true}, resources: {limits: {memory: 9Mi}}} | {securityContext: {allowPrivilegeEscalation: true}, resources: {limits: {memory: 9Mi}}}
        a | {securityContext: {privileged: true}, resources: {limits: {memory: 9Mi}}}               | {securityContext: {privileged: true}, resources: {limits: {memory: 9Mi}}}
        a | {securityContext: {privileged: true}, resources: {limits: {memory: '0'}}}               | {securityContext: {privileged: true}, resources: {limits: {memory: 64Mi}}}
        b | {resources: {limits: {memory: much}}}                  | {resources: {limits: {memory: much}}}
        b | {resources: {limits: {cpu: 1}}}                        | {resources: {limits: {cpu: 1, memory: 1Gi}}}
        """)
    void applyTo_fieldsOmitted_setsDefaultsOfNamespace(String namespace, String container, String expected) {
        ObjectNode pod = container(container);

        defaults.applyTo(pod, namespace);

        assertThat(pod).isEqualTo(container(expected));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        {image: x}                                 | {image: x, imagePullPolicy: Always}
        {image: x, imagePullPolicy: Never}         | {image: x, imagePullPolicy: Always}
        """)
    void applyTo_alwaysPullEnabled_setsImagePullPolicy(String container, String expected) {
        ObjectNode pod = container(container);
        ObjectNode unchanged = pod.deepCopy();

        new NamespaceDefaults(PodSecurity.PodSecurityLevel.PRIVILEGED, Set.of(), Map.of(), true).applyTo(pod, "a");
        NamespaceDefaults.NONE.applyTo(unchanged, "a");

        assertThat(pod).isEqualTo(container(expected));
        assertThat(unchanged).isEqualTo(container(container));
    }
}
