package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.model.StoredObject;
import dev.mooring.replay.LogVerifier;
import dev.mooring.replay.VerifiedRewrite;
import dev.mooring.testing.CrashingDisk;
import dev.mooring.testing.SecretLog;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.crypto.AEADBadTagException;
import org.junit.jupiter.api.Test;

/** Encryption of Secrets in the log: files do not show them without the key, and with it the log is unchanged. */
class EncryptionTest {
    private static final Path DIRECTORY = SecretLog.DIRECTORY;
    private static final Encryption.NamedKey FIRST = SecretLog.key(1, 11);
    private static final Encryption.NamedKey SECOND = SecretLog.key(2, 22);

    private final SimulatedDisk disk = new SimulatedDisk();

    private World write(Encryption encryption) throws IOException {
        try (SecretLog log = SecretLog.open(disk, encryption)) {
            log.claims("a claim in clear", "x".repeat(2_000));
            log.put(SecretLog.secret("db"), "uid-1", "first-password");
            log.put(SecretLog.secret("db"), "uid-1", "second-password");
            log.snapshot();
            log.claims("y".repeat(2_000));
            log.put(SecretLog.secret("web"), "uid-2", "web-password");
            log.remove(SecretLog.secret("web"));
            return log.world();
        }
    }

    private static LogVerifier.Report verify(Disk on, Encryption encryption) throws IOException {
        return new LogVerifier(new LogInspector(on, DIRECTORY, encryption), bytes -> {}).verify();
    }

    private void assertNoPasswordInFiles() throws IOException {
        for (String password : List.of("first-password", "second-password", "web-password")) {
            assertThat(SecretLog.filesWith(disk, DIRECTORY, password)).isEmpty();
        }
    }

