package dev.mooring.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.log.Disk;
import dev.mooring.log.Encryption;
import dev.mooring.log.LogDamagedException;
import dev.mooring.log.LogInspector;
import dev.mooring.log.Retention;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.SecretLog;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Purging removes past contents of selected objects from all files and changes nothing else. */
class LogPurgeTest {
    private static final Path DIRECTORY = SecretLog.DIRECTORY;
    static final ObjectKey DB = SecretLog.secret("db");
    private static final ObjectKey OTHER = SecretLog.secret("other");

    private final SimulatedDisk disk = new SimulatedDisk();

    static LogPurge.PurgeSelection select(ObjectKey... keys) {
        return new LogPurge.PurgeSelection(
                List.of(keys), false, Optional.empty(), Optional.empty(), Long.MAX_VALUE, Instant.MAX);
    }

    static VerifiedRewrite rewrite(Disk disk, Encryption encryption) {
        return new VerifiedRewrite(
                disk, DIRECTORY, Clock.systemUTC(), encryption, encryption, "os-user:tester", bytes -> {});
    }

    static List<Event> events(Disk disk, Encryption encryption) throws IOException {
        List<Event> events = new ArrayList<>();
        new LogInspector(disk, DIRECTORY, encryption).walk(1, (batch, end) -> events.addAll(batch.events()));
        return events;
    }

    static JsonNode json(StoredObject object) throws IOException {
        return new ObjectMapper().readTree(object.json());
    }

    static void assertValid(Disk disk, Encryption encryption) throws IOException {
        LogVerifier.Report report =
                new LogVerifier(new LogInspector(disk, DIRECTORY, encryption), bytes -> {}).verify();
        assertThat(report.problems()).isEmpty();
        assertThat(report.missingKeys()).isEmpty();
    }

    /** Writes two Secrets among other objects, deletes one, and takes snapshots before and after. */
    static World write(Disk disk, Encryption encryption) throws IOException {
        try (SecretLog log = SecretLog.open(disk, encryption)) {
            log.claims("before", "x".repeat(3_000), "y".repeat(3_000));
            log.put(DB, "uid-1", "first-password");
            log.put(OTHER, "uid-2", "other-password-1");
            log.claims("z".repeat(2_500));
            log.put(DB, "uid-1", "second-password");
            log.snapshot();
            log.put(OTHER, "uid-2", "other-password-2");
            log.claims("z".repeat(2_500), "and more");
            log.remove(DB);
            log.snapshot();
            log.claims("after");
            return log.world();
        }
    }

