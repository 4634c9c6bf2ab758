package dev.mooring.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.log.Disk;
import dev.mooring.log.Encryption;
import dev.mooring.log.LogInspector;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.CrashingDisk;
import dev.mooring.testing.SecretLog;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Purges that crash before any disk operation, and purges of random objects from random logs. */
class LogPurgeCrashTest {
    private static final Path DIRECTORY = SecretLog.DIRECTORY;

    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void purge_diskFullWhileWriting_leavesOldLog() throws IOException {
        World before = LogPurgeTest.write(disk, Encryption.NONE);
        List<String> names = disk.list(DIRECTORY);
        int[] writes = new int[1];
        disk.onWrite(file -> {
            if (file.endsWith(".new") && ++writes[0] > 6) {
                throw new IOException("No space left on device");
            }
        });
        assertThatThrownBy(() -> LogPurge.purge(
                        LogPurgeTest.rewrite(disk, Encryption.NONE), LogPurgeTest.select(LogPurgeTest.DB)))
                .hasMessageContaining("No space left");
        disk.onWrite(file -> {});
        assertThat(disk.list(DIRECTORY)).isEqualTo(names);
        try (SecretLog log = SecretLog.open(disk, Encryption.NONE)) {
            assertThat(log.world()).isEqualTo(before);
        }
    }

    /** After a kill or power failure at any disk operation the log is the old one or the new one, never a mixture. */
    @Test
    void purge_crashBeforeAnyDiskOperation_leavesOldOrNewLog() throws IOException {
        World before = LogPurgeTest.write(disk, Encryption.NONE);
        SimulatedDisk complete = disk.copy();
        LogPurge.purge(LogPurgeTest.rewrite(complete, Encryption.NONE), LogPurgeTest.select(LogPurgeTest.DB));
        boolean finished = false;
        int old = 0;
        int rewritten = 0;
        for (int operations = 0; !finished; operations++) {
            for (long seed = -1; seed < 6; seed++) {
                SimulatedDisk machine = disk.copy();
                try {
                    LogPurge.purge(
                            LogPurgeTest.rewrite(new CrashingDisk(machine, operations), Encryption.NONE),
                            LogPurgeTest.select(LogPurgeTest.DB));
                    finished = true;
                } catch (CrashingDisk.ProcessCrash e) {
                    // injected
                }
                SimulatedDisk next = seed < 0 ? machine.killedProcess() : machine.powerFailure(new Random(seed));
                String description = "stopped before operation " + operations + ", seed " + seed;
                LogVerifier.Report report = new LogVerifier(new LogInspector(next, DIRECTORY), bytes -> {}).verify();
                assertThat(report.problems()).as(description).isEmpty();
                try (SecretLog log = SecretLog.open(next, Encryption.NONE)) {
                    boolean isNew = log.world().revision() == before.revision() + 1;
                    if (isNew) {
                        rewritten++;
                        assertThat(SecretLog.filesWith(next, DIRECTORY, "second-password"))
                                .as(description)
                                .isEmpty();
                    } else {
                        old++;
                        assertThat(log.world()).as(description).isEqualTo(before);
                    }
                    assertThat(report.end().orElseThrow().revision())
                            .as(description)
                            .isEqualTo(log.world().revision());
                    assertThat(next.list(DIRECTORY))
                            .as(description)
                            .noneMatch(
                                    name -> name.endsWith(".new") || name.endsWith(".tmp") || name.equals("rewrite"));
                    log.claims("goes on");
                }
                LogPurgeTest.assertValid(next, Encryption.NONE);
            }
        }
        assertThat(old).isGreaterThan(50);
        assertThat(rewritten).isGreaterThan(20);
    }