    @Test
    void encryptedLog_secrets_areInNoFileAndAreReadUnchanged() throws IOException {
        Encryption encryption = SecretLog.with(FIRST);
        World world = write(encryption);
        assertNoPasswordInFiles();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "a claim in clear")).hasSize(2);
        assertThat(verify(disk, encryption).problems()).isEmpty();
        try (SecretLog log = SecretLog.open(disk, encryption)) {
            assertThat(log.world()).isEqualTo(world);
            List<Batch> batches = new ArrayList<>();
            try (EventReader reader = log.log().read(3)) {
                reader.next().ifPresent(batches::add);
            }
            assertThat(new String(
                            batches.get(0)
                                    .events()
                                    .get(0)
                                    .changes()
                                    .get(0)
                                    .object()
                                    .json(),
                            StandardCharsets.UTF_8))
                    .contains(SecretLog.base64("first-password"));
        }
    }

    @Test
    void encryptedLog_missingOrWrongKey_isNamedAndNoFileChanges() throws IOException {
        write(SecretLog.with(FIRST));
        SimulatedDisk before = disk.copy();
        assertThatThrownBy(() -> SecretLog.open(disk, Encryption.NONE))
                .isInstanceOf(EncryptionKeyException.class)
                .hasMessageContaining("key 1")
                .hasMessageContaining("log.encryption.keyFile");
        assertThatThrownBy(() -> SecretLog.open(disk, SecretLog.with(SECOND)))
                .isInstanceOf(EncryptionKeyException.class)
                .hasMessageContaining("key 1")
                .hasMessageContaining("only [2]");
        assertThatThrownBy(() -> SecretLog.open(disk, SecretLog.with(SecretLog.key(1, 99))))
                .isInstanceOf(EncryptionKeyException.class)
                .hasMessageContaining("another key 1");
        for (String name : before.list(DIRECTORY)) {
            assertThat(disk.content(DIRECTORY.resolve(name))).isEqualTo(before.content(DIRECTORY.resolve(name)));
        }
    }

    @Test
    void encryptedLog_keyOfOldHistoryMissing_doesNotOpen() throws IOException {
        Encryption both = SecretLog.with(SECOND, FIRST);
        write(SecretLog.with(FIRST));
        try (SecretLog log = SecretLog.open(disk, both)) {
            log.put(SecretLog.secret("db"), "uid-1", "third-password");
            log.snapshot();
            log.claims("behind the snapshot");
        }
        assertThatThrownBy(() -> SecretLog.open(disk, SecretLog.with(SECOND)))
                .isInstanceOf(EncryptionKeyException.class)
                .hasMessageContaining("key 1");
        assertThat(new LogInspector(disk, DIRECTORY).segments().stream().map(LogInspector.SegmentInfo::keyId))
                .startsWith(1)
                .endsWith(2);
    }

    @Test
    void encryptedLog_keyChanges_startsNewSegmentPerKey() throws IOException {
        Encryption.NamedKey third = SecretLog.key(3, 33);
        SecretLog.open(disk, SecretLog.with(FIRST)).close();
        try (SecretLog log = SecretLog.open(disk, SecretLog.with(SECOND, FIRST))) {
            log.put(SecretLog.secret("db"), "uid-1", "first-password");
        }
        try (SecretLog log = SecretLog.open(disk, SecretLog.with(third, SECOND))) {
            log.claims("a small log");
            log.snapshot();
        }
        assertThat(new LogInspector(disk, DIRECTORY).segments().stream().map(LogInspector.SegmentInfo::keyId))
                .as("keys; the first key's empty segment was replaced")
                .containsExactly(2, 3);
        assertThatThrownBy(() -> SecretLog.open(disk, SecretLog.with(third, FIRST)))
                .isInstanceOf(EncryptionKeyException.class)
                .hasMessageContaining("key 2");
        assertThat(verify(disk, SecretLog.with(third, SECOND)).problems()).isEmpty();
    }

    @Test
    void encryptedLog_keysAllowedToBeMissing_checksumsAreVerified() throws IOException {
        write(SecretLog.with(FIRST));
        Encryption none = Encryption.allowingMissingKeys(List.of());
        LogVerifier.Report report = verify(disk, none);
        assertThat(report.problems()).isEmpty();
        assertThat(report.missingKeys()).containsExactly(1);
        List<String> contents = new ArrayList<>();
        new LogInspector(disk, DIRECTORY, Encryption.allowingMissingKeys(List.of())).walk(1, (batch, end) -> {
            batch.events()
                    .forEach(event -> event.changes()
                            .forEach(change ->
                                    contents.add(new String(change.object().json(), StandardCharsets.UTF_8))));
            return true;
        });
        assertThat(contents).anyMatch(json -> json.contains("a claim in clear"));
        assertThat(contents.get(2))
                .startsWith("{\"metadata\":{\"name\":\"db\",\"namespace\":\"default\",\"resourceVersion\":\"3\"},"
                        + "\"encrypted\":{\"keyId\":1,\"bytes\":");
        Path segment = DIRECTORY.resolve(LogFiles.segment(1));
        byte[] content = disk.content(segment);
        content[500] ^= 1;
        disk.overwrite(segment, content);
        assertThat(verify(disk, Encryption.allowingMissingKeys(List.of())).problems())
                .isNotEmpty();
    }

    @Test
    void ciphertext_otherObjectRevisionOrBytes_isRejected() throws IOException, AEADBadTagException {
        Encryption encryption = SecretLog.with(FIRST);
        byte[] json = "{\"data\":{}}".getBytes(StandardCharsets.UTF_8);
        StoredObject object = new StoredObject(SecretLog.secret("db"), 7, json);
        byte[] encrypted = encryption.encrypt(object);
        assertThat(encryption.encrypt(object))
                .as("second ciphertext of the same object")
                .isNotEqualTo(encrypted);
        assertThat(encryption.decrypt(SecretLog.secret("db"), 7, encrypted)).isEqualTo(json);
        assertThatThrownBy(() -> encryption.decrypt(SecretLog.secret("db"), 8, encrypted))
                .isInstanceOf(AEADBadTagException.class);
        assertThatThrownBy(() -> encryption.decrypt(SecretLog.secret("web"), 7, encrypted))
                .isInstanceOf(AEADBadTagException.class);
        for (int bit = 6 * 8; bit < encrypted.length * 8; bit++) {
            byte[] flipped = encrypted.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> encryption.decrypt(SecretLog.secret("db"), 7, flipped))
                    .isInstanceOf(AEADBadTagException.class);
        }
        assertThatThrownBy(() -> encryption.decrypt(SecretLog.secret("db"), 7, Arrays.copyOf(encrypted, 20)))
                .isInstanceOf(AEADBadTagException.class);
    }

    /** An attacker who can write the files can correct all checksums, but not the authentication tag. */
    @Test
    void encryptedLog_ciphertextChangedAndChecksumsCorrected_isDamaged() throws IOException {
        Encryption encryption = SecretLog.with(FIRST);
        try (SecretLog log = SecretLog.open(disk, encryption)) {
            log.put(SecretLog.secret("db"), "uid-1", "first-password");
        }
        Path segment = DIRECTORY.resolve(LogFiles.segment(1));
        ByteBuffer bytes = ByteBuffer.wrap(disk.content(segment)).order(ByteOrder.LITTLE_ENDIAN);
        int event = SegmentFormat.SEGMENT_HEADER;
        int length = bytes.getInt(event + 4);
        int commit = event + SegmentFormat.padded(SegmentFormat.FRAME_HEADER + length);
        assertThat(SegmentFormat.isCommit(bytes, commit)).isTrue();
        assertThat(bytes.get(event + 9)).isEqualTo(SegmentFormat.VERSION_ENCRYPTED);
        int inCiphertext = event + SegmentFormat.FRAME_HEADER + length - 40;
        bytes.put(inCiphertext, (byte) (bytes.get(inCiphertext) ^ 1));
        bytes.putInt(event, SegmentFormat.crc(bytes.slice(event + 4, SegmentFormat.FRAME_HEADER - 4 + length)));
        bytes.putInt(
                commit + SegmentFormat.FRAME_HEADER + 28, SegmentFormat.chain(0, bytes.slice(event, commit - event)));
        bytes.putInt(commit, SegmentFormat.crc(bytes.slice(commit + 4, SegmentFormat.COMMIT_FRAME - 4)));
        disk.overwrite(segment, bytes.array());
        assertThatThrownBy(() -> SecretLog.open(disk, encryption))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("encrypted");
        assertThat(verify(disk, encryption).problems()).hasSize(1);
    }

    /** Like {@link LogCrashTest} for an unencrypted log. */
    @Test
    void encryptedLog_cutOrBitFlipped_isRestoredOrDamaged() throws IOException {
        Encryption encryption = SecretLog.with(FIRST);
        List<World> worlds = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        try (SecretLog log = SecretLog.open(disk, encryption)) {
            for (int i = 0; i < 3; i++) {
                worlds.add(log.world());
                log.put(SecretLog.secret("s" + i), "uid-" + i, "password-" + i);
                ends.add(log.log().end().offset());
            }
            worlds.add(log.world());
        }
        Path segment = DIRECTORY.resolve(LogFiles.segment(1));
        byte[] content = disk.content(segment);
        int end = ends.get(2).intValue();
        for (int cut = SegmentFormat.SEGMENT_HEADER; cut <= end; cut += 3) {
            SimulatedDisk crashed = disk.copy();
            crashed.overwrite(segment, Arrays.copyOf(Arrays.copyOf(content, cut), content.length));
            int at = cut;
            int complete = (int) ends.stream().filter(offset -> offset <= at).count();
            try (SecretLog log = SecretLog.open(crashed, encryption)) {
                assertThat(log.world()).as("cut at " + cut).isEqualTo(worlds.get(complete));
            }
        }
        for (int bit = 0; bit < end * 8; bit += 5) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk damaged = disk.copy();
            damaged.overwrite(segment, flipped);
            assertThatThrownBy(() -> SecretLog.open(damaged, encryption).close())
                    .as("bit " + bit)
                    .isInstanceOf(LogDamagedException.class);
        }
    }

    /** Unencrypted, the difference of two digests would be a checksum of a Secret, which helps to guess its content. */
    @Test
    void encryptedLog_digests_areNotStoredInClear() throws IOException {
        Encryption encryption = SecretLog.with(FIRST);
        try (SecretLog log = SecretLog.open(disk, encryption)) {
            log.put(SecretLog.secret("db"), "uid-1", "guess me");
            log.snapshot();
        }
        List<Long> stored = new ArrayList<>();
        new LogInspector(disk, DIRECTORY, Encryption.allowingMissingKeys(List.of()))
                .walk(1, (batch, end) -> stored.add(batch.digest()));
        List<Long> clear = new ArrayList<>();
        new LogInspector(disk, DIRECTORY, encryption).walk(1, (batch, end) -> clear.add(batch.digest()));
        assertThat(stored).isNotEqualTo(clear);
        byte[] digest = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(clear.get(0))
                .array();
        for (String name : disk.list(DIRECTORY)) {
            String content = new String(disk.content(DIRECTORY.resolve(name)), StandardCharsets.ISO_8859_1);
            assertThat(content).as(name).doesNotContain(new String(digest, StandardCharsets.ISO_8859_1));
        }
    }

    private VerifiedRewrite rewrite(Disk on, Encryption from, Encryption to) {
        return new VerifiedRewrite(on, DIRECTORY, Clock.systemUTC(), from, to, "os-user:tester", bytes -> {});
    }

    @Test
    void encryption_enabledLater_encryptsNewEventsAndReencryptTheRest() throws IOException {
        write(Encryption.NONE);
        Encryption first = SecretLog.with(FIRST);
        try (SecretLog log = SecretLog.open(disk, first)) {
            log.put(SecretLog.secret("db"), "uid-1", "third-password");
        }
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "third-password")).isEmpty();
        assertThat(SecretLog.filesWith(disk, DIRECTORY, "first-password")).isNotEmpty();
        assertThat(verify(disk, first).problems()).isEmpty();

        rewrite(disk, first, first).reencrypt();

        assertNoPasswordInFiles();
        assertThat(verify(disk, first).problems()).isEmpty();
    }

    @Test
    void reencryption_withNewKeyOrNone_makesOldKeyUnnecessary() throws IOException {
        World world = write(SecretLog.with(FIRST));
        Encryption both = SecretLog.with(SECOND, FIRST);
        rewrite(disk, both, both).reencrypt();
        assertNoPasswordInFiles();
        Encryption second = SecretLog.with(SECOND);
        assertThat(verify(disk, second).problems()).isEmpty();
        try (SecretLog log = SecretLog.open(disk, second)) {
            assertThat(log.world().revision()).isEqualTo(world.revision() + 1);
            assertThat(log.world().get(SecretLog.secret("db"))).isEqualTo(world.get(SecretLog.secret("db")));
        }
        rewrite(disk, second, Encryption.decryptingOnly(List.of(SECOND))).reencrypt();
        assertThat(verify(disk, Encryption.NONE).problems()).isEmpty();
        try (SecretLog log = SecretLog.open(disk, Encryption.NONE)) {
            assertThat(log.world().get(SecretLog.secret("db"))).isEqualTo(world.get(SecretLog.secret("db")));
        }
    }

    @Test
    void reencryption_crashBeforeAnyDiskOperation_leavesAValidLog() throws IOException {
        write(SecretLog.with(FIRST));
        Encryption both = SecretLog.with(SECOND, FIRST);
        boolean finished = false;
        Set<Integer> keys = new java.util.TreeSet<>();
        for (int operations = 0; !finished; operations++) {
            SimulatedDisk machine = disk.copy();
            try {
                rewrite(new CrashingDisk(machine, operations), both, both).reencrypt();
                finished = true;
            } catch (CrashingDisk.ProcessCrash e) {
                // injected
            }
            SimulatedDisk next = machine.powerFailure(new Random(operations));
            assertThat(verify(next, both).problems())
                    .as("operation " + operations)
                    .isEmpty();
            keys.add(new LogInspector(next, DIRECTORY).segments().get(0).keyId());
            SecretLog.open(next, both).close();
            assertThat(verify(next, both).problems()).isEmpty();
        }
        assertThat(keys).containsExactly(1, 2);
    }
}
