package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.VolumeMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PodVolumeTest {
    private static StoredObject stored(ObjectKey key, ObjectNode tree) {
        return new StoredObject(key, 3, tree.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static PodVolume volume(String desired, String mount, String status) {
        ObjectNode desiredTree = ContainerSpecFixture.json("{spec: " + desired + "}");
        ObjectNode actualTree = ContainerSpecFixture.json("{spec: {}, status: " + status + "}");
        return PodVolume.of(
                DesiredVolume.of(stored(DesiredVolume.key("d"), desiredTree)),
                new ActualVolume.Mount(ContainerSpecFixture.json(mount)),
                ActualVolume.of(stored(ObjectKey.clusterWide("actualvolumes", "a"), actualTree)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        kubernetes.io/nfs          | {nfs: {server: 'nas', path: '/x'}} |            | {}                        | REMOTE
        kubernetes.io/csi          | {csi: {}}                          |            | {devicePath: '/dev/loop1'} | LOCAL
        kubernetes.io/csi          | {csi: {}}                          | Block      | {devicePath: '/dev/loop1'} | LOCAL
        kubernetes.io/local-volume | {local: {path: '/mnt/d'}}          |            | {}                        | REMOTE
        kubernetes.io/local-volume | {local: {path: '/dev/sdb'}}        | Filesystem | {devicePath: '/dev/sdb'}  | LOCAL
        kubernetes.io/local-volume | {local: {path: '/dev/sdb'}}        | Block      | {}                        | LOCAL
        kubernetes.io/empty-dir    | {emptyDir: {medium: 'Memory'}}     |            | {}                        | LOCAL
        kubernetes.io/empty-dir    | {emptyDir: {}}                     |            | {}                        | NONE
        kubernetes.io/host-path    | {hostPath: {path: '/p/'}}          |            | {}                        | NONE
        kubernetes.io/host-path    | {hostPath: {path: '/srv'}}         |            | {}                        | REMOTE
        kubernetes.io/configmap    | {configMap: {name: 'c'}}           |            | {}                        | NONE
        """)
    void mountPoint_dependsOnPluginSourceAndMode(
            String plugin, String source, String mode, String status, MountPoint expected) {
        String desired = "{plugin: '" + plugin + "', source: " + source
                + (mode == null ? "" : ", volumeMode: '" + mode + "'") + "}";

        assertThat(volume(desired, "{path: '/p'}", status).mountPoint()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "kubernetes.io/configmap, false, false, true",
        "kubernetes.io/secret, false, false, true",
        "kubernetes.io/downward-api, false, false, true",
        "kubernetes.io/projected, false, false, true",
        "kubernetes.io/nfs, false, false, false",
        "kubernetes.io/nfs, true, false, true",
        "kubernetes.io/host-path, false, true, true",
    })
    void readOnly_desiredOrMountedReadOnlyOrObjectVolume_isTrue(
            String plugin, boolean desired, boolean mounted, boolean readOnly) {
        assertThat(volume("{plugin: '" + plugin + "', readOnly: " + desired + "}", "{readOnly: " + mounted + "}", "{}")
                        .readOnly())
                .isEqualTo(readOnly);
    }

    @Test
    void podVolume_hasVolumeNameAndPersistentVolumeName() {
        String desired =
                "{volumeName: 'data', persistentVolume: 'pv1', plugin: 'kubernetes.io/csi', volumeMode: 'Block'}";

        assertThat(volume(desired, "{path: '/x/volumeDevices/y'}", "{}"))
                .isEqualTo(new PodVolume(
                        "data",
                        "pv1",
                        "kubernetes.io/csi",
                        Path.of("/x/volumeDevices/y"),
                        VolumeMode.BLOCK,
                        MountPoint.LOCAL,
                        false));
    }
}
