package dev.mooring.volume.nfs;

import static dev.mooring.volume.nfs.NfsPluginFixture.T;
import static dev.mooring.volume.nfs.NfsPluginFixture.TARGET;
import static dev.mooring.volume.nfs.NfsPluginFixture.setUpRequest;
import static dev.mooring.volume.nfs.NfsPluginFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.Command;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.SetUpResult.SetUpEvent;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NfsPluginTest {
    private NfsPluginFixture fixture;

    @BeforeEach
    void node() throws IOException {
        fixture = new NfsPluginFixture();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    @Test
    void plugin_supportsOnlyNfsVolumes() {
        ObjectNode hostPath = JsonNodeFactory.instance.objectNode();
        hostPath.putObject("hostPath").put("path", "/nfs");

        assertThat(fixture.plugin.name()).isEqualTo("kubernetes.io/nfs");
        assertThat(fixture.plugin.supports(volume("nas", "/x").source())).isTrue();
        assertThat(fixture.plugin.supports(hostPath)).isFalse();
        assertThat(fixture.plugin.sharedIdentity("pv", volume("nas", "/x").source()))
                .isEmpty();
        assertThat(fixture.plugin.workerPool(volume("NAS", "/x"))).isEqualTo(WorkerPoolKey.server("nas"));
        assertThat(fixture.plugin.workerPool(volume("[fd00::1]", "/x"))).isEqualTo(WorkerPoolKey.server("fd00::1"));
    }

    @Test
    void setUp_invalidOptions_failsWithoutMounting() {
        assertThat(fixture.plugin.mountOptionsError(List.of("hard", "vers=4.1")))
                .isEmpty();
        assertThat(fixture.plugin.mountOptionsError(List.of("vers=5"))).isPresent();

        assertThat(fixture.failedSetUp("vers=5").reason()).isEqualTo("InvalidOptions");
        assertThat(fixture.mounter.calls()).isEmpty();
        assertThat(fixture.servers.servers()).isEmpty();
    }

    @Test
    void setUp_mountsExportAndReturnsActiveOptions() throws Exception {
        SetUpResult done = fixture.setUp("vers=4.1", "hard");

        assertThat(fixture.mounter.calls())
                .containsExactly(
                        "makeDirectory " + T,
                        "mount nfs nas:/exports/data at " + T + " vers=4.1,hard,nosuid,nodev,retry=0");
        assertThat(done)
                .isEqualTo(new SetUpResult(
                        TARGET,
                        "nas:/exports/data",
                        List.of("vers=4.1", "hard", "nosuid", "nodev", "retry=0"),
                        List.of()));
        assertThat(fixture.commands).isEmpty();
    }

    @Test
    void setUp_ipv6ServerReadOnly_mountsWithBrackets() throws Exception {
        fixture.setUp(setUpRequest(volume("fd00::1", "/x"), Access.READ_ONLY));

        assertThat(fixture.mounter.mounted()).containsExactly(T + " nfs [fd00::1]:/x nosuid,nodev,ro,retry=0");
    }

    @Test
    void setUp_inlineVolumeReadOnly_mountsReadOnly() throws Exception {
        VolumeSpec inline = volume("nas", "/x");
        ((ObjectNode) inline.source().path("nfs")).put("readOnly", true);

        fixture.setUp(setUpRequest(inline, Access.READ_WRITE));

        assertThat(fixture.mounter.mounted()).containsExactly(T + " nfs nas:/x nosuid,nodev,ro,retry=0");
    }

    @Test
    void setUp_volumeModeBlock_fails() {
        VolumeSpec files = volume("nas", "/x");
        VolumeSpec block =
                new VolumeSpec(files.uniqueName(), files.name(), files.source(), VolumeMode.BLOCK, List.of(), 0);

        assertThat(fixture.failedSetUp(setUpRequest(block, Access.READ_WRITE)).reason())
                .isEqualTo("WrongMode");
    }

    @Test
    void setUp_healthyMountExists_keepsIt() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw", "relatime", "vers=4.2", "hard");

        SetUpResult done = fixture.setUp("hard");

        assertThat(fixture.mounter.calls()).isEmpty();
        assertThat(fixture.commands)
                .containsExactly(Command.of(NfsProbe.DEADLINE, "stat", "-f", "-c", "%T", "--", TARGET.toString()));
        assertThat(done.options()).containsExactly("rw", "relatime", "vers=4.2", "hard");
        assertThat(done.source()).isEqualTo("nas:/exports/data");
    }

    private void assertRemounted(String why) throws Exception {
        fixture.setUp();

        assertThat(fixture.mounter.calls())
                .containsExactly(
                        "unmount " + T,
                        "makeDirectory " + T,
                        "mount nfs nas:/exports/data at " + T + " nosuid,nodev,retry=0");
        assertThat(fixture.progressReports)
                .singleElement()
                .asString()
                .startsWith("Remounting: ")
                .contains(why);
    }

    @Test
    void setUp_otherExportMounted_remounts() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/other", "rw");

        assertRemounted("has nfs4 nas:/exports/other instead of nas:/exports/data");
        assertThat(fixture.commands).isEmpty();
    }

    @Test
    void setUp_otherServerMounted_remounts() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas2:/exports/data", "rw");

        assertRemounted("has nfs4 nas2:/exports/data instead of");
    }

    @Test
    void setUp_otherFileSystemMounted_remounts() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "tmpfs", "tmpfs", "rw");

        assertRemounted("has tmpfs tmpfs instead of");
    }

    @Test
    void setUp_mountedReadOnlyInsteadOfWritable_remounts() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "ro");

        assertRemounted("is read-only, but writable was requested");
    }

    @Test
    void setUp_mountedWritableInsteadOfReadOnly_remounts() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        fixture.setUp(setUpRequest(volume("nas", "/exports/data"), Access.READ_ONLY));

        assertThat(fixture.mounter.mounted()).containsExactly(T + " nfs nas:/exports/data nosuid,nodev,ro,retry=0");
    }

    @Test
    void setUp_stackedMounts_remounts() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        assertRemounted("has 2 stacked mounts");
    }

    @Test
    void setUp_staleMount_remounts() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        fixture.nextCommandFails("stat: cannot read file system information for '" + TARGET + "': Stale file handle");

        assertRemounted("the file handle is stale");
    }

    @Test
    void setUp_serverOfMountDoesNotRespond_keepsMount() {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        fixture.nextCommandHangs();

        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(e).hasMessageContaining("did not respond within 5 s").hasMessageContaining("the mount is kept");
        assertThat(fixture.mounter.calls()).isEmpty();
        assertThat(fixture.servers.health("nas").failures()).isEqualTo(1);
    }

    @Test
    void setUp_brokenMountAndServerDown_keepsMount() throws Exception {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        fixture.nextCommandFails("stat: cannot read file system information for 'x': Input/output error");
        fixture.stopServer();

        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo("ServerRefused");
        assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(fixture.mounter.calls()).isEmpty();
    }

    @Test
    void setUp_unmountOfWrongMountFails_doesNotMount() {
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/other", "rw");
        fixture.mounter.failNextUnmount(TARGET, VolumeException.uncertain("Busy", "target is busy", "busy"));

        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo("Busy");
        assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(fixture.mounter.calls()).containsExactly("unmount " + T);
    }

    @Test
    void setUp_mountFails_reportsCauseAndLeavesNothing() {
        String raw = "mount.nfs: access denied by server while mounting nas:/exports/data";
        fixture.mounter.failNextMount(
                TARGET, new VolumeException(FailureState.CLEAN, "MountFailed", "mount failed: exit status 32", raw));

        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo("AccessDenied");
        assertThat(e.raw()).isEqualTo(raw);
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(e).hasMessageStartingWith("server nas does not permit this node to mount /exports/data: ");
        assertThat(fixture.mounter.calls()).last().isEqualTo("removeDirectory " + T);
        assertThat(fixture.mounter.directories()).doesNotContain(T);
        assertThat(fixture.servers.health("nas").failures()).isZero();
    }

    @Test
    void setUp_mountTimesOut_failsAsUncertain() {
        fixture.mounter.hangNextMount(TARGET);

        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(fixture.servers.health("nas").failures()).isEqualTo(1);
    }

    @Test
    void setUp_mountReportedFailedButMounted_unmounts() {
        fixture.mounter.halfSucceedNextMount(
                TARGET,
                new VolumeException(
                        FailureState.CLEAN, "MountFailed", "mount failed", "mount.nfs: Input/output error"));

        assertThat(fixture.failedSetUp().reason()).isEqualTo("IoError");
        assertThat(fixture.mounter.mounted()).isEmpty();
        assertThat(fixture.mounter.calls()).endsWith("unmount " + T, "removeDirectory " + T);
    }

    @Test
    void setUp_cleanUpFails_deletesNothing() {
        fixture.mounter.halfSucceedNextMount(
                TARGET,
                new VolumeException(
                        FailureState.CLEAN, "MountFailed", "mount failed", "mount.nfs: Input/output error"));
        fixture.mounter.hangNextUnmount(TARGET);

        VolumeException e = fixture.failedSetUp();

        assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(e.reason()).isEqualTo("IoError");
        assertThat(fixture.mounter.calls()).last().isEqualTo("unmount " + T);
    }

    private void assertUndone(String reason, String message) {
        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo(reason);
        assertThat(e).hasMessageContaining(message);
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(fixture.mounter.mounted()).isEmpty();
        assertThat(fixture.mounter.directories()).doesNotContain(T);
    }

    @Test
    void setUp_exportOfOtherServerAppears_unmounts() {
        fixture.substituteMounts("nfs4", "nas2:/exports/data", "rw");

        assertUndone("WrongMount", "the directory has nfs4 nas2:/exports/data instead of nas:/exports/data");
    }

    @Test
    void setUp_localFileSystemAppears_unmounts() {
        fixture.substituteMounts("tmpfs", "nas:/exports/data", "rw");

        assertUndone("WrongMount", "the directory has tmpfs");
    }

    @Test
    void setUp_readOnlyMountAppearsInsteadOfWritable_unmounts() {
        fixture.substituteMounts("nfs4", "nas:/exports/data", "ro");

        assertUndone("WrongAccess", "is read-only, but writable was requested: another mount on this node");
    }

    @Test
    void setUp_otherMountOnTop_unmounts() {
        fixture.mounter.beforeEach(line -> {
            if (line.startsWith("mount ")) {
                fixture.mounter.alreadyMounted(TARGET, "tmpfs", "tmpfs", "rw");
            }
        });

        assertUndone("WrongMount", "has 2 stacked mounts");
    }

    @Test
    void setUp_serverRedirectsPath_reportsEvent() throws Exception {
        fixture.substituteMounts("nfs4", "nas:/exports/v3", "rw");

        SetUpResult done = fixture.setUp();

        assertThat(done.source()).isEqualTo("nas:/exports/v3");
        assertThat(done.events()).extracting(SetUpEvent::reason).containsExactly("SourceDiffers");
    }

    @Test
    void setUp_serverRefusesConnection_failsAndLeavesNothing() throws Exception {
        fixture.mounter.makeDirectory(TARGET);
        fixture.stopServer();

        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo("ServerRefused");
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(fixture.mounter.directories()).doesNotContain(T);
        assertThat(fixture.mounter.calls()).noneMatch(each -> each.startsWith("mount "));
    }

    @Test
    void setUp_fsGroup_reportsThatItHasNoEffect() throws Exception {
        SetUpRequest request = NfsPluginFixture.withGroup(setUpRequest(volume("nas", "/x"), Access.READ_WRITE), 2000);

        SetUpEvent event = fixture.setUp(request).events().get(0);

        assertThat(event.reason()).isEqualTo("FsGroupIgnored");
        assertThat(event.message())
                .contains("fsGroup 2000 has no effect on volume \"data\"", "supplementalGroups")
                .contains("pv.beta.kubernetes.io/gid");
    }

    @Test
    void setUp_optionsDiffer_reportsEvent() throws Exception {
        fixture.mounter.alreadyMounted(
                TARGET, "nfs4", "nas:/exports/data", "rw", "vers=4.2", "hard", "proto=tcp", "timeo=600", "sec=sys");

        SetUpResult done = fixture.setUp("vers=4", "soft", "timeo=50", "proto=tcp", "sec=sys:krb5", "noatime");

        assertThat(done.events()).extracting(SetUpEvent::reason).containsExactly("MountOptionsDiffer");
        assertThat(done.events().get(0).message())
                .contains("soft (in force: hard), timeo=50 (in force: timeo=600); ")
                .contains("nosharecache");
        assertThat(fixture.setUp("vers=3").events().get(0).message()).contains("vers=3 (in force: vers=4.2)");
        assertThat(fixture.setUp("vers=4.2", "hard").events()).isEmpty();
    }

    @Test
    void setUp_again_isIdempotent() throws Exception {
        SetUpResult first = fixture.setUp();

        assertThat(fixture.setUp()).isEqualTo(first);
        assertThat(fixture.mounter.mounted()).hasSize(1);
    }

    @Test
    void provider_createsPlugin() {
        assertThat(new NfsPlugin.Provider().create(fixture.context()).name()).isEqualTo("kubernetes.io/nfs");
        assertThat(Optional.of(fixture.plugin.servers())).contains(fixture.servers);
    }
}
