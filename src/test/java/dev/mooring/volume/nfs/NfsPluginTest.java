package dev.mooring.volume.nfs;

import static dev.mooring.volume.nfs.NfsBench.T;
import static dev.mooring.volume.nfs.NfsBench.TARGET;
import static dev.mooring.volume.nfs.NfsBench.volume;
import static dev.mooring.volume.nfs.NfsBench.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.Lane;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.SetUpDone.Remark;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.process.Command;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NfsPluginTest {
    private NfsBench bench;

    @BeforeEach
    void node() throws IOException {
        bench = new NfsBench();
    }

    @AfterEach
    void end() throws IOException {
        bench.close();
    }

    @Test
    void knowsNfsVolumesAndNoOthers() {
        ObjectNode hostPath = JsonNodeFactory.instance.objectNode();
        hostPath.putObject("hostPath").put("path", "/nfs");

        assertThat(bench.plugin.name()).isEqualTo("kubernetes.io/nfs");
        assertThat(bench.plugin.supports(volume("nas", "/x").source())).isTrue();
        assertThat(bench.plugin.supports(hostPath)).isFalse();
        assertThat(bench.plugin.sharedIdentity("pv", volume("nas", "/x").source()))
                .isEmpty();
        assertThat(bench.plugin.lane(volume("NAS", "/x"))).isEqualTo(Lane.nfs("nas"));
        assertThat(bench.plugin.lane(volume("[fd00::1]", "/x"))).isEqualTo(Lane.nfs("fd00::1"));
    }

    @Test
    void refusesOptionsBeforeAnythingIsMounted() {
        assertThat(bench.plugin.refusal(List.of("hard", "vers=4.1"))).isEmpty();
        assertThat(bench.plugin.refusal(List.of("vers=5"))).isPresent();

        assertThat(bench.failedSetUp("vers=5").reason()).isEqualTo("InvalidOptions");
        assertThat(bench.mounter.calls()).isEmpty();
        assertThat(bench.servers.servers()).isEmpty();
    }

    @Test
    void mountsWhatIsAskedForAndTellsWhatIsInForce() throws Exception {
        SetUpDone done = bench.setUp("vers=4.1", "hard");

        assertThat(bench.mounter.calls())
                .containsExactly(
                        "makeDirectory " + T, "mount nfs nas:/exports/data at " + T + " vers=4.1,hard,retry=0");
        assertThat(done)
                .isEqualTo(
                        new SetUpDone(TARGET, "nas:/exports/data", List.of("vers=4.1", "hard", "retry=0"), List.of()));
        assertThat(bench.commands).isEmpty();
    }

    @Test
    void mountsAnIpv6ServerInBracketsAndReadOnly() throws Exception {
        bench.setUp(wanted(volume("fd00::1", "/x"), Access.READ_ONLY));

        assertThat(bench.mounter.mounted()).containsExactly(T + " nfs [fd00::1]:/x ro,retry=0");
    }

    @Test
    void inlineVolumesSayThemselvesThatTheyAreReadOnly() throws Exception {
        VolumeSpec inline = volume("nas", "/x");
        ((ObjectNode) inline.source().path("nfs")).put("readOnly", true);

        bench.setUp(wanted(inline, Access.READ_WRITE));

        assertThat(bench.mounter.mounted()).containsExactly(T + " nfs nas:/x ro,retry=0");
    }

    @Test
    void holdsFilesOnly() {
        VolumeSpec files = volume("nas", "/x");
        VolumeSpec block = new VolumeSpec(files.volume(), files.name(), files.source(), VolumeMode.BLOCK, List.of(), 0);

        assertThat(bench.failedSetUp(wanted(block, Access.READ_WRITE)).reason()).isEqualTo("WrongMode");
    }

    @Test
    void whatIsMountedAndAliveIsLeftAsItIs() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw", "relatime", "vers=4.2", "hard");

        SetUpDone done = bench.setUp("hard");

        assertThat(bench.mounter.calls()).isEmpty();
        assertThat(bench.commands)
                .containsExactly(Command.of(NfsProbe.DEADLINE, "stat", "-f", "-c", "%T", "--", TARGET.toString()));
        assertThat(done.options()).containsExactly("rw", "relatime", "vers=4.2", "hard");
        assertThat(done.source()).isEqualTo("nas:/exports/data");
    }

    private void assertMountedAnew(String why) throws Exception {
        bench.setUp();

        assertThat(bench.mounter.calls())
                .containsExactly(
                        "unmount " + T, "makeDirectory " + T, "mount nfs nas:/exports/data at " + T + " retry=0");
        assertThat(bench.told)
                .singleElement()
                .asString()
                .startsWith("Remounting: ")
                .contains(why);
    }

    @Test
    void anotherExportIsUnmountedAndTheRightOneMounted() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/other", "rw");

        assertMountedAnew("has nfs4 nas:/exports/other instead of nas:/exports/data");
        assertThat(bench.commands).isEmpty();
    }

    @Test
    void anotherServerIsUnmountedAndTheRightOneMounted() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas2:/exports/data", "rw");

        assertMountedAnew("has nfs4 nas2:/exports/data instead of");
    }

    @Test
    void somethingThatIsNotNfsIsUnmounted() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "tmpfs", "tmpfs", "rw");

        assertMountedAnew("has tmpfs tmpfs instead of");
    }

    @Test
    void readOnlyInPlaceOfWritableIsMountedAnew() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "ro");

        assertMountedAnew("is read-only, but writable was asked for");
    }

    @Test
    void writableInPlaceOfReadOnlyIsMountedAnew() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        bench.setUp(wanted(volume("nas", "/exports/data"), Access.READ_ONLY));

        assertThat(bench.mounter.mounted()).containsExactly(T + " nfs nas:/exports/data ro,retry=0");
    }

    @Test
    void mountsOverEachOtherAreUnmounted() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        assertMountedAnew("has 2 mounts over each other");
    }

    @Test
    void aStaleMountIsMountedAnew() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        bench.nextCommandSays("stat: cannot read file system information for '" + TARGET + "': Stale file handle");

        assertMountedAnew("the file handle is stale");
    }

    @Test
    void aMountWhoseServerDoesNotAnswerIsKept() {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        bench.nextCommandHangs();

        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(e).hasMessageContaining("did not answer within 5 s").hasMessageContaining("the mount is kept");
        assertThat(bench.mounter.calls()).isEmpty();
        assertThat(bench.servers.health("nas").failures()).isEqualTo(1);
    }

    @Test
    void aBrokenMountIsNotTakenAwayWhileItsServerCannotReplaceIt() throws Exception {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");
        bench.nextCommandSays("stat: cannot read file system information for 'x': Input/output error");
        bench.stopServer();

        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo("ServerRefused");
        assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(bench.mounter.calls()).isEmpty();
    }

    @Test
    void aWrongMountThatCannotBeUnmountedIsNotMountedOver() {
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/other", "rw");
        bench.mounter.failNextUnmount(TARGET, VolumeException.uncertain("Busy", "target is busy", "busy"));

        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo("Busy");
        assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(bench.mounter.calls()).containsExactly("unmount " + T);
    }

    @Test
    void aFailedMountIsTranslatedAndLeavesNothing() {
        String raw = "mount.nfs: access denied by server while mounting nas:/exports/data";
        bench.mounter.failNextMount(
                TARGET, new VolumeException(Left.NOTHING, "MountFailed", "mount failed: exit status 32", raw));

        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo("AccessDenied");
        assertThat(e.raw()).isEqualTo(raw);
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(e).hasMessageStartingWith("server nas does not permit this node to mount /exports/data: ");
        assertThat(bench.mounter.calls()).last().isEqualTo("removeDirectory " + T);
        assertThat(bench.mounter.directories()).doesNotContain(T);
        assertThat(bench.servers.health("nas").failures()).isZero();
    }

    @Test
    void aMountThatHangsMayLeaveSomething() {
        bench.mounter.hangNextMount(TARGET);

        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(bench.servers.health("nas").failures()).isEqualTo(1);
    }

    @Test
    void aMountThatHappenedAlthoughItWasReportedAsFailedIsUndone() {
        bench.mounter.halfSucceedNextMount(
                TARGET,
                new VolumeException(Left.NOTHING, "MountFailed", "mount failed", "mount.nfs: Input/output error"));

        assertThat(bench.failedSetUp().reason()).isEqualTo("IoError");
        assertThat(bench.mounter.mounted()).isEmpty();
        assertThat(bench.mounter.calls()).endsWith("unmount " + T, "removeDirectory " + T);
    }

    @Test
    void aFailedMountThatCannotBeUndoneIsNeverFollowedByADeletion() {
        bench.mounter.halfSucceedNextMount(
                TARGET,
                new VolumeException(Left.NOTHING, "MountFailed", "mount failed", "mount.nfs: Input/output error"));
        bench.mounter.hangNextUnmount(TARGET);

        VolumeException e = bench.failedSetUp();

        assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(e.reason()).isEqualTo("IoError");
        assertThat(bench.mounter.calls()).last().isEqualTo("unmount " + T);
    }

    private void assertUndone(String reason, String words) {
        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo(reason);
        assertThat(e).hasMessageContaining(words);
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(bench.mounter.mounted()).isEmpty();
        assertThat(bench.mounter.directories()).doesNotContain(T);
    }

    @Test
    void anotherServersExportInPlaceOfTheAskedForOneIsUndone() {
        bench.mountsInstead("nfs4", "nas2:/exports/data", "rw");

        assertUndone("WrongMount", "the directory has nfs4 nas2:/exports/data instead of nas:/exports/data");
    }

    @Test
    void aLocalFileSystemInPlaceOfTheExportIsUndone() {
        bench.mountsInstead("tmpfs", "nas:/exports/data", "rw");

        assertUndone("WrongMount", "the directory has tmpfs");
    }

    @Test
    void aReadOnlyMountInPlaceOfAWritableOneIsUndone() {
        bench.mountsInstead("nfs4", "nas:/exports/data", "ro");

        assertUndone("WrongAccess", "is read-only, but writable was asked for: another mount of it on this node");
    }

    @Test
    void aMountThatSomebodyElseCoversIsUndone() {
        bench.mounter.beforeEach(line -> {
            if (line.startsWith("mount ")) {
                bench.mounter.alreadyMounted(TARGET, "tmpfs", "tmpfs", "rw");
            }
        });

        assertUndone("WrongMount", "has 2 mounts over each other");
    }

    @Test
    void followsTheServerWhereItsLinksLeadAndSaysSo() throws Exception {
        bench.mountsInstead("nfs4", "nas:/exports/v3", "rw");

        SetUpDone done = bench.setUp();

        assertThat(done.source()).isEqualTo("nas:/exports/v3");
        assertThat(done.remarks()).extracting(Remark::reason).containsExactly("SourceDiffers");
    }

    @Test
    void aServerThatRefusesIsNotMountedFromAndLeavesNothing() throws Exception {
        bench.mounter.makeDirectory(TARGET);
        bench.stopServer();

        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo("ServerRefused");
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(bench.mounter.directories()).doesNotContain(T);
        assertThat(bench.mounter.calls()).noneMatch(each -> each.startsWith("mount "));
    }

    @Test
    void saysThatFsGroupHasNoEffect() throws Exception {
        SetUp what = NfsBench.withGroup(wanted(volume("nas", "/x"), Access.READ_WRITE), 2000);

        Remark remark = bench.setUp(what).remarks().get(0);

        assertThat(remark.reason()).isEqualTo("FsGroupIgnored");
        assertThat(remark.message())
                .contains("fsGroup 2000 has no effect on volume \"data\"", "supplementalGroups")
                .contains("pv.beta.kubernetes.io/gid");
    }

    @Test
    void saysWhichOptionsAreNotInForce() throws Exception {
        bench.mounter.alreadyMounted(
                TARGET, "nfs4", "nas:/exports/data", "rw", "vers=4.2", "hard", "proto=tcp", "timeo=600", "sec=sys");

        SetUpDone done = bench.setUp("vers=4", "soft", "timeo=50", "proto=tcp", "sec=sys:krb5", "noatime");

        assertThat(done.remarks()).extracting(Remark::reason).containsExactly("MountOptionsDiffer");
        assertThat(done.remarks().get(0).message())
                .contains("soft (in force: hard), timeo=50 (in force: timeo=600); ")
                .contains("nosharecache");
        assertThat(bench.setUp("vers=3").remarks().get(0).message()).contains("vers=3 (in force: vers=4.2)");
        assertThat(bench.setUp("vers=4.2", "hard").remarks()).isEmpty();
    }

    @Test
    void theSameIsSuccessAgain() throws Exception {
        SetUpDone first = bench.setUp();

        assertThat(bench.setUp()).isEqualTo(first);
        assertThat(bench.mounter.mounted()).hasSize(1);
    }

    @Test
    void providesItselfToANode() {
        assertThat(new NfsPlugin.Provider().create(bench.parts()).name()).isEqualTo("kubernetes.io/nfs");
        assertThat(Optional.of(bench.plugin.servers())).contains(bench.servers);
    }
}
