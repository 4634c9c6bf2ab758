package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.Pod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodVolumesTest {
    private static Pod pod(String metadata, String spec, String status) {
        return Pod.of(WorldFixture.draft(WorldFixture.objects("{kind: Pod, metadata: {name: p, namespace: team"
                                + metadata + "}, spec: {" + spec + "}, status: {" + status + "}}")
                        .get(0))
                .at(1));
    }

    @ParameterizedTest(name = "{0} {1} {2}: {3}")
    @CsvSource(delimiter = '|', textBlock = """
        stays   |                                                                                    | none  | true
        stays   | phase: Running, containerStatuses: [{state: {running: {}}}]                        | none  | true
        stays   | phase: Pending, containerStatuses: [{state: {waiting: {reason: Backoff}}}]         | none  | true
        stays   | phase: Succeeded                                                                   | none  | false
        stays   | phase: Failed, containerStatuses: [{state: {terminated: {exitCode: 1}}}]           | none  | false
        stays   | phase: Failed, containerStatuses: [{state: {terminated: {}}}, {state: {running: {}}}] | none | true
        stays   | phase: Failed                                                                      | runs  | true
        deleted |                                                                                    | none  | false
        deleted | phase: Pending, containerStatuses: [{state: {waiting: {}}}]                        | none  | false
        deleted | phase: Running, containerStatuses: [{state: {running: {}}}]                        | none  | true
        deleted | phase: Running, initContainerStatuses: [{state: {running: {}}}]                    | none  | true
        deleted | phase: Running, ephemeralContainerStatuses: [{state: {running: {}}}]               | none  | true
        deleted | phase: Running, containerStatuses: [{state: {waiting: {}}, lastState: {terminated: {}}}] | none | false
        deleted | phase: Running, containerStatuses: [{state: {terminated: {}}}]                     | none  | false
        deleted | phase: Running, containerStatuses: [{state: {terminated: {}}}]                     | runs  | true
        deleted | phase: Succeeded                                                                   | none  | false
        """)
    void wants_containerMayUseVolumes_isTrue(String deleted, String status, String runs, boolean wants) {
        Pod pod = pod(
                deleted.equals("deleted") ? ", deletionTimestamp: '2026-01-01T00:00:00Z'" : "",
                "nodeName: n1",
                status == null ? "" : status);

        assertThat(PodVolumes.wants(pod, uid -> runs.equals("runs") && uid.equals("uid-p")))
                .isEqualTo(wants);
    }

    @Test
    void used_returnsVolumesThatContainersMount() {
        Pod pod = pod(
                "",
                "volumes: [{name: a}, {name: b}, {name: unused}, {name: c}, {name: d}], containers: [{volumeMounts:"
                    + " [{name: d}, {name: d}, {name: nowhere}], volumeDevices: [{name: b}]}], initContainers:"
                    + " [{volumeMounts: [{name: a}]}], ephemeralContainers: [{volumeMounts: [{name: c}, {name: b}]}]",
                "");

        assertThat(PodVolumes.used(pod).stream()
                        .map(each -> each.name() + " "
                                + each.uses().stream().sorted().toList()))
                .containsExactly("a [MOUNT]", "b [MOUNT, DEVICE]", "c [MOUNT]", "d [MOUNT]");
    }
}