    /** Random logs, random selections, with and without encryption. */
    @Test
    void purge_randomLogAndSelection_replayDiffersOnlyInPurgedVersions() throws IOException {
        for (long seed = 0; seed < 60; seed++) {
            String description = "seed " + seed;
            Random random = new Random(seed);
            SimulatedDisk machine = new SimulatedDisk();
            Encryption encryption = random.nextBoolean() ? SecretLog.with(SecretLog.key(7, 1)) : Encryption.NONE;
            writeRandomly(machine, encryption, random);
            List<Event> before = LogPurgeTest.events(machine, encryption);
            List<ObjectKey> keys = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                if (random.nextBoolean()) {
                    keys.add(SecretLog.secret("s" + i));
                }
            }
            LogPurge.PurgeSelection selection = new LogPurge.PurgeSelection(
                    keys,
                    random.nextInt(3) == 0,
                    Optional.empty(),
                    Optional.empty(),
                    random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(60),
                    Instant.MAX);

            LogPurge.PurgePlan plan = LogPurge.purge(LogPurgeTest.rewrite(machine, encryption), selection)
                    .plan();

            Map<ObjectKey, SortedSet<Long>> purged = new HashMap<>();
            plan.objects().forEach(object -> purged.put(object.key(), object.revisions()));
            LogPurgeTest.assertValid(machine, encryption);
            List<Event> after = LogPurgeTest.events(machine, encryption);
            assertThat(after)
                    .as(description)
                    .hasSize(before.size() + (plan.objects().isEmpty() ? 0 : 1));
            World expectedWorld = World.EMPTY;
            World actualWorld = World.EMPTY;
            for (int i = 0; i < before.size(); i++) {
                expectedWorld = expectedWorld.after(before.get(i));
                actualWorld = actualWorld.after(after.get(i));
                assertSameExceptStubs(expectedWorld, actualWorld, purged, description);
            }
            assertThat(actualWorld).as(description).isEqualTo(expectedWorld);
            for (Event event : before) {
                assertPurgedValueIsGone(machine, event, purged, before, description);
            }
        }
    }

    private static void writeRandomly(Disk disk, Encryption encryption, Random random) throws IOException {
        try (SecretLog log = SecretLog.open(disk, encryption)) {
            for (int i = 0; i < 60; i++) {
                ObjectKey key = SecretLog.secret("s" + random.nextInt(4));
                int choice = random.nextInt(10);
                if (choice < 5) {
                    String uid = log.world().get(key).isPresent() ? uid(log, key) : "uid-" + i;
                    log.put(key, uid, "random-password-" + i + "-" + random.nextInt());
                } else if (choice < 7 && log.world().get(key).isPresent()) {
                    log.remove(key);
                } else if (choice < 9) {
                    log.claims("x".repeat(random.nextInt(900)), "y");
                } else {
                    log.claims("before a snapshot");
                    log.snapshot();
                }
            }
        }
    }

    private static String uid(SecretLog log, ObjectKey key) throws IOException {
        return LogPurgeTest.json(log.world().get(key).orElseThrow())
                .at("/metadata/uid")
                .asText();
    }

    private static void assertSameExceptStubs(
            World expectedWorld, World actualWorld, Map<ObjectKey, SortedSet<Long>> purged, String description) {
        assertThat(actualWorld.size()).as(description).isEqualTo(expectedWorld.size());
        for (StoredObject object : expectedWorld.list(Scope.all())) {
            StoredObject found = actualWorld.get(object.key()).orElseThrow();
            boolean isPurged =
                    purged.getOrDefault(object.key(), new TreeSet<>()).contains(object.revision());
            assertThat(found).as(description).isEqualTo(isPurged ? LogPurge.stub(object) : object);
        }
    }

    /** Ignores values that another kept version contains, such as the last one before a removal. */
    private static void assertPurgedValueIsGone(
            Disk disk, Event event, Map<ObjectKey, SortedSet<Long>> purged, List<Event> all, String description)
            throws IOException {
        for (Change change : event.changes()) {
            if (!purged.getOrDefault(change.key(), new TreeSet<>()).contains(event.revision())) {
                continue;
            }
            String value =
                    LogPurgeTest.json(change.object()).at("/data/password").asText();
            boolean elsewhere = all.stream()
                    .flatMap(other -> other.changes().stream())
                    .filter(other -> !purged.getOrDefault(other.key(), new TreeSet<>())
                            .contains(other.object().revision()))
                    .anyMatch(other -> new String(other.object().json(), StandardCharsets.UTF_8).contains(value));
            if (!elsewhere) {
                String clear = new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
                assertThat(SecretLog.filesWith(disk, DIRECTORY, clear))
                        .as(description)
                        .isEmpty();
            }
        }
    }
}
