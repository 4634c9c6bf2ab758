package dev.mooring.volume.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.Access;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.Ownership.When;
import dev.mooring.volume.Progress;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
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
    private static final Ownership ALWAYS = new Ownership(GID, When.ALWAYS);
    private static final Ownership ON_MISMATCH = new Ownership(GID, When.ON_ROOT_MISMATCH);
    private static final Clock STILL = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);

    @TempDir
    Path temp;

    private Path volume;
    private Path outside;

    @BeforeEach
    void directories() throws IOException {
        Machine.assumeRoot();
        volume = Files.createDirectories(temp.toRealPath().resolve("pods/0f3a/volumes/kubernetes.io~csi/pv-1"));
        outside = Files.createFile(temp.toRealPath().resolve("outside"));
    }

    private GroupOwnership.Outcome apply(Ownership ownership) throws Exception {
        return new GroupOwnership(SystemCalls.real(), STILL)
                .apply(volume, ownership, Access.READ_WRITE, Progress.IGNORED);
    }

    private static int gid(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }

    private Path file(String name, String mode) throws Exception {
        Path file = Files.createFile(volume.resolve(name));
        Machine.run("chmod", mode, file.toString());
        return file;
    }

    /** What the kubelet's changeFilePermission makes of each. */
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
    void changesGroupAndPermissionsAsTheKubelet(String kind, String before, Access access, String after)
            throws Exception {
        Path path = volume.resolve("it");
        switch (kind) {
            case "dir" -> Files.createDirectory(path);
            case "fifo" -> Machine.run("mkfifo", path.toString());
            case "device" -> Machine.run("mknod", path.toString(), "c", "1", "5");
            default -> Files.createFile(path);
        }
        Machine.run("chmod", before, path.toString());
        new GroupOwnership(SystemCalls.real(), STILL).apply(volume, ALWAYS, access, Progress.IGNORED);
        assertThat(gid(path)).isEqualTo(GID);
        assertThat(Files.getAttribute(path, "unix:uid")).isEqualTo(0);
        assertThat(Machine.permissions(path)).isEqualTo(after);
        assertThat(gid(volume)).isEqualTo(GID);
    }

    @Test
    void changesLinksThemselvesAndNotWhatTheySpeakOf() throws Exception {
        Machine.run("chmod", "600", outside.toString());
        Path link = Files.createSymbolicLink(volume.resolve("link"), outside);
        Path up = Files.createSymbolicLink(volume.resolve("up"), volume.getParent());
        apply(ALWAYS);
        assertThat(gid(link)).isEqualTo(GID);
        assertThat(gid(up)).isEqualTo(GID);
        assertThat(gid(outside)).isZero();
        assertThat(Machine.permissions(outside)).isEqualTo("600");
        assertThat(gid(volume.getParent())).isZero();
    }

    @Test
    void staysInItsMount() throws Exception {
        Path inner = Files.createDirectories(volume.resolve("inner"));
        Path bound = file("bound", "600");
        Machine.run("mount", "-t", "tmpfs", "tmpfs", inner.toString());
        Machine.run("mount", "--bind", outside.toString(), bound.toString());
        try {
            Files.createFile(inner.resolve("theirs"));
            apply(ALWAYS);
            assertThat(gid(inner)).isZero();
            assertThat(gid(inner.resolve("theirs"))).isZero();
            assertThat(gid(outside)).isZero();
        } finally {
            Machine.run("umount", inner.toString(), bound.toString());
        }
        assertThat(gid(volume)).isEqualTo(GID);
    }

    @Test
    void isContentWithARightRootOnMismatchOnly() throws Exception {
        apply(ALWAYS);
        Path later = file("later", "600");
        Machine.run("chgrp", "0", later.toString());
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
    void knowsARightRoot(String mode, String group, Access access, boolean right) throws Exception {
        Path inside = file("file", "600");
        Machine.run("chgrp", group, volume.toString());
        Machine.run("chmod", mode, volume.toString());
        new GroupOwnership(SystemCalls.real(), STILL).apply(volume, ON_MISMATCH, access, Progress.IGNORED);
        assertThat(gid(inside)).isEqualTo(right ? 0 : GID);
    }

    @Test
    void leavesTheRootWrongUntilAllElseIsRightWhereverItIsCutOff() throws Exception {
        Files.createDirectories(volume.resolve("a/b"));
        Files.createFile(volume.resolve("a/b/file"));
        file("one", "600");
        int cutOff = 0;
        for (int calls = 0; ; calls++) {
            Machine.run("chgrp", "-R", "0", volume.toString());
            Machine.run("chmod", "-R", "u=rwx,g=,o=,g-s", volume.toString());
            try {
                new GroupOwnership(CallsWithout.after(calls), STILL)
                        .apply(volume, ON_MISMATCH, Access.READ_WRITE, Progress.IGNORED);
                break;
            } catch (CallsWithout.Crash expected) {
                cutOff++;
            }
            apply(ON_MISMATCH);
            assertAllRight();
        }
        assertAllRight();
        assertThat(cutOff).isGreaterThan(20);
    }

    private void assertAllRight() throws Exception {
        for (String each : Machine.below(volume)) {
            assertThat(gid(volume.resolve(each))).as(each).isEqualTo(GID);
            int needed = Files.isDirectory(volume.resolve(each)) ? 02770 : 0660;
            assertThat(Integer.parseInt(Machine.permissions(volume.resolve(each)), 8) & needed)
                    .as(each)
                    .isEqualTo(needed);
        }
        assertThat(gid(volume)).isEqualTo(GID);
        assertThat(Machine.permissions(volume)).isEqualTo("2770");
    }

    @Test
    void goesOnWhereItWasInterrupted() throws Exception {
        for (int i = 0; i < 200; i++) {
            file("f" + i, "600");
        }
        int[] changes = {0};
        SystemCalls interrupted = CallsWithout.disturbedBy(() -> {
            changes[0]++;
            if (changes[0] == 500) {
                Thread.currentThread().interrupt();
            }
        });
        assertThatThrownBy(() -> new GroupOwnership(interrupted, STILL)
                        .apply(volume, ON_MISMATCH, Access.READ_WRITE, Progress.IGNORED))
                .isInstanceOf(InterruptedException.class);
        assertThat(gid(volume)).isZero();
        GroupOwnership.Outcome rest = apply(ON_MISMATCH);
        assertThat(rest.seen()).isEqualTo(201);
        assertThat(rest.changed()).isBetween(50L, 180L);
        assertThat(apply(ALWAYS)).isEqualTo(new GroupOwnership.Outcome(201, 0, Optional.empty()));
    }

    /** A second passes whenever the clock is looked at, which is every 64 files. */
    private static final class Ticking extends Clock {
        private final Duration tick;
        private Instant now = Instant.EPOCH;

        private Ticking(Duration tick) {
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
    void tellsAfterHalfAMinuteAndThenEveryMinute() throws Exception {
        for (int i = 0; i < 700; i++) {
            Files.createFile(volume.resolve("f" + i));
        }
        List<String> told = new ArrayList<>();
        new GroupOwnership(SystemCalls.real(), new Ticking(Duration.ofSeconds(15)))
                .apply(volume, ALWAYS, Access.READ_WRITE, (reason, message) -> told.add(reason + ": " + message));
        String doing = "SettingOwnership: Setting volume ownership for 0f3a/volumes/kubernetes.io~csi/pv-1";
        assertThat(told)
                .containsExactly(
                        doing + " is taking longer than expected, consider using OnRootMismatch -"
                                + " https://kubernetes.io/docs/tasks/configure-pod-container/security-context/"
                                + "#configure-volume-permission-and-ownership-change-policy-for-pods, processed 128"
                                + " files.",
                        doing + ", processed 384 files.",
                        doing + ", processed 640 files.");
        told.clear();
        new GroupOwnership(SystemCalls.real(), STILL)
                .apply(volume, ALWAYS, Access.READ_WRITE, (reason, message) -> told.add(message));
        assertThat(told).isEmpty();
    }

    @Test
    void reachesWhatIsNestedVeryDeepWithFewDescriptors() throws Exception {
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
    void remarksOnWhatItMayNotChangeAndGoesOn() throws Exception {
        file("one", "600");
        file("two", "600");
        SystemCalls refusing = CallsWithout.failing("fchownat", 1, 1);
        GroupOwnership.Outcome outcome =
                new GroupOwnership(refusing, STILL).apply(volume, ALWAYS, Access.READ_WRITE, Progress.IGNORED);
        assertThat(outcome.changed()).isEqualTo(2);
        assertThat(outcome.remark().orElseThrow().message())
                .startsWith("Setting volume ownership for 0f3a/volumes/kubernetes.io~csi/pv-1: 1 of 3 files could not"
                        + " be given to group 4321, the first: chown ")
                .contains("EPERM");
    }

    @Test
    void failsWhenTheFileSystemDoes() throws Exception {
        file("one", "600");
        SystemCalls broken = CallsWithout.failing("fchownat", 1, 5);
        assertThatThrownBy(() ->
                        new GroupOwnership(broken, STILL).apply(volume, ALWAYS, Access.READ_WRITE, Progress.IGNORED))
                .hasMessageStartingWith("applyFSGroup failed for vol pv-1: chown ")
                .hasMessageContaining("EIO");
        assertThat(gid(volume)).isZero();
    }

    @Test
    void changesNamesThatAreNoText() throws Exception {
        Machine.run(
                "python3", "-c", "import os,sys; open(os.fsencode(sys.argv[1])+b'/\\xff\\xfe','w')", volume.toString());
        assertThat(apply(ALWAYS).changed()).isEqualTo(2);
        assertThat(Machine.run("find", volume.toString(), "-gid", "0")).isEmpty();
    }
}
