package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.Propagation;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ContainerMountsTest {
    private static final String LOG = "/dev/termination-log";

    @TempDir
    Path directory;

    private ContainerSpecFixture fixture;

    @BeforeEach
    void prepare() {
        fixture = new ContainerSpecFixture(directory);
    }

    private static PodVolume volume(String name, String plugin, VolumeMode mode, boolean readOnly) {
        return new PodVolume(
                name, name, "kubernetes.io/" + plugin, Path.of("/v/" + name), mode, MountPoint.NONE, readOnly);
    }

    private static final List<PodVolume> VOLUMES = List.of(
            volume("data", "nfs", VolumeMode.FILESYSTEM, false),
            volume("still", "nfs", VolumeMode.FILESYSTEM, true),
            volume("conf", "configmap", VolumeMode.FILESYSTEM, false),
            volume("keys", "secret", VolumeMode.FILESYSTEM, false),
            volume("facts", "downward-api", VolumeMode.FILESYSTEM, false),
            volume("all", "projected", VolumeMode.FILESYSTEM, false),
            volume("disk", "csi", VolumeMode.BLOCK, false),
            volume("frozen", "csi", VolumeMode.BLOCK, true));

    /** Returns the bind mounts of a container, except the one for its termination message; or the error. */
    private String mounts(String mounts) throws InterruptedException {
        return ContainerSpecFixture.resultOf(
                () -> fixture
                        .container(ContainerSpecFixture.pod("{}"), "{volumeMounts: [" + mounts + "]}", VOLUMES)
                        .spec()
                        .binds()
                        .stream()
                        .filter(each -> !each.target().equals(LOG))
                        .map(ContainerMountsTest::describe)
                        .collect(Collectors.joining(", ")));
    }

    private static String describe(BindMount bind) {
        return bind.source() + " at " + bind.target() + ' ' + bind.access()
                + (bind.propagation() == Propagation.PRIVATE ? "" : " " + bind.propagation());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {name: 'data', mountPath: '/d'}                                             | /v/data at /d READ_WRITE
        {name: 'data', mountPath: 'd'}                                              | /v/data at /d READ_WRITE
        {name: 'data', mountPath: '/d', readOnly: true}                             | /v/data at /d READ_ONLY
        {name: 'still', mountPath: '/d'}                                            | /v/still at /d READ_ONLY
        {name: 'still', mountPath: '/d', readOnly: false}                           | /v/still at /d READ_ONLY
        {name: 'conf', mountPath: '/d', readOnly: false}                            | /v/conf at /d READ_ONLY
        {name: 'keys', mountPath: '/d'}                                             | /v/keys at /d READ_ONLY
        {name: 'facts', mountPath: '/d'}                                            | /v/facts at /d READ_ONLY
        {name: 'all', mountPath: '/d'}                                              | /v/all at /d READ_ONLY
        {name: 'data', mountPath: '/x'}, {name: 'data', mountPath: '/y'}            | /v/data at /x READ_WRITE, /v/data at /y READ_WRITE
        {name: 'data', mountPath: '/a/b/c'}, {name: 'still', mountPath: '/a'}, {name: 'conf', mountPath: '/a/b/'} | /v/still at /a READ_ONLY, /v/conf at /a/b/ READ_ONLY, /v/data at /a/b/c READ_WRITE
        {name: 'data', mountPath: '/d', mountPropagation: 'None'}                   | /v/data at /d READ_WRITE
        {name: 'data', mountPath: '/d', mountPropagation: 'HostToContainer'}        | /v/data at /d READ_WRITE HOST_TO_CONTAINER
        {name: 'data', mountPath: '/d', mountPropagation: 'Bidirectional'}          | /v/data at /d READ_WRITE BIDIRECTIONAL
        {name: 'data', mountPath: '/d', mountPropagation: 'Sideways'}               | CreateContainerConfigError: invalid MountPropagation mode: "Sideways"
        {name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Disabled'}   | /v/data at /d READ_ONLY
        {name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'IfPossible'} | /v/data at /d READ_ONLY
        {name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Enabled'}    | /v/data at /d READ_ONLY_RECURSIVE
        {name: 'data', mountPath: '/d', recursiveReadOnly: 'Enabled'}               | CreateContainerConfigError: volume "data" requested recursive read-only mode, but it is not read-only
        {name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer'} | CreateContainerConfigError: volume "data" requested recursive read-only mode, but it is not compatible with propagation "HostToContainer"
        {name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Maybe'} | CreateContainerConfigError: unknown recursive read-only mode "Maybe"
        {name: 'lost', mountPath: '/d'}                                             | CreateContainerError: cannot find volume "lost" to mount into container "c"
        {name: 'disk', mountPath: '/d'}                                             | CreateContainerError: cannot find volume "disk" to mount into container "c"
        {name: 'data', mountPath: '/d', subPath: '../up'}                           | CreateContainerConfigError: unable to provision SubPath `../up`: must not contain '..'
        {name: 'data', mountPath: '/d', subPath: '/abs'}                            | CreateContainerConfigError: error SubPath `/abs` must not be an absolute path
        {name: 'data', mountPath: '/d', subPathExpr: 'x/$(UNSET)'}                  | CreateContainerConfigError: missing value for UNSET
        """)
    void mounts_matchTheKubelets(String mounts, String expected) throws InterruptedException {
        assertThat(mounts(mounts)).isEqualTo(expected);
    }

    @Test
    void mounts_engineSupportsRecursiveReadOnly_areRecursivelyReadOnly() throws InterruptedException {
        fixture.recursive = true;

        assertThat(mounts("{name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'IfPossible'}"))
                .isEqualTo("/v/data at /d READ_ONLY_RECURSIVE");
    }

    @Test
    void devices_blockVolumes_areAtDevicePath() throws Exception {
        String container = "{volumeDevices: [{name: 'disk', devicePath: '/dev/xvda'},"
                + " {name: 'frozen', devicePath: '/dev/xvdb'}]}";

        assertThat(fixture.container(ContainerSpecFixture.pod("{}"), container, VOLUMES)
                        .spec()
                        .devices())
                .containsExactly(
                        new Device(Path.of("/v/disk"), "/dev/xvda", MountAccess.READ_WRITE),
                        new Device(Path.of("/v/frozen"), "/dev/xvdb", MountAccess.READ_ONLY));
    }

    @ParameterizedTest
    @CsvSource({"lost", "data"})
    void devices_missingOrFilesystemVolume_areRejected(String name) throws InterruptedException {
        String container = "{volumeDevices: [{name: '" + name + "', devicePath: '/dev/xvda'}]}";

        assertThat(ContainerSpecFixture.resultOf(
                        () -> fixture.container(ContainerSpecFixture.pod("{}"), container, VOLUMES)
                                .toString()))
                .isEqualTo("CreateContainerError: cannot find volume \"" + name + "\" to pass into container \"c\"");
    }

    @Test
    void mounts_missingVolume_doNotTouchTheMounter() throws InterruptedException {
        mounts("{name: 'lost', mountPath: '/d'}");

        assertThat(fixture.fake.calls()).isEmpty();
    }
}
