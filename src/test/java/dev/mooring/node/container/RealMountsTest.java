package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.volume.Access;
import dev.mooring.volume.LinuxMounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests container mounts with real mounts on this machine, as root. */
final class RealMountsTest {
    private static final Pod POD = ContainerSpecFixture.pod("{}");

    @TempDir
    Path directory;

    private ContainerSpecFixture fixture;
    private Path data;

    @BeforeEach
    void prepare() throws IOException {
        HostMachine.assumeRoot();
        fixture = new ContainerSpecFixture(directory);
        fixture.mounter = new LinuxMounter(fixture.layout, SystemCalls.real(), new ChildProcess());
        data = Files.createDirectories(directory.toRealPath().resolve("data"));
    }

    @AfterEach
    void unmountEverything() throws IOException, InterruptedException {
        List<MountTable.Mount> left = MountTable.read().below(directory.toRealPath());
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", "-l", left.get(i).point());
        }
    }

    private List<PodVolume> volumes(boolean readOnly) {
        return List.of(new PodVolume(
                "d", "pv1", "kubernetes.io/host-path", data, VolumeMode.FILESYSTEM, MountPoint.NONE, readOnly));
    }

    private List<BindMount> binds(String container, boolean readOnly) throws ConfigException, InterruptedException {
        return fixture.container(POD, container, volumes(readOnly)).spec().binds().stream()
                .filter(each -> !each.target().equals("/dev/termination-log"))
                .toList();
    }

    @Test
    void container_subPaths_areBoundAndVerified() throws Exception {
        String container = "{env: [{name: 'WHO', value: 'me'}], volumeMounts: [{name: 'd', mountPath: '/all'},"
                + " {name: 'd', mountPath: '/deep', subPath: 'deep/er'}, {name: 'd', mountPath: '/mine', subPathExpr:"
                + " 'pods/$(WHO)'}]}";

        List<BindMount> binds = binds(container, false);

        Path second = fixture.layout.subPath("u1", "pv1", "c", 1);
        Path third = fixture.layout.subPath("u1", "pv1", "c", 2);
        assertThat(binds).extracting(BindMount::source).containsExactly(data, second, third);
        Files.writeString(second.resolve("in"), "s");
        Files.writeString(third.resolve("in"), "e");
        assertThat(data.resolve("deep/er/in")).hasContent("s");
        assertThat(data.resolve("pods/me/in")).hasContent("e");
        assertThat(binds(container, false)).as("second call").isEqualTo(binds);

        fixture.specs().verify(POD, ContainerSpecFixture.named(container), volumes(false));
        HostMachine.run("umount", second.toString());
        assertThat(ContainerSpecFixture.resultOf(() -> {
                    fixture.specs().verify(POD, ContainerSpecFixture.named(container), volumes(false));
                    return "fine";
                }))
                .contains("subPath of volume \"d\"");
        binds(container, false);
        fixture.specs().verify(POD, ContainerSpecFixture.named(container), volumes(false));
    }

    @Test
    void container_subPathOfReadOnlyVolume_isMountedReadOnly() throws Exception {
        Files.createDirectories(data.resolve("s"));

        binds("{volumeMounts: [{name: 'd', mountPath: '/x', subPath: 's'}]}", true);

        Path part = fixture.layout.subPath("u1", "pv1", "c", 0);
        assertThat(fixture.mounter.table().at(part).orElseThrow().isReadOnly()).isTrue();
    }

    @Test
    void container_subPathLinkLeavesVolume_isRejected() throws Exception {
        Files.createSymbolicLink(data.resolve("out"), Files.createDirectories(directory.resolve("outside")));

        assertThat(ContainerSpecFixture.resultOf(
                        () -> binds("{volumeMounts: [{name: 'd', mountPath: '/x', subPath: 'out'}]}", false)
                                .toString()))
                .startsWith("CreateContainerConfigError: failed to prepare subPath for volumeMount \"d\" of container"
                        + " \"c\"");
    }

    @Test
    void verify_volumeWasUnmounted_fails() throws Exception {
        Path target = fixture.layout.volume("u1", "kubernetes.io/csi", "pv2");
        fixture.mounter.makeDirectory(target);
        fixture.mounter.bind(data, target, Access.READ_WRITE);
        for (MountPoint each : List.of(MountPoint.LOCAL, MountPoint.REMOTE)) {
            fixture.specs().verify(List.of(volume(target, each)));
        }

        HostMachine.run("umount", target.toString());

        for (MountPoint each : List.of(MountPoint.LOCAL, MountPoint.REMOTE)) {
            assertThat(ContainerSpecFixture.resultOf(() -> {
                        fixture.specs().verify(List.of(volume(target, each)));
                        return "fine";
                    }))
                    .startsWith("CreateContainerError: volume \"v\" is not mounted at " + target);
        }
    }

    private static PodVolume volume(Path target, MountPoint mountPoint) {
        return new PodVolume("v", "pv2", "kubernetes.io/csi", target, VolumeMode.FILESYSTEM, mountPoint, false);
    }

    @Test
    void container_terminationLog_isWorldWritableInPrivateDirectories() throws Exception {
        binds("{}", false);

        Path containers = fixture.layout.pod("u1").resolve("containers");
        assertThat(HostMachine.permissions(containers)).isEqualTo("750");
        assertThat(HostMachine.permissions(containers.resolve("c"))).isEqualTo("750");
        assertThat(HostMachine.permissions(containers.resolve("c/0"))).isEqualTo("666");
    }
}
