package dev.mooring.model.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.model.Quantity;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the size limit of an emptyDir (D5). */
class EmptyDirSourceTest {
    @ParameterizedTest(name = "{0} in a Pod with {1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
        {}                                | containers: [{}]                                                                    | -
        {sizeLimit: 1Gi}                  | containers: [{}]                                                                    | 1Gi
        {sizeLimit: '0'}                  | containers: [{}]                                                                    | -
        {sizeLimit: nonsense}             | containers: [{}]                                                                    | -
        {}                                | containers: [{resources: {limits: {ephemeral-storage: 2Gi}}}]                       | 2Gi
        {sizeLimit: 3Gi}                  | containers: [{resources: {limits: {ephemeral-storage: 2Gi}}}]                       | 2Gi
        {sizeLimit: 1Gi}                  | containers: [{resources: {limits: {ephemeral-storage: 2Gi}}}]                       | 1Gi
        {}                                | containers: [{resources: {limits: {ephemeral-storage: 2Gi}}}, {resources: {limits: {ephemeral-storage: 1Gi}}}] | 3Gi
        {}                                | containers: [{resources: {limits: {ephemeral-storage: 2Gi}}}, {}]                   | 2Gi
        {}                                | initContainers: [{resources: {limits: {ephemeral-storage: 4Gi}}}], containers: [{resources: {limits: {ephemeral-storage: 1Gi}}}] | 4Gi
        {}                                | initContainers: [{restartPolicy: Always, resources: {limits: {ephemeral-storage: 4Gi}}}], containers: [{resources: {limits: {ephemeral-storage: 1Gi}}}] | 5Gi
        {sizeLimit: 3Gi}                  | containers: [{resources: {limits: {memory: 2Gi}}}]                                  | 3Gi
        {medium: Memory}                  | containers: [{resources: {limits: {memory: 2Gi}}}]                                  | 2Gi
        {medium: Memory, sizeLimit: 1Gi}  | containers: [{resources: {limits: {memory: 2Gi}}}]                                  | 1Gi
        {medium: Memory, sizeLimit: 3Gi}  | containers: [{resources: {limits: {memory: 2Gi}}}]                                  | 2Gi
        {medium: Memory, sizeLimit: 3Gi}  | containers: [{resources: {limits: {memory: 2Gi}}}, {}]                              | 3Gi
        {medium: Memory}                  | resources: {limits: {memory: 1Gi}}, containers: [{}]                                | 1Gi
        {medium: Memory}                  | containers: [{resources: {limits: {ephemeral-storage: 2Gi}}}]                       | -
        """)
    void size_isSmallestOfSizeLimitAndContainerLimits(String emptyDir, String spec, String expected) {
        Pod pod = Pod.of(WorldFixture.draft(
                        WorldFixture.objects("{kind: Pod, metadata: {name: p, namespace: team}, spec: {" + spec + "}}")
                                .get(0))
                .at(1));

        assertThat(new EmptyDirSource()
                        .inlineCapacity(
                                WorldFixture.objects("{emptyDir: " + emptyDir + "}")
                                        .get(0),
                                pod)
                        .map(Quantity::toString)
                        .orElse("-"))
                .isEqualTo(expected);
    }
}
