package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.FsGroup.FsGroupChangePolicy;
import dev.mooring.volume.OperationProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupOwnershipTest {
    private static final int GID = 4321;
    private static final FsGroup ALWAYS = new FsGroup(GID, FsGroupChangePolicy.ALWAYS);
    private static final FsGroup ON_MISMATCH = new FsGroup(GID, FsGroupChangePolicy.ON_ROOT_MISMATCH);
    private static final Clock CLOCK = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);

    @TempDir
    Path temp;

    private Path volume;
    private Path outside;

    @BeforeEach
    void directories() throws IOException {
        HostMachine.assumeRoot();
        volume = Files.createDirectories(temp.toRealPath().resolve("pods/0f3a/volumes/kubernetes.io~csi/pv-1"));
        outside = Files.createFile(temp.toRealPath().resolve("outside"));
    }

    private GroupOwnership.OwnershipResult apply(FsGroup ownership) throws Exception {
        return new GroupOwnership(SystemCalls.real(), CLOCK)
                .apply(volume, ownership, Access.READ_WRITE, OperationProgress.NO_OP);
    }

    private static int gid(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }

    private Path file(String name, String mode) throws Exception {
        Path file = Files.createFile(volume.resolve(name));
        HostMachine.run("chmod", mode, file.toString());
        return file;
    }

    /** Expected modes are those of the kubelet's changeFilePermission. */
    @ParameterizedTest
    @CsvSource({
        "file, 600, READ_WRITE, 660",
        "file, 600, READ_ONLY, 640",
        "file, 644, READ_WRITE, 664",
        "file, 000, READ_ONLY, 440",
        "file, 755, READ_WRITE, 775",
        "file, 4755, READ_WRITE, 4775",
        "file, 6755, READ_WRITE, 6775",
        "dir, 700, READ_WRITE, 2770",
        "dir, 700, READ_ONLY, 2750",
        "dir, 755, READ_WRITE, 2775",
        "dir, 1777, READ_WRITE, 3777",
        "fifo, 600, READ_WRITE, 660",
        "device, 600, READ_WRITE, 660"
    })
    void apply_anyFileType_changesGroupAndModeLikeKubelet(String kind, String before, Access access, String after)
            throws Exception {
        Path path = volume.resolve("entry");
        switch (kind) {
            case "dir" -> Files.createDirectory(path);
            case "fifo" -> HostMachine.run("mkfifo", path.toString());
            case "device" -> HostMachine.run("mknod", path.toString(), "c", "1", "5");
            default -> Files.createFile(path);
        }
        HostMachine.run("chmod", before, path.toString());
        new GroupOwnership(SystemCalls.real(), CLOCK).apply(volume, ALWAYS, access, OperationProgress.NO_OP);
        assertThat(gid(path)).isEqualTo(GID);
        assertThat(Files.getAttribute(path, "unix:uid")).isEqualTo(0);
        assertThat(HostMachine.permissions(path)).isEqualTo(after);
        assertThat(gid(volume)).isEqualTo(GID);
    }

    @Test
    void apply_symbolicLinks_changesLinksButNotTargets() throws Exception {
        HostMachine.run("chmod", "600", outside.toString());
        Path link = Files.createSymbolicLink(volume.resolve("link"), outside);
        Path up = Files.createSymbolicLink(volume.resolve("up"), volume.getParent());
        apply(ALWAYS);
        assertThat(gid(link)).isEqualTo(GID);
        assertThat(gid(up)).isEqualTo(GID);
        assertThat(gid(outside)).isZero();
        assertThat(HostMachine.permissions(outside)).isEqualTo("600");
        assertThat(gid(volume.getParent())).isZero();
    }

    @Test
    void apply_mountsInside_doesNotEnterThem() throws Exception {
        Path inner = Files.createDirectories(volume.resolve("inner"));
        Path bound = file("bound", "600");
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", inner.toString());
        HostMachine.run("mount", "--bind", outside.toString(), bound.toString());
        try {
            Files.createFile(inner.resolve("foreign"));
            apply(ALWAYS);
            assertThat(gid(inner)).isZero();
            assertThat(gid(inner.resolve("foreign"))).isZero();
            assertThat(gid(outside)).isZero();
        } finally {
            HostMachine.run("umount", inner.toString(), bound.toString());
        }
        assertThat(gid(volume)).isEqualTo(GID);
    }

    @Test
    void apply_rootHasGroup_skipsFilesOnlyWithOnRootMismatch() throws Exception {
        apply(ALWAYS);
        Path later = file("later", "600");
        HostMachine.run("chgrp", "0", later.toString());
        assertThat(apply(ON_MISMATCH).seen()).isZero();
        assertThat(gid(later)).isZero();
        assertThat(apply(ALWAYS).changed()).isEqualTo(1);
        assertThat(gid(later)).isEqualTo(GID);
    }

    @ParameterizedTest
    @CsvSource({
        "2770, 4321, READ_WRITE, true",
        "2777, 4321, READ_WRITE, true",
        "2775, 4321, READ_WRITE, true",
        "2770, 0, READ_WRITE, false",
        "770, 4321, READ_WRITE, false",
        "2750, 4321, READ_WRITE, false",
        "2750, 4321, READ_ONLY, true",
        "2700, 4321, READ_ONLY, false"
    })
    void onRootMismatch_modeAndGroupOfRoot_decideWhetherToSkip(
            String mode, String group, Access access, boolean skipped) throws Exception {
        Path inside = file("file", "600");
        HostMachine.run("chgrp", group, volume.toString());
        HostMachine.run("chmod", mode, volume.toString());
        new GroupOwnership(SystemCalls.real(), CLOCK).apply(volume, ON_MISMATCH, access, OperationProgress.NO_OP);
        assertThat(gid(inside)).isEqualTo(skipped ? 0 : GID);
    }

    @Test
    void apply_crashAtAnySystemCall_changesRootLastAndRecovers() throws Exception {
        Files.createDirectories(volume.resolve("a/b"));
        Files.createFile(volume.resolve("a/b/file"));
        file("one", "600");
        int crashes = 0;
        for (int calls = 0; ; calls++) {
            HostMachine.run("chgrp", "-R", "0", volume.toString());
            HostMachine.run("chmod", "-R", "u=rwx,g=,o=,g-s", volume.toString());
            try {
                new GroupOwnership(FaultySystemCalls.after(calls), CLOCK)
                        .apply(volume, ON_MISMATCH, Access.READ_WRITE, OperationProgress.NO_OP);
                break;
            } catch (FaultySystemCalls.Crash expected) {
                crashes++;
            }
            apply(ON_MISMATCH);
            assertAllChanged();
        }
        assertAllChanged();
        assertThat(crashes).isGreaterThan(20);
    }

    private void assertAllChanged() throws Exception {
        for (String each : HostMachine.below(volume)) {
            assertThat(gid(volume.resolve(each))).as(each).isEqualTo(GID);
            int needed = Files.isDirectory(volume.resolve(each)) ? 02770 : 0660;
            assertThat(Integer.parseInt(HostMachine.permissions(volume.resolve(each)), 8) & needed)
                    .as(each)
                    .isEqualTo(needed);
        }
        assertThat(gid(volume)).isEqualTo(GID);
        assertThat(HostMachine.permissions(volume)).isEqualTo("2770");
    }

    @Test
    void apply_interrupted_continuesWithRemainingFiles() throws Exception {
        for (int i = 0; i < 200; i++) {
            file("f" + i, "600");
        }
        int[] changes = {0};
        SystemCalls interrupted = FaultySystemCalls.disturbedBy(() -> {
            changes[0]++;
            if (changes[0] == 500) {
                Thread.currentThread().interrupt();
            }
        });
        assertThatThrownBy(() -> new GroupOwnership(interrupted, CLOCK)
                        .apply(volume, ON_MISMATCH, Access.READ_WRITE, OperationProgress.NO_OP))
                .isInstanceOf(InterruptedException.class);
        assertThat(gid(volume)).isZero();
        GroupOwnership.OwnershipResult rest = apply(ON_MISMATCH);
        assertThat(rest.seen()).isEqualTo(201);
        assertThat(rest.changed()).isBetween(50L, 180L);
        assertThat(apply(ALWAYS)).isEqualTo(new GroupOwnership.OwnershipResult(201, 0, Optional.empty()));
    }

    /** Clock that advances by a fixed duration at each reading; it is read every 64 files. */
    private static final class AdvancingClock extends Clock {
        private final Duration tick;
        private Instant now = Instant.EPOCH;

        private AdvancingClock(Duration tick) {
            this.tick = tick;
        }

        @Override
        public Instant instant() {
            now = now.plus(tick);
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @Test
    void apply_slow_reportsProgressAfter30SecondsThenEachMinute() throws Exception {
        for (int i = 0; i < 700; i++) {
            Files.createFile(volume.resolve("f" + i));
        }
        List<String> reports = new ArrayList<>();
        new GroupOwnership(SystemCalls.real(), new AdvancingClock(Duration.ofSeconds(15)))
                .apply(volume, ALWAYS, Access.READ_WRITE, (reason, message) -> reports.add(reason + ": " + message));
        String prefix = "SettingOwnership: Setting volume ownership for 0f3a/volumes/kubernetes.io~csi/pv-1";
        assertThat(reports)
                .containsExactly(
                        prefix + " is taking longer than expected, consider using OnRootMismatch -"
                                + " https://kubernetes.io/docs/tasks/configure-pod-container/security-context/"
                                + "#configure-volume-permission-and-ownership-change-policy-for-pods, processed 128"
                                + " files.",
                        prefix + ", processed 384 files.",
                        prefix + ", processed 640 files.");
        reports.clear();
        new GroupOwnership(SystemCalls.real(), CLOCK)
                .apply(volume, ALWAYS, Access.READ_WRITE, (reason, message) -> reports.add(message));
        assertThat(reports).isEmpty();
    }

    @Test
    void apply_deepTree_changesAllFiles() throws Exception {
        Path deep = volume;
        for (int i = 0; i < 350; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        Path file = Files.createFile(deep.resolve("file"));
        assertThat(apply(ALWAYS).changed()).isEqualTo(352);
        assertThat(gid(file)).isEqualTo(GID);
        for (Path each = file; !each.equals(volume.getParent()); each = each.getParent()) {
            assertThat(gid(each)).isEqualTo(GID);
        }
    }

    @Test
    void apply_changeNotPermitted_continuesAndReportsFile() throws Exception {
        file("one", "600");
        file("two", "600");
        SystemCalls refusing = FaultySystemCalls.failing("fchownat", 1, 1);
        GroupOwnership.OwnershipResult outcome =
                new GroupOwnership(refusing, CLOCK).apply(volume, ALWAYS, Access.READ_WRITE, OperationProgress.NO_OP);
        assertThat(outcome.changed()).isEqualTo(2);
        assertThat(outcome.event().orElseThrow().message())
                .startsWith("Setting volume ownership for 0f3a/volumes/kubernetes.io~csi/pv-1: 1 of 3 files could not"
                        + " be given to group 4321, the first: chown ")
                .contains("EPERM");
    }

    @Test
    void apply_fileSystemError_fails() throws Exception {
        file("one", "600");
        SystemCalls broken = FaultySystemCalls.failing("fchownat", 1, 5);
        assertThatThrownBy(() -> new GroupOwnership(broken, CLOCK)
                        .apply(volume, ALWAYS, Access.READ_WRITE, OperationProgress.NO_OP))
                .hasMessageStartingWith("applyFSGroup failed for vol pv-1: chown ")
                .hasMessageContaining("EIO");
        assertThat(gid(volume)).isZero();
    }

    @Test
    void apply_nonUtf8FileName_changesFile() throws Exception {
        HostMachine.run(
                "python3", "-c", "import os,sys; open(os.fsencode(sys.argv[1])+b'/\\xff\\xfe','w')", volume.toString());
        assertThat(apply(ALWAYS).changed()).isEqualTo(2);
        assertThat(HostMachine.run("find", volume.toString(), "-gid", "0")).isEmpty();
    }
}
