package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests resource settings on a node with 4 processors and 8Gi. */
final class ResourceSettingsTest {
    @TempDir
    Path directory;

    private ContainerResources resources(Pod pod, String container) throws ConfigException {
        ContainerSpecFixture fixture = new ContainerSpecFixture(directory);
        return ResourceSettings.of(
                pod,
                ContainerSpecFixture.named(container),
                key -> Optional.ofNullable(fixture.objects.get(key)),
                OptionalLong.of(9));
    }

    private static String describe(OptionalLong amount) {
        return amount.isPresent() ? Long.toString(amount.getAsLong()) : "-";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        # resources                                               | nanos      | shares | memory
        {}                                                        | -          | 2      | -
        {limits: {cpu: '500m'}}                                   | 500000000  | 512    | -
        {limits: {cpu: '1'}, requests: {cpu: '250m'}}             | 1000000000 | 256    | -
        {limits: {cpu: 2}}                                        | 2000000000 | 2048   | -
        {requests: {cpu: '1m'}}                                   | -          | 2      | -
        {requests: {cpu: '1000'}}                                 | -          | 262144 | -
        {limits: {cpu: '1m'}}                                     | 10000000   | 2      | -
        {limits: {cpu: '64'}}                                     | 64000000000 | 65536  | -
        {limits: {memory: '64Mi'}}                                | -          | 2      | 67108864
        {requests: {memory: '64Mi'}}                              | -          | 2      | -
        {limits: {memory: '0', cpu: '0'}}                         | -          | 2      | -
        """)
    void resources_matchTheKubelets(String resources, String nanos, long shares, String memory) throws ConfigException {
        ContainerResources counted = resources(ContainerSpecFixture.pod("{}"), "{resources: " + resources + "}");

        assertThat(describe(counted.cpuNanos())).isEqualTo(nanos);
        assertThat(counted.cpuShares()).hasValue(shares);
        assertThat(describe(counted.memoryBytes())).isEqualTo(memory);
        assertThat(counted.pids()).hasValue(9);
    }

    @ParameterizedTest(name = "{0} {2} {3}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        Guaranteed | {}                                 | {resources: {limits: {memory: '1Gi'}}}          | -997
        BestEffort | {}                                 | {}                                              | 1000
        BestEffort | {priority: 2000001000}             | {}                                              | -997
        BestEffort | {priority: 1999999999}             | {}                                              | 1000
        Burstable  | {}                                 | {}                                              | 999
        Burstable  | {}                                 | {resources: {requests: {memory: '4Gi'}}}        | 500
        Burstable  | {}                                 | {resources: {limits: {memory: '2Gi'}}}          | 750
        Burstable  | {}                                 | {resources: {requests: {memory: '1Ki'}}}        | 999
        Burstable  | {}                                 | {resources: {requests: {memory: '8Gi'}}}        | 3
        Burstable  | {}                                 | {resources: {requests: {memory: '80Gi'}}}       | 3
        Burstable  | {containers: [{resources: {requests: {memory: '4Gi'}}}, {resources: {requests: {memory: '2Gi'}}}]} | {restartPolicy: 'Always'} | 750
        Burstable  | {containers: [{resources: {requests: {memory: '4Gi'}}}]} | {restartPolicy: 'Always', resources: {requests: {memory: '6Gi'}}} | 250
        """)
    void oomScore_dependsOnQosClassAndMemoryRequest(String quality, String spec, String container, int score)
            throws ConfigException {
        Pod pod = ContainerSpecFixture.pod("{status: {qosClass: '" + quality + "'}, spec: " + spec + "}");

        assertThat(resources(pod, container).oomScore()).hasValue(score);
    }

    @Test
    void oomScore_unknownNode_isThatOfNoRequest() throws ConfigException {
        ContainerResources counted = ResourceSettings.of(
                ContainerSpecFixture.pod("{}"),
                ContainerSpecFixture.named("{resources: {requests: {memory: '1Gi'}}}"),
                key -> Optional.empty(),
                OptionalLong.empty());

        assertThat(counted.oomScore()).hasValue(999);
    }
}