    @Test
    void purge_deletedSecret_removesItsContentsFromAllFiles() throws IOException {
        World before = write(disk, Encryption.NONE);
        List<Event> oldEvents = events(disk, Encryption.NONE);
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "first-password")).isNotEmpty();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "second-password")).hasSizeGreaterThan(1);

        LogPurge.PurgeResult purged = LogPurge.purge(rewrite(disk, Encryption.NONE), select(DB));

        assertThat(purged.plan().objects()).singleElement().satisfies(object -> {
            assertThat(object.key()).isEqualTo(DB);
            assertThat(object.revisions()).hasSize(3);
            assertThat(object.live()).isZero();
        });
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "first-password")).isEmpty();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "second-password")).isEmpty();
        assertThat(purged.values().filesWith(disk, DIRECTORY)).isEmpty();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "other-password-1")).isNotEmpty();
        assertValid(disk, Encryption.NONE);
        List<Event> newEvents = events(disk, Encryption.NONE);
        assertThat(newEvents).hasSize(oldEvents.size() + 1);
        for (int i = 0; i < oldEvents.size(); i++) {
            Change oldChange = oldEvents.get(i).changes().get(0);
            Change newChange = newEvents.get(i).changes().get(0);
            assertThat(newEvents.get(i).type()).isEqualTo(oldEvents.get(i).type());
            assertThat(newEvents.get(i).time()).isEqualTo(oldEvents.get(i).time());
            assertThat(newChange.prior()).isEqualTo(oldChange.prior());
            if (oldChange.key().equals(DB)) {
                assertThat(json(newChange.object()).toString())
                        .isEqualTo("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"db\","
                                + "\"namespace\":\"default\",\"uid\":\"uid-1\",\"annotations\":"
                                + "{\"mooring.dev/purged\":\"true\"},\"resourceVersion\":\""
                                + newEvents.get(i).revision() + "\"}}");
            } else {
                assertThat(newChange).isEqualTo(oldChange);
            }
        }
        Event last = newEvents.get(oldEvents.size());
        assertThat(last.type()).isEqualTo("LogPurged");
        assertThat(last.actor()).isEqualTo("os-user:tester");
        assertThat(json(last.changes().get(0).object()).path("message").asText())
                .contains("3 versions of 1 objects")
                .contains("secrets/default/db");
        try (SecretLog log = SecretLog.open(disk, Encryption.NONE)) {
            assertThat(log.world().revision()).isEqualTo(before.revision() + 1);
            before.list(Scope.all())
                    .forEach(object -> assertThat(log.world().get(object.key())).contains(object));
            log.claims("goes on");
        }
        assertValid(disk, Encryption.NONE);
    }

    @Test
    void purge_leavesFilesBeforeFirstPurgedRevision() throws IOException {
        write(disk, Encryption.NONE);
        List<Path> segments = disk.list(DIRECTORY).stream()
                .filter(name -> name.endsWith(".log"))
                .map(DIRECTORY::resolve)
                .toList();
        byte[] first = disk.content(segments.get(0));
        byte[] last = disk.content(segments.get(segments.size() - 1));

        LogPurge.PurgeResult purged = LogPurge.purge(rewrite(disk, Encryption.NONE), select(DB));

        assertThat(disk.content(segments.get(0))).isEqualTo(first);
        assertThat(disk.content(segments.get(segments.size() - 1))).isNotEqualTo(last);
        assertThat(purged.extent().segments()).isBetween(1, segments.size() - 1);
    }

    @Test
    void purge_existingObject_keepsNewestVersion() throws IOException {
        write(disk, Encryption.NONE);
        LogPurge.PurgeResult purged = LogPurge.purge(rewrite(disk, Encryption.NONE), select(OTHER));
        assertThat(purged.plan().objects()).singleElement().satisfies(object -> {
            assertThat(object.revisions()).hasSize(1);
            assertThat(object.live()).isPositive();
        });
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "other-password-1")).isEmpty();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "other-password-2")).isNotEmpty();

        LogPurge.PurgePlan secondPlan = LogPurge.plan(new LogInspector(disk, DIRECTORY), select(OTHER));

        assertThat(secondPlan.objects()).isEmpty();
        assertThat(secondPlan.kept()).containsExactly(OTHER);
    }

    @Test
    void selection_byUidRevisionTimeAndDeletion_selectsVersions() throws IOException {
        try (SecretLog log = SecretLog.open(disk, Encryption.NONE)) {
            log.put(DB, "uid-1", "former-tenant"); // 1
            log.remove(DB); // 2
            log.put(DB, "uid-2", "present-tenant-old"); // 3
            log.put(DB, "uid-2", "present-tenant"); // 4
            log.put(OTHER, "uid-3", "gone"); // 5
            log.remove(OTHER); // 6
        }
        LogInspector log = new LogInspector(disk, DIRECTORY);
        assertThat(revisions(log, select(DB), DB)).containsExactly(1L, 2L, 3L);
        LogPurge.PurgeSelection uid = new LogPurge.PurgeSelection(
                List.of(DB), false, Optional.empty(), Optional.of("uid-1"), Long.MAX_VALUE, Instant.MAX);
        assertThat(revisions(log, uid, DB)).containsExactly(1L, 2L);
        LogPurge.PurgeSelection before =
                new LogPurge.PurgeSelection(List.of(DB), false, Optional.empty(), Optional.empty(), 2, Instant.MAX);
        assertThat(revisions(log, before, DB)).containsExactly(1L);
        Instant second = Instant.ofEpochMilli(1_700_000_000_000L + 2);
        LogPurge.PurgeSelection time = new LogPurge.PurgeSelection(
                List.of(DB), false, Optional.empty(), Optional.empty(), Long.MAX_VALUE, second);
        assertThat(revisions(log, time, DB)).containsExactly(1L);
        LogPurge.PurgeSelection deleted = new LogPurge.PurgeSelection(
                List.of(), true, Optional.empty(), Optional.empty(), Long.MAX_VALUE, Instant.MAX);
        assertThat(revisions(log, deleted, DB)).containsExactly(1L, 2L);
        assertThat(revisions(log, deleted, OTHER)).containsExactly(5L, 6L);
        LogPurge.PurgeSelection elsewhere = new LogPurge.PurgeSelection(
                List.of(), true, Optional.of("elsewhere"), Optional.empty(), Long.MAX_VALUE, Instant.MAX);
        assertThat(LogPurge.plan(log, elsewhere).objects()).isEmpty();
    }

    private static Set<Long> revisions(LogInspector log, LogPurge.PurgeSelection selection, ObjectKey key)
            throws IOException {
        return LogPurge.plan(log, selection).objects().stream()
                .filter(object -> object.key().equals(key))
                .findFirst()
                .map(LogPurge.ObjectPlan::revisions)
                .orElse(new TreeSet<>());
    }

    @Test
    void purge_versionOnlyInSnapshots_isRemoved() throws IOException {
        try (SecretLog log = SecretLog.open(disk, Encryption.NONE)) {
            log.put(DB, "uid-1", "first-password");
            log.put(OTHER, "uid-2", "live-password");
            for (int i = 0; i < 6; i++) {
                log.claims("x".repeat(3_000));
            }
            log.snapshot();
            log.claims("x".repeat(3_000));
            log.snapshot();
            log.log().applyRetention(new Retention(Optional.empty(), OptionalLong.of(1)));
            log.remove(DB);
            log.claims("end");
        }
        assertThat(new LogInspector(disk, DIRECTORY).segments().get(0).firstRevision())
                .isGreaterThan(2);
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "first-password")).hasSizeGreaterThan(2);

        LogPurge.purge(rewrite(disk, Encryption.NONE), select(DB, OTHER));

        assertThat(SecretLog.filesWith(disk, DIRECTORY, "first-password")).isEmpty();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "live-password")).isNotEmpty();
        assertValid(disk, Encryption.NONE);
        try (SecretLog log = SecretLog.open(disk, Encryption.NONE)) {
            assertThat(log.world().get(DB)).isEmpty();
            assertThat(log.world().get(OTHER)).isPresent();
        }
    }

    @Test
    void purge_unreadableSnapshot_isDeleted() throws IOException {
        write(disk, Encryption.NONE);
        Path snapshot = disk.list(DIRECTORY).stream()
                .filter(name -> name.endsWith(".snapshot"))
                .map(DIRECTORY::resolve)
                .findFirst()
                .orElseThrow();
        byte[] content = disk.content(snapshot);
        content[90] ^= 1;
        disk.overwrite(snapshot, content);
        LogPurge.purge(rewrite(disk, Encryption.NONE), select(DB));
        assertThat(disk.exists(snapshot)).isFalse();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "second-password")).isEmpty();
        assertValid(disk, Encryption.NONE);
    }

    @Test
    void purge_damagedLog_isRefusedWithoutChanges() throws IOException {
        write(disk, Encryption.NONE);
        Path segment = DIRECTORY.resolve(
                new LogInspector(disk, DIRECTORY).segments().get(1).name());
        byte[] content = disk.content(segment);
        content[300] ^= 1;
        disk.overwrite(segment, content);
        assertThatThrownBy(() -> LogPurge.purge(rewrite(disk, Encryption.NONE), select(DB)))
                .isInstanceOf(LogDamagedException.class);
        assertThat(disk.content(segment)).isEqualTo(content);
        assertThat(disk.list(DIRECTORY)).noneMatch(name -> name.endsWith(".new") || name.equals("rewrite"));
    }

    @Test
    void purge_notEnoughDiskSpace_isRefusedBeforeWriting() throws IOException {
        write(disk, Encryption.NONE);
        List<String> before = disk.list(DIRECTORY);
        disk.leaveRoomFor(5_000);
        assertThatThrownBy(() -> LogPurge.purge(rewrite(disk, Encryption.NONE), select(DB)))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("5000 are free");
        assertThat(disk.list(DIRECTORY)).isEqualTo(before);
        assertValid(disk, Encryption.NONE);
    }

    @Test
    void valueSearch_valueInAnotherObject_isFound() throws IOException {
        try (SecretLog log = SecretLog.open(disk, Encryption.NONE)) {
            log.put(DB, "uid-1", "a-shared-password");
            log.claims("the password is a-shared-password, do not tell");
            log.remove(DB);
        }
        LogPurge.PurgeResult purged = LogPurge.purge(rewrite(disk, Encryption.NONE), select(DB));
        assertThat(purged.values().filesWith(disk, DIRECTORY)).hasSize(1);
        assertThat(purged.values().objectsWith(new LogInspector(disk, DIRECTORY)))
                .containsExactly(Map.entry("persistentvolumeclaims/default/c1", Set.of(2L)));
    }

    @Test
    void valueSearch_valueAcrossReadBoundary_isFound() throws IOException {
        byte[] file = new byte[(1 << 20) + 500];
        Arrays.fill(file, (byte) 'x');
        byte[] value = "the-value-of-a-purged-secret".getBytes(StandardCharsets.UTF_8);
        System.arraycopy(value, 0, file, (1 << 20) - 9, value.length);
        Path path = DIRECTORY.resolve("any");
        disk.openForWriting(path).close();
        ValueSearch search = new ValueSearch();
        search.addContentsOf(
                new ObjectMapper().readTree("{\"data\":{\"k\":\"the-value-of-a-purged-secret\",\"s\":\"ab\"}}"));
        disk.overwrite(path, file);
        assertThat(search.filesWith(disk, DIRECTORY)).containsExactly("any");
        file[(1 << 20)] = 'X';
        disk.overwrite(path, file);
        assertThat(search.filesWith(disk, DIRECTORY)).isEmpty();
        assertThat(search.tooShort()).isEqualTo(1);
    }
}
