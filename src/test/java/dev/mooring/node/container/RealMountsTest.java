package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.Pod;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.container.PodVolume.MountPoint;
import dev.mooring.runtime.ContainerSpec.Bind;
import dev.mooring.volume.Access;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On this machine, as root, with real mounts. */
final class RealMountsTest {
    private static final Pod POD = SpecBench.pod("{}");

    @TempDir
    Path directory;

    private SpecBench bench;
    private Path data;

    @BeforeEach
    void prepare() throws IOException {
        Machine.assumeRoot();
        bench = new SpecBench(directory);
        bench.mounter = new LinuxMounter(bench.layout, SystemCalls.real(), new ChildProcess());
        data = Files.createDirectories(directory.toRealPath().resolve("data"));
    }

    @AfterEach
    void unmountEverything() throws IOException, InterruptedException {
        List<MountTable.Mount> left = MountTable.read().below(directory.toRealPath());
        for (int i = left.size() - 1; i >= 0; i--) {
            Machine.run("umount", "-l", left.get(i).point());
        }
    }

    private List<PodVolume> volumes(boolean readOnly) {
        return List.of(new PodVolume(
                "d", "pv1", "kubernetes.io/host-path", data, VolumeMode.FILESYSTEM, MountPoint.NONE, readOnly));
    }

    private List<Bind> binds(String container, boolean readOnly) throws ConfigException, InterruptedException {
        return bench.container(POD, container, volumes(readOnly)).spec().binds().stream()
                .filter(each -> !each.target().equals("/dev/termination-log"))
                .toList();
    }

    @Test
    void givesAContainerAPartOfAVolumeAtAPathOfItsOwn() throws Exception {
        String container = "{env: [{name: 'WHO', value: 'me'}], volumeMounts: [{name: 'd', mountPath: '/all'},"
                + " {name: 'd', mountPath: '/deep', subPath: 'deep/er'}, {name: 'd', mountPath: '/mine', subPathExpr:"
                + " 'pods/$(WHO)'}]}";

        List<Bind> binds = binds(container, false);

        Path second = bench.layout.subPath("u1", "pv1", "c", 1);
        Path third = bench.layout.subPath("u1", "pv1", "c", 2);
        assertThat(binds).extracting(Bind::source).containsExactly(data, second, third);
        Files.writeString(second.resolve("in"), "s");
        Files.writeString(third.resolve("in"), "e");
        assertThat(data.resolve("deep/er/in")).hasContent("s");
        assertThat(data.resolve("pods/me/in")).hasContent("e");
        assertThat(binds(container, false)).as("once more").isEqualTo(binds);

        bench.specs().verify(POD, SpecBench.named(container), volumes(false));
        Machine.run("umount", second.toString());
        assertThat(SpecBench.wordsOf(() -> {
                    bench.specs().verify(POD, SpecBench.named(container), volumes(false));
                    return "fine";
                }))
                .contains("a part of volume \"d\"");
        binds(container, false);
        bench.specs().verify(POD, SpecBench.named(container), volumes(false));
    }

    @Test
    void givesAReadOnlyPartReadOnly() throws Exception {
        Files.createDirectories(data.resolve("s"));

        binds("{volumeMounts: [{name: 'd', mountPath: '/x', subPath: 's'}]}", true);

        Path part = bench.layout.subPath("u1", "pv1", "c", 0);
        assertThat(bench.mounter.table().at(part).orElseThrow().isReadOnly()).isTrue();
    }

    @Test
    void followsNoLinkThatLeadsOut() throws Exception {
        Files.createSymbolicLink(data.resolve("out"), Files.createDirectories(directory.resolve("outside")));

        assertThat(SpecBench.wordsOf(
                        () -> binds("{volumeMounts: [{name: 'd', mountPath: '/x', subPath: 'out'}]}", false)
                                .toString()))
                .startsWith("CreateContainerConfigError: failed to prepare subPath for volumeMount \"d\" of container"
                        + " \"c\"");
    }

    @Test
    void seesThatAVolumeIsGone() throws Exception {
        Path target = bench.layout.volume("u1", "kubernetes.io/csi", "pv2");
        bench.mounter.makeDirectory(target);
        bench.mounter.bind(data, target, Access.READ_WRITE);
        for (MountPoint each : List.of(MountPoint.LOCAL, MountPoint.REMOTE)) {
            bench.specs().verify(List.of(volume(target, each)));
        }

        Machine.run("umount", target.toString());

        for (MountPoint each : List.of(MountPoint.LOCAL, MountPoint.REMOTE)) {
            assertThat(SpecBench.wordsOf(() -> {
                        bench.specs().verify(List.of(volume(target, each)));
                        return "fine";
                    }))
                    .startsWith("CreateContainerError: Expected volume \"v\" to be mounted at " + target);
        }
    }

    private static PodVolume volume(Path target, MountPoint mountPoint) {
        return new PodVolume("v", "pv2", "kubernetes.io/csi", target, VolumeMode.FILESYSTEM, mountPoint, false);
    }

    @Test
    void makesTheFileForLastWordsBelowDirectoriesOfItsOwn() throws Exception {
        binds("{}", false);

        Path containers = bench.layout.pod("u1").resolve("containers");
        assertThat(Machine.permissions(containers)).isEqualTo("750");
        assertThat(Machine.permissions(containers.resolve("c"))).isEqualTo("750");
        assertThat(Machine.permissions(containers.resolve("c/0"))).isEqualTo("666");
    }
}
